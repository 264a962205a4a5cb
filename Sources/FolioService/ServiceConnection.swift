import CSodium
import FolioModel
import Synchronization

/// One connection to the service's file, opened when it is first used and closed with this value.
/// Unchecked: `open` is touched inside `mutex` alone, and never leaves it.
final class ServiceConnection: @unchecked Sendable {
    struct Open {
        let database: SqliteDatabase
        let hashes: ServiceHashes
    }

    private let directory: String
    private let busyTimeoutMs: Int32
    private let environment: ServiceEnvironment
    private let mutex = Mutex(())
    private var open: Open?

    init(directory: String, busyTimeoutMs: Int32, environment: ServiceEnvironment) {
        self.directory = directory
        self.busyTimeoutMs = busyTimeoutMs
        self.environment = environment
    }

    var commits: Int { mutex.withLock { _ in open?.database.commits ?? 0 } }

    func use<Value: Sendable>(_ body: (Open) throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        try mutex.withLock { _ throws(DatabaseError) -> Value in
            try withFileSizeSignalBlocked { () throws(DatabaseError) -> Value in
                do throws(DatabaseError) {
                    let used: Open
                    if let open { used = open } else { used = try connect() }
                    open = used
                    return try body(used)
                } catch {
                    // A file that failed is opened anew the next time: it may have been mended.
                    if case .failed = error { open = nil }
                    throw error
                }
            }
        }
    }

    private func connect() throws(DatabaseError) -> Open {
        guard sodium_init() >= 0 else {
            throw .failed(StorageFailure(.unavailable, "The system gives no random numbers; check /dev/urandom."))
        }
        let database = try SqliteDatabase(
            directory: directory, busyTimeoutMs: busyTimeoutMs, newSecret: environment.newToken())
        guard let key = try database.rows(ServiceSchema.selectSecret, []).first?[0].text, key.utf8.count == 64 else {
            throw .failed(
                StorageFailure(
                    .damaged, "The service's file is damaged and was left as it is; restore or remove service.sqlite."))
        }
        return Open(database: database, hashes: ServiceHashes(key: key))
    }
}
