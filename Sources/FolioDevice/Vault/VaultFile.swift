public import FolioModel
import Glibc
import Synchronization

/// The records of the current identity, over a connection of their own that is opened at the first call.
///
/// Any thread; calls run one after another under a mutex that is never held while code of the caller runs. Each call
/// names the user id it acts for and fails with `.notRunning` when that is not the saved session's, within one SQLite
/// transaction. A write is on the disk when it returns. Waits up to 5 s for another connection's write.
public final class VaultFile: Sendable {
    private static let busyTimeout: Int32 = 5_000
    private let directory: DirectoryIdentity
    private let hostKey: [UInt8]?
    private let now: @Sendable () -> Int64
    private let session = Mutex<VaultSession?>(nil)

    /// `now` gives milliseconds since 1970 UTC.
    public init(
        directory: DirectoryIdentity, hostKey: [UInt8]?, now: @escaping @Sendable () -> Int64 = VaultFile.wallClock
    ) {
        self.directory = directory
        self.hostKey = hostKey
        self.now = now
    }

    public static func wallClock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Closes the connection; the next call opens it again.
    public func close() { session.withLock { $0 = nil } }

    // MARK: Reading

    /// `nil` when there is no such record.
    public func get(_ key: String, owner: String) throws(VaultFailure) -> VaultValue? {
        let key = try Self.checked(key)
        return try reading(owner) { (session, vault) throws(DeviceError) in try session.get(key, vault) }
    }

    public func count(prefix: String = "", owner: String) throws(VaultFailure) -> Int64 {
        try reading(owner) { (session, vault) throws(DeviceError) in
            prefix.isEmpty ? .success(vault.recordCount) : .success(try session.count(KeyRange(prefix: prefix), vault))
        }
    }

    /// Records in order of their keys' bytes, after the key `after`; at most `limit` (1 to 1,000).
    public func list(
        prefix: String = "", after: String? = nil, limit: Int, owner: String
    ) throws(VaultFailure) -> [VaultEntry] {
        let limit = try Self.checked(limit: limit)
        return try reading(owner) { (session, vault) throws(DeviceError) in
            .success(try session.list(KeyRange(prefix: prefix, after: after), limit, vault))
        }
    }

    /// Conflict copies in order of their ids, after the id `after`; at most `limit` (1 to 1,000).
    public func conflicts(
        after: Int64 = 0, limit: Int = VaultLimits.pageRecords.upperBound, owner: String
    ) throws(VaultFailure) -> [VaultConflict] {
        let limit = try Self.checked(limit: limit)
        return try reading(owner) { (session, vault) throws(DeviceError) in
            .success(try session.conflicts(after: after, limit, vault))
        }
    }

    /// The losing value of a conflict copy.
    public func conflict(_ id: Int64, owner: String) throws(VaultFailure) -> VaultValue {
        try reading(owner) { (session, vault) throws(DeviceError) in
            try session.conflict(id, vault).map(\.value)
        }
    }

    // MARK: Writing

    public func put(_ key: String, _ value: UnsafeRawBufferPointer, owner: String) throws(VaultFailure) {
        try putMany([(key, value)], owner: owner)
    }

    /// All or none in one commit. The values must stay as they are until this returns.
    public func putMany(
        _ records: [(key: String, value: UnsafeRawBufferPointer)], owner: String
    ) throws(VaultFailure) {
        for (key, value) in records {
            try Self.check(key)
            try Self.check(size: value.count)
        }
        let modifiedAt = now()
        try writing(owner) { (_, writer) throws(DeviceError) -> Result<Void, VaultFailure> in
            for (key, value) in records { try Self.put(key, value, modifiedAt, writer) }
            return .success(())
        }
    }

    /// Whether there was such a record.
    public func delete(_ key: String, owner: String) throws(VaultFailure) -> Bool {
        try Self.check(key)
        return try writing(owner) { (_, writer) throws(DeviceError) in .success(try Self.delete(key, writer)) }
    }

    /// The operations of a transaction, in order, all or none in one commit.
    public func apply(_ operations: [VaultOperation], owner: String) throws(VaultFailure) {
        for operation in operations {
            switch operation {
            case .put(let key, let value):
                try Self.check(key)
                try Self.check(size: value.count)
            case .delete(let key): try Self.check(key)
            }
        }
        let modifiedAt = now()
        try writing(owner) { (_, writer) throws(DeviceError) -> Result<Void, VaultFailure> in
            for operation in operations {
                switch operation {
                case .put(let key, let value):
                    try value.withBytes { (bytes) throws(DeviceError) in try Self.put(key, bytes, modifiedAt, writer) }
                case .delete(let key): _ = try Self.delete(key, writer)
                }
            }
            return .success(())
        }
    }

    /// The conflict copy's value becomes the record's, and the copy goes, in one commit.
    public func keepConflict(_ id: Int64, owner: String) throws(VaultFailure) {
        let modifiedAt = now()
        try writing(owner) { (session, writer) throws(DeviceError) -> Result<Void, VaultFailure> in
            switch try session.conflict(id, writer.vault) {
            case .failure(let failure): return .failure(failure)
            case .success(let copy):
                try copy.key.withRawBytes { (key) throws(DeviceError) in
                    try copy.value.withBytes { (bytes) throws(DeviceError) in
                        try writer.put(key: key, modifiedAt: modifiedAt, value: bytes)
                    }
                }
                try writer.removeConflict(id)
                return .success(())
            }
        }
    }

    public func dropConflict(_ id: Int64, owner: String) throws(VaultFailure) {
        try writing(owner) { (_, writer) throws(DeviceError) -> Result<Void, VaultFailure> in
            let count = writer.vault.conflictCount
            try writer.removeConflict(id)
            return writer.vault.conflictCount < count ? .success(()) : .failure(.notFound)
        }
    }

    private static func put(
        _ key: String, _ value: UnsafeRawBufferPointer, _ modifiedAt: Int64, _ writer: VaultWriter
    ) throws(DeviceError) {
        try withBytes(of: key) { (key) throws(DeviceError) in
            try writer.put(key: key, modifiedAt: modifiedAt, value: value)
        }
    }

    private static func delete(_ key: String, _ writer: VaultWriter) throws(DeviceError) -> Bool {
        try withBytes(of: key) { (key) throws(DeviceError) in try writer.delete(key: key) }
    }

    private static func withBytes<Value>(
        of key: String, _ body: (UnsafeRawBufferPointer) throws(DeviceError) -> Value
    ) throws(DeviceError) -> Value {
        try Array(key.utf8).withRawBytes(body)
    }

    // MARK: Limits

    /// Refuses a key or a value size that no write would take.
    public static func check(key: String, size: Int) throws(VaultFailure) {
        try check(key)
        try check(size: size)
    }

    private static func check(_ key: String) throws(VaultFailure) {
        guard VaultLimits.keyBytes.contains(key.utf8.count) else {
            throw .invalid("A key must have 1 to \(VaultLimits.keyBytes.upperBound) bytes.")
        }
    }

    private static func checked(_ key: String) throws(VaultFailure) -> [UInt8] {
        try check(key)
        return Array(key.utf8)
    }

    private static func check(size: Int) throws(VaultFailure) {
        guard VaultLimits.valueBytes.contains(size) else {
            throw .invalid("A value must have at most \(VaultLimits.valueBytes.upperBound) bytes.")
        }
    }

    private static func checked(limit: Int) throws(VaultFailure) -> Int64 {
        guard VaultLimits.pageRecords.contains(limit) else {
            throw .invalid("A limit must be 1 to \(VaultLimits.pageRecords.upperBound).")
        }
        return Int64(limit)
    }

    // MARK: Running

    private func reading<Value: Sendable>(
        _ owner: String, _ body: (VaultSession, VaultRow) throws(DeviceError) -> Result<Value, VaultFailure>
    ) throws(VaultFailure) -> Value {
        try run { (session) throws(DeviceError) in
            try session.reading(owner) { (vault) throws(DeviceError) in try body(session, vault) }
        }
    }

    private func writing<Value: Sendable>(
        _ owner: String, _ body: (VaultSession, VaultWriter) throws(DeviceError) -> Result<Value, VaultFailure>
    ) throws(VaultFailure) -> Value {
        try run { (session) throws(DeviceError) in
            try session.writing(owner) { (writer) throws(DeviceError) in try body(session, writer) }
        }
    }

    private func run<Value: Sendable>(
        _ body: (VaultSession) throws(DeviceError) -> Result<Value, VaultFailure>
    ) throws(VaultFailure) -> Value {
        let result = session.withLock { session -> Result<Value, VaultFailure> in
            do throws(DeviceError) {
                if let session { return try body(session) }
                let opened = try VaultSession(directory, hostKey: hostKey, busyTimeout: Self.busyTimeout)
                session = opened
                return try body(opened)
            } catch {
                switch error {
                case .busy:
                    return .failure(
                        .storage(StorageFailure(.locked, "Another process holds folio.sqlite for too long; try again.")))
                case .failed(let failure): return .failure(.storage(failure))
                }
            }
        }
        return try result.get()
    }
}
