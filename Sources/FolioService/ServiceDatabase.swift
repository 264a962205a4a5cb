import FolioModel

/// A value of a row. Hashes are kept as hexadecimal text.
enum SqlValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)

    var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    var text: String? {
        guard case .text(let value) = self else { return nil }
        return value
    }
}

enum DatabaseError: Error {
    /// Somebody else writes right now; nothing changed.
    case busy
    case failed(StorageFailure)
}

/// The database under the service, which speaks plain SQL alone: TEXT and BIGINT, `$1` for the first value.
protocol ServiceDatabase {
    func rows(_ sql: String, _ values: [SqlValue]) throws(DatabaseError) -> [[SqlValue]]
    /// How many rows it changed.
    @discardableResult
    func run(_ sql: String, _ values: [SqlValue]) throws(DatabaseError) -> Int
    /// One commit, alone among the writers; an error undoes all.
    func transaction<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value
}
