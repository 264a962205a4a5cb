import CSQLite

enum SQLValue {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    case null
}

extension SQLValue: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int64) { self = .integer(value) }
}

/// A prepared statement of a connection, which owns it. Columns count from 0, parameters from 1.
struct Statement {
    let handle: OpaquePointer
    /// SQLITE_TRANSIENT: SQLite copies the value.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    init(_ handle: OpaquePointer) { self.handle = handle }

    func finalize() { sqlite3_finalize(handle) }

    func reset() { sqlite3_reset(handle) }

    func bind(_ values: [SQLValue]) {
        for (index, value) in values.enumerated() {
            let position = Int32(clamping: index + 1)
            switch value {
            case .integer(let number): bind(position, number)
            case .text(let text): bind(position, text)
            case .blob(let bytes): bind(position, bytes)
            case .null: sqlite3_bind_null(handle, position)
            }
        }
    }

    func bind(_ position: Int32, _ number: Int64) { sqlite3_bind_int64(handle, position, number) }

    func bind(_ position: Int32, _ text: String) {
        // As a C string it always has an address; the length is told, so a zero byte is kept.
        sqlite3_bind_text(handle, position, text, Int32(clamping: text.utf8.count), Self.copied)
    }

    func bind(_ position: Int32, _ bytes: [UInt8]) {
        // An empty array may have no address, which would bind NULL.
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(handle, position, 0)
        } else {
            sqlite3_bind_blob64(handle, position, bytes, UInt64(bytes.count), Self.copied)
        }
    }

    /// `bytes` must stay as they are until the next reset or bind of this parameter.
    func bindBorrowed(_ position: Int32, _ bytes: UnsafeRawBufferPointer) {
        sqlite3_bind_blob64(handle, position, bytes.baseAddress, UInt64(bytes.count), nil)
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func text(_ column: Int32) -> String? {
        guard !isNull(column) else { return nil }
        return String(validating: borrowed(column).bindMemory(to: UInt8.self), as: UTF8.self)
    }

    func blob(_ column: Int32) -> [UInt8] { [UInt8](borrowed(column)) }

    /// The bytes of a column, valid until the next step or reset.
    func borrowed(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }
}
