public import FolioModel
import CSodium

/// The key that seals tokens and vault values: the host's own, or the one in the key file beside the database.
public struct StorageKey: Sendable {
    public static let byteCount = 32
    private static let fileName = "folio.key"
    private static let temporaryName = "folio.key.new"

    let bytes: [UInt8]

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The key of an existing database. A missing key file is an error: a new key would open nothing.
    public static func load(_ directory: DirectoryIdentity, hostKey: [UInt8]?) throws(StorageFailure) -> StorageKey {
        if let hostKey { return try checked(hostKey) }
        guard let key = try loadFile(directory) else {
            throw StorageFailure(
                .wrongKey, "folio.key is missing beside the database; put it back, or give the storage key it was made with.")
        }
        return key
    }

    /// The key for a new database: the host's, the key file that is there, or a new key file that is on the disk when
    /// this returns. Under the process lock.
    public static func create(_ directory: DirectoryIdentity, hostKey: [UInt8]?) throws(StorageFailure) -> StorageKey {
        if let hostKey { return try checked(hostKey) }
        let temporary = directory.path(of: temporaryName)
        try FileSystem.remove(temporary)
        if let key = try loadFile(directory) { return key }
        let bytes = Seal.randomBytes(byteCount)
        do {
            try FileSystem.create(temporary, holding: bytes)
            try FileSystem.rename(temporary, to: directory.path(of: fileName))
            try FileSystem.syncDirectory(directory.path)
        } catch {
            try? FileSystem.remove(temporary)
            throw error
        }
        return StorageKey(bytes)
    }

    private static func checked(_ hostKey: [UInt8]) throws(StorageFailure) -> StorageKey {
        guard hostKey.count == byteCount else {
            throw StorageFailure(.wrongKey, "The storage key must have \(byteCount) bytes.")
        }
        return StorageKey(hostKey)
    }

    private static func loadFile(_ directory: DirectoryIdentity) throws(StorageFailure) -> StorageKey? {
        guard let bytes = try FileSystem.read(directory.path(of: fileName), limit: byteCount + 1) else { return nil }
        guard bytes.count == byteCount else {
            throw StorageFailure(.damaged, "folio.key is damaged: it must have \(byteCount) bytes. Put the right file back.")
        }
        return StorageKey(bytes)
    }
}
