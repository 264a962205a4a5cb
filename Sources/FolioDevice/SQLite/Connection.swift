import CSQLite
import FolioModel
import Glibc

/// One SQLite connection with its prepared statements. Used by one thread at a time.
final class Connection {
    private let handle: OpaquePointer
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]
    private var isTunedForWriting = false
    /// Commits that succeeded.
    private(set) var commits = 0

    /// Opens an existing database; never makes one. `busyTimeout` in milliseconds.
    init(path: String, busyTimeout: Int32) throws(DeviceError) {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(
            path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let opened else { throw .failed(.unavailable, "There is no memory to open the database.") }
        guard code == SQLITE_OK else {
            let error = SQLiteError.of(opened, code)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        sqlite3_busy_timeout(handle, busyTimeout)
    }

    deinit {
        for statement in statements.values { statement.finalize() }
        FileSizeSignal.blocked { _ = sqlite3_close_v2(handle) }
    }

    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether the last connection folds the WAL into the database when it closes. Off leaves a file as it was found.
    func setCheckpointOnClose(_ checkpoints: Bool) { csqlite_set_checkpoint_on_close(handle, checkpoints ? 1 : 0) }

    /// The prepared statement, unbound and ready to step.
    func statement(_ sql: StaticString) throws(DeviceError) -> Statement {
        if let statement = statements[sql.utf8Start] { return statement }
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self), Int32(clamping: sql.utf8CodeUnitCount),
            UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code) }
        let statement = Statement(prepared)
        statements[sql.utf8Start] = statement
        return statement
    }

    /// Runs a statement to its end.
    func run(_ sql: StaticString, _ values: SQLValue...) throws(DeviceError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(values)
        while try step(statement) {}
    }

    /// The first row, read by `read`; `nil` when there is none.
    func first<Value>(
        _ sql: StaticString, _ values: SQLValue..., read: (Statement) throws(DeviceError) -> Value
    ) throws(DeviceError) -> Value? {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(values)
        return try step(statement) ? try read(statement) : nil
    }

    func all<Value>(
        _ sql: StaticString, _ values: SQLValue..., read: (Statement) throws(DeviceError) -> Value
    ) throws(DeviceError) -> [Value] {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(values)
        var rows: [Value] = []
        while try step(statement) { rows.append(try read(statement)) }
        return rows
    }

    /// Whether there is a row.
    func step(_ statement: Statement) throws(DeviceError) -> Bool {
        switch sqlite3_step(statement.handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw error(code)
        }
    }

    /// The code of a step; for callers that tell damage of one record apart.
    func stepCode(_ statement: Statement) -> Int32 { sqlite3_step(statement.handle) }

    /// Rows changed by the last statement.
    var changes: Int64 { sqlite3_changes64(handle) }

    var lastInsertedId: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs several statements that are used once.
    func execute(_ sql: String) throws(DeviceError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// One BEGIN IMMEDIATE … COMMIT; whatever fails leaves nothing changed.
    func transaction<Value>(_ body: () throws(DeviceError) -> Value) throws(DeviceError) -> Value {
        try FileSizeSignal.blocked { () throws(DeviceError) -> Value in
            if !isTunedForWriting {
                try execute("PRAGMA synchronous=FULL; PRAGMA secure_delete=ON")
                isTunedForWriting = true
            }
            do throws(DeviceError) {
                try run("BEGIN IMMEDIATE")
                let value = try body()
                try run("COMMIT")
                commits += 1
                return value
            } catch {
                // A failed COMMIT may leave the transaction open.
                if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
                throw error
            }
        }
    }

    /// Empties the WAL; false when another connection is in the way.
    func truncateWal() throws(DeviceError) -> Bool {
        try FileSizeSignal.blocked { () throws(DeviceError) -> Bool in
            let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
            if code == SQLITE_OK { return true }
            let error = error(code)
            if error == .busy { return false }
            throw error
        }
    }

    func error(_ code: Int32) -> DeviceError { SQLiteError.of(handle, code) }
}
