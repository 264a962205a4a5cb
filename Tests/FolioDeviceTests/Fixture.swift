import FolioModel
import Glibc
import Testing

@testable import FolioDevice

/// Every test of this target; one after another, because some set limits of the process.
@Suite(.serialized) struct DeviceTests {}

/// A fresh data directory, removed at the end, with a database that has had `adoptGuest` when asked for.
final class Place {
    let root: String
    let directory: DirectoryIdentity
    static let key = [UInt8](repeating: 7, count: 32)
    var hostKey: [UInt8]? = Place.key

    init() throws {
        var template = Array("/tmp/folio-device-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        directory = try DeviceDirectory.prepare(root + "/data")
    }

    deinit { remove(root) }

    func path(_ name: String) -> String { directory.path(of: name) }

    func create() throws {
        try DeviceFile.create(
            in: directory, hostKey: hostKey, deviceId: "device-1", intent: .createGuest(requestId: "r1"))
    }

    func open() throws -> DeviceFile { try DeviceFile(opening: directory, hostKey: hostKey) }

    /// A device file on which a guest with this user id is the saved session.
    func openGuest(_ userId: String = "guest-1") throws -> DeviceFile {
        try create()
        let device = try open()
        _ = try device.write(.adoptGuest(guest(userId)), expecting: 1)
        return device
    }

    func vault(now: @escaping @Sendable () -> Int64 = VaultFile.wallClock) -> VaultFile {
        VaultFile(directory: directory, hostKey: hostKey, now: now)
    }

    /// The bytes of every file, by name.
    func files() -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in names(directory.path) { files[name] = bytes(path(name)) }
        return files
    }
}

func guest(_ userId: String = "guest-1", token: String = "guest-token") -> SavedSession {
    SavedSession(identity: .transient(userId: userId), tokens: tokens(token))
}

func account(_ userId: String = "account-1", token: String = "account-token") -> SavedSession {
    SavedSession(identity: .authenticated(userId: userId, email: "ana@example.com"), tokens: tokens(token))
}

func tokens(_ name: String) -> SessionTokens {
    SessionTokens(
        accessToken: "a-" + name, refreshToken: "r-" + name, life: 3_600_000, receivedAt: 5, bootId: "boot", renewalId: "n-" + name)
}

extension DeviceFile {
    /// Makes a write on top of whatever is stored.
    func write(_ write: DeviceWrite) throws { _ = try self.write(write, expecting: snapshot().generation) }

    /// Runs the carry-over to its end; the batches it took and the last step.
    func carryOver(_ account: String, decide: ([CarryOverRecord]) -> [CarryOverDecision] = newestWins) throws -> (Int, CarryOverStep) {
        var batches = 0
        while true {
            let step = try carryOverBatch(account: account, decide: decide)
            batches += 1
            guard case .more = step else { return (batches, step) }
        }
    }
}

/// The rules of the runtime, written out here so that this target is tested alone.
func newestWins(_ records: [CarryOverRecord]) -> [CarryOverDecision] {
    records.map { record in
        if record.isDamaged { return .leave }
        guard let account = record.accountModifiedAt else {
            return record.deletedByAccount ? .keepAccountKeepGuestCopy : .takeGuest
        }
        if record.valuesAreEqual { return record.guestModifiedAt > account ? .takeGuest : .keepAccount }
        return record.guestModifiedAt > account ? .takeGuestKeepAccountCopy : .keepAccountKeepGuestCopy
    }
}

extension VaultFile {
    func put(_ key: String, _ text: String, owner: String) throws {
        try Array(text.utf8).withRawBytes { (bytes) throws(VaultFailure) in try put(key, bytes, owner: owner) }
    }

    func text(_ key: String, owner: String) throws -> String? {
        try get(key, owner: owner)?.text
    }

    /// Puts records with keys `prefix`0, `prefix`1 … whose values are their keys, in one commit.
    func putNumbered(_ prefix: String, _ count: Int, owner: String) throws {
        try apply((0..<count).map { .put(key: "\(prefix)\($0)", value: value("\(prefix)\($0)")) }, owner: owner)
    }
}

extension VaultValue {
    var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

func value(_ text: String) -> VaultValue {
    Array(text.utf8).withRawBytes { VaultValue(copying: $0) }
}

/// The reason of a device error, `nil` for busy.
func reason(_ body: () throws -> Void) -> StorageFailure.Reason? {
    do {
        try body()
        return nil
    } catch DeviceError.failed(let failure) {
        return failure.reason
    } catch let failure as StorageFailure {
        return failure.reason
    } catch VaultFailure.storage(let failure), VaultFailure.recordDamaged(let failure) {
        return failure.reason
    } catch {
        return nil
    }
}

func bytes(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&chunk, 1, chunk.count, file)
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
}

func overwrite(_ path: String, _ bytes: [UInt8]) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}

func names(_ directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
}

func remove(_ directory: String) {
    for name in names(directory) {
        let path = directory + "/" + name
        if unlink(path) != 0 { remove(path) }
    }
    rmdir(directory)
}

func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
}

/// Runs SQL over a connection of the test's own.
func sql(_ place: Place, _ text: String) throws {
    try Connection(path: place.path("folio.sqlite"), busyTimeout: 1_000).execute(text)
}

func query(_ place: Place, _ text: StaticString) throws -> [UInt8] {
    try Connection(path: place.path("folio.sqlite"), busyTimeout: 1_000).first(text) { (row) throws(DeviceError) in
        row.blob(0)
    } ?? []
}

/// Runs `body` with files limited to `bytes`. The limit is the process's: only in an exit test.
func withFileSizeLimit<Value>(_ bytes: UInt, _ body: () throws -> Value) rethrows -> Value {
    var before = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
    var limited = before
    limited.rlim_cur = bytes
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limited)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before) }
    return try body()
}

func contains(_ content: [UInt8], _ part: [UInt8]) -> Bool {
    guard let first = part.first, content.count >= part.count else { return false }
    return content.withUnsafeBufferPointer { content in
        part.withUnsafeBufferPointer { part in
            (0...(content.count - part.count)).contains { start in
                content[start] == first && content[start..<(start + part.count)].elementsEqual(part)
            }
        }
    }
}
