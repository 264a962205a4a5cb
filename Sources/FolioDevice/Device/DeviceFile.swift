public import FolioModel

/// The loop's connection to folio.sqlite. Never waits for another connection: a locked file is `DeviceError.busy`.
///
/// Used by one thread. Dropping it closes the connection.
public final class DeviceFile {
    private static let fileName = "folio.sqlite"
    private let seal: Seal
    private var connection: Connection?

    /// Opens an existing database and checks format, key and device row. A file that is refused is left as it is.
    public init(opening directory: DirectoryIdentity, hostKey: [UInt8]?) throws(DeviceError) {
        (connection, seal) = try Self.open(directory, hostKey: hostKey, busyTimeout: 0)
    }

    static func open(
        _ directory: DirectoryIdentity, hostKey: [UInt8]?, busyTimeout: Int32
    ) throws(DeviceError) -> (Connection, Seal) {
        let path = directory.path(of: fileName)
        do throws(StorageFailure) {
            switch try FileSystem.size(of: path) {
            case nil: throw StorageFailure(.damaged, "folio.sqlite is missing; restore it from a copy or remove the data directory.")
            case 0: throw StorageFailure(.damaged, "folio.sqlite is empty; restore it from a copy or remove the data directory.")
            default: break
            }
        } catch { throw .failed(error) }
        let seal = Seal(key: try storage { () throws(StorageFailure) in try StorageKey.load(directory, hostKey: hostKey) })
        return try FileSizeSignal.blocked { () throws(DeviceError) -> (Connection, Seal) in
            let connection = try Connection(path: path, busyTimeout: busyTimeout)
            connection.setCheckpointOnClose(false)
            let format = try connection.first("PRAGMA user_version") { (row) throws(DeviceError) in row.integer(0) }
            guard format == DeviceSchema.format else { throw .damaged("folio.sqlite has no known format") }
            _ = try DeviceRow.read(connection, seal)
            guard !connection.isReadOnly else {
                throw .failed(.unavailable, "folio.sqlite cannot be written; check its permissions.")
            }
            connection.setCheckpointOnClose(true)
            return (connection, seal)
        }
    }

    /// Closes the connection; later calls fail.
    public func close() { connection = nil }

    /// Commits made over this connection.
    public private(set) var commits = 0

    /// Whether the directory holds a database (looked at with `stat` only). A WAL with content but no database counts:
    /// opening then fails as damaged, and nothing is made in its place.
    public static func exists(in directory: DirectoryIdentity) throws(StorageFailure) -> Bool {
        if try FileSystem.size(of: directory.path(of: fileName)) != nil { return true }
        return try FileSystem.size(of: directory.path(of: fileName + "-wal")) ?? 0 > 0
    }

    /// Makes the database with its first intent: complete under a temporary name, then renamed. Under the process lock.
    /// A failure leaves no database; a key file that was made stays and is used by the next try.
    public static func create(
        in directory: DirectoryIdentity, hostKey: [UInt8]?, deviceId: String, intent: Intent
    ) throws(DeviceError) {
        try FileSizeSignal.blocked { () throws(DeviceError) in
            guard try storage({ () throws(StorageFailure) in try !exists(in: directory) }) else {
                throw .failed(.superseded, "Another process made folio.sqlite meanwhile.")
            }
            let temporary = directory.path(of: "folio.sqlite.new")
            let final = directory.path(of: fileName)
            let leftovers = [temporary, temporary + "-wal", temporary + "-shm", temporary + "-journal"]
            func removeLeftovers() throws(StorageFailure) {
                for path in leftovers { try FileSystem.remove(path) }
            }
            try storage(removeLeftovers)
            let key = try storage { () throws(StorageFailure) in try StorageKey.create(directory, hostKey: hostKey) }
            do throws(DeviceError) {
                try storage { () throws(StorageFailure) in try FileSystem.create(temporary) }
                try fill(temporary, Seal(key: key), deviceId: deviceId, intent: intent)
                try storage { () throws(StorageFailure) in
                    guard try FileSystem.size(of: temporary + "-wal") == nil else {
                        throw StorageFailure(.unavailable, "folio.sqlite could not be completed; try again.")
                    }
                    try FileSystem.syncFile(temporary)
                    // A shared-memory file of a database that is gone must not meet the new one.
                    for suffix in ["-wal", "-shm"] { try FileSystem.remove(final + suffix) }
                    try FileSystem.rename(temporary, to: final)
                }
            } catch {
                try? removeLeftovers()
                throw error
            }
            try storage { () throws(StorageFailure) in
                do throws(StorageFailure) {
                    try FileSystem.syncDirectory(directory.path)
                } catch {
                    try? FileSystem.remove(final)
                    throw error
                }
            }
        }
    }

    private static func fill(_ path: String, _ seal: Seal, deviceId: String, intent: Intent) throws(DeviceError) {
        let connection = try Connection(path: path, busyTimeout: 0)
        // Nobody sees this file before it is complete, so it needs no journal.
        try connection.execute("PRAGMA journal_mode=OFF; PRAGMA user_version=\(DeviceSchema.format)")
        try connection.transaction { () throws(DeviceError) in
            try connection.execute(DeviceSchema.tables)
            let row = DeviceRow(
                deviceId: deviceId, generation: 1, state: DeviceState(intent: intent), hasRevocations: false,
                hasDeadVaults: false)
            try connection.run(
                "INSERT INTO device (id, device_id, key_check, generation, user_id, state) VALUES (1, ?1, ?2, ?3, NULL, ?4)",
                .text(deviceId), .blob(DeviceRow.sealedKeyCheck(seal, deviceId: deviceId)), .integer(row.generation),
                .blob(try row.sealedState(seal)))
        }
        let mode = try connection.first("PRAGMA journal_mode=WAL") { (row) throws(DeviceError) in row.text(0) }
        guard mode == "wal" else {
            throw .failed(.unavailable, "The data directory's file system cannot hold a WAL database; choose another directory.")
        }
    }

    private static func storage<Value>(_ body: () throws(StorageFailure) -> Value) throws(DeviceError) -> Value {
        do throws(StorageFailure) { return try body() } catch { throw .failed(error) }
    }

    private func open() throws(DeviceError) -> Connection {
        guard let connection else { throw .failed(.unavailable, "The device file has been closed.") }
        return connection
    }

    // MARK: Reading

    public func snapshot() throws(DeviceError) -> DeviceSnapshot {
        let connection = try open()
        let row = try DeviceRow.read(connection, seal)
        return DeviceSnapshot(
            deviceId: row.deviceId, generation: row.generation, notice: row.state.notice, session: row.state.session,
            intent: row.state.intent, revocations: row.hasRevocations ? try revocations(connection) : [],
            hasDeadVaults: row.hasDeadVaults)
    }

    private func revocations(_ connection: Connection) throws(DeviceError) -> [Revocation] {
        let context = Seal.context(.revocation)
        return try connection.all("SELECT id, token FROM revocation ORDER BY id") {
            (row: Statement) throws(DeviceError) -> Revocation? in
            // Revoking is a courtesy to the service: a token that cannot be read must not keep anybody out.
            guard let opened = seal.open(row.borrowed(1), context), let token = String(validating: opened, as: UTF8.self)
            else { return nil }
            return Revocation(id: row.integer(0), refreshToken: token)
        }.compactMap(\.self)
    }

    /// What the identity's vault holds and which guests wait for it. The vault of an identity that is not the saved one
    /// yet may be missing; of the saved one that is damage. Also the check that services can start.
    public func vaultSummary(for identity: Identity) throws(DeviceError) -> VaultSummary {
        let connection = try open()
        guard let userId = identity.userId else { throw .failed(.unavailable, "There is no identity to open a vault for.") }
        let vaults = VaultTable(connection, seal)
        if let summary = try vaults.summary(of: userId) { return summary }
        let isSaved = try DeviceRow.read(connection, seal).state.session?.identity.userId == userId
        guard !isSaved else { throw .damaged("The vault of the saved session is missing") }
        try vaults.verifyAll()
        return VaultSummary()
    }

    // MARK: Writing

    /// Makes one commit when the stored generation is `generation`, otherwise fails with `.superseded`; nothing is
    /// changed by a failure. Returns the new generation.
    public func write(_ write: DeviceWrite, expecting generation: Int64) throws(DeviceError) -> Int64 {
        let connection = try open()
        let new = try connection.transaction { () throws(DeviceError) -> Int64 in
            var row = try DeviceRow.read(connection, seal)
            guard row.generation == generation else {
                throw .failed(.superseded, "Another process changed the session meanwhile.")
            }
            try DeviceChange(connection, seal).apply(write, to: &row.state)
            row.generation &+= 1
            try row.save(connection, seal)
            return row.generation
        }
        commits += 1
        return new
    }

    /// Clears the notice whatever the generation is, and leaves the generation.
    public func clearNotice() throws(DeviceError) {
        let connection = try open()
        try connection.transaction { () throws(DeviceError) in
            var row = try DeviceRow.read(connection, seal)
            row.state.notice = nil
            try row.save(connection, seal)
        }
        commits += 1
    }

    /// Removes the tokens of a session that has been revoked.
    public func removeRevocation(_ id: Int64) throws(DeviceError) {
        let connection = try open()
        try connection.transaction { () throws(DeviceError) in
            try connection.run("DELETE FROM revocation WHERE id = ?1", .integer(id))
        }
        commits += 1
    }

    /// Folds the WAL into the database and empties it, so that what was deleted is in no file. False when another
    /// connection is in the way: try again later. Not counted as a commit.
    public func truncateWal() throws(DeviceError) -> Bool { try open().truncateWal() }

    /// Moves the next batch of the oldest guest that waits for this account, or removes the next batch of what has been
    /// moved, in one commit. `decide` answers for each record, in the same order.
    public func carryOverBatch(
        account userId: String, decide: ([CarryOverRecord]) -> [CarryOverDecision]
    ) throws(DeviceError) -> CarryOverStep {
        let connection = try open()
        let step = try connection.transaction { () throws(DeviceError) in
            try CarryOver(connection, seal, account: userId).batch(decide)
        }
        commits += 1
        return step
    }

    /// Removes the next batch of records of vaults that nobody owns any more. True when more remain.
    public func removeDeadBatch() throws(DeviceError) -> Bool {
        let connection = try open()
        let more = try connection.transaction { () throws(DeviceError) in
            try VaultTable(connection, seal).removeDeadBatch()
        }
        commits += 1
        return more
    }
}
