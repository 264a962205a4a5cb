import CSQLite
import FolioModel
import Glibc

/// `service.sqlite`. One connection, used by one thread at a time.
final class SqliteDatabase: ServiceDatabase {
    private let handle: OpaquePointer
    /// Commits that wrote something, the making of the tables left out.
    private(set) var commits = 0

    /// Opens the file in `directory`; makes it complete when it is missing, also while another process does the same.
    init(directory: String, busyTimeoutMs: Int32, newSecret: String) throws(DatabaseError) {
        let path = directory + "/service.sqlite"
        mkdir(directory, 0o700)
        // Made without being opened: closing a descriptor of it would drop the locks of the process's other connections.
        mknod(path, S_IFREG | 0o600, 0)
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened, code == SQLITE_OK else {
            let error = Self.error(code, opened)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        sqlite3_busy_timeout(handle, busyTimeoutMs)
        try prepare(newSecret: newSecret)
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    private func prepare(newSecret: String) throws(DatabaseError) {
        _ = try rows("PRAGMA journal_mode = WAL", [])
        _ = try rows("PRAGMA synchronous = FULL", [])
        _ = try rows("PRAGMA secure_delete = ON", [])
        guard try version() == 0 else { return try requireKnownVersion() }
        try transaction { () throws(DatabaseError) in
            // Another process may have made the tables meanwhile.
            guard try version() == 0 else { return }
            for statement in ServiceSchema.statements { try run(statement, []) }
            try run(ServiceSchema.insertSecret, [.text(newSecret)])
            try run("PRAGMA user_version = \(ServiceSchema.version)", [])
        }
        commits = 0
        try requireKnownVersion()
    }

    private func version() throws(DatabaseError) -> Int64 {
        try rows("PRAGMA user_version", []).first?.first?.integer ?? 0
    }

    private func requireKnownVersion() throws(DatabaseError) {
        guard try version() == ServiceSchema.version else {
            throw .failed(
                StorageFailure(.unavailable, "The service's file was written by a newer version of Folio; update Folio."))
        }
    }

    func rows(_ sql: String, _ values: [SqlValue]) throws(DatabaseError) -> [[SqlValue]] {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() {
            let place = sqlite3_bind_parameter_index(statement, "$\(index + 1)")
            switch value {
            case .null: try check(sqlite3_bind_null(statement, place))
            case .integer(let number): try check(sqlite3_bind_int64(statement, place, number))
            case .text(let text):
                // SQLITE_TRANSIENT: SQLite copies the text.
                let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                try check(sqlite3_bind_text(statement, place, text, Int32(clamping: text.utf8.count), copied))
            }
        }
        var rows: [[SqlValue]] = []
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return rows }
            guard code == SQLITE_ROW else { throw Self.error(code, handle) }
            rows.append((0..<sqlite3_column_count(statement)).map { column(statement, $0) })
        }
    }

    @discardableResult
    func run(_ sql: String, _ values: [SqlValue]) throws(DatabaseError) -> Int {
        let before = sqlite3_total_changes64(handle)
        _ = try rows(sql, values)
        let changed = Int(sqlite3_total_changes64(handle) - before)
        if changed > 0, sqlite3_get_autocommit(handle) != 0 { commits += 1 }
        return changed
    }

    func transaction<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        let before = sqlite3_total_changes64(handle)
        _ = try rows("BEGIN IMMEDIATE", [])
        do {
            let value = try body()
            _ = try rows("COMMIT", [])
            if sqlite3_total_changes64(handle) != before { commits += 1 }
            return value
        } catch {
            // Some errors have undone the transaction already.
            if sqlite3_get_autocommit(handle) == 0 { _ = try? rows("ROLLBACK", []) }
            throw error
        }
    }

    private func column(_ statement: OpaquePointer?, _ index: Int32) -> SqlValue {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, index))
        case SQLITE_NULL: .null
        default: sqlite3_column_text(statement, index).map { .text(String(cString: $0)) } ?? .null
        }
    }

    private func check(_ code: Int32) throws(DatabaseError) {
        if code != SQLITE_OK { throw Self.error(code, handle) }
    }

    private static func error(_ code: Int32, _ handle: OpaquePointer?) -> DatabaseError {
        let reason: StorageFailure.Reason
        let message: String
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .busy
        case SQLITE_IOERR where [ENOSPC, EFBIG, EDQUOT].contains(sqlite3_system_errno(handle)), SQLITE_FULL:
            reason = .full
            message = "The disk or the file size limit is reached; free some space and try again."
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            reason = .damaged
            message = "The service's file is damaged and was left as it is; restore or remove service.sqlite."
        default:
            reason = .unavailable
            message = "The service's file cannot be used (SQLite error \(code)); check the directory's permissions."
        }
        return .failed(StorageFailure(reason, message))
    }
}
