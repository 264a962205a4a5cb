import FolioModel

/// Changes records of one vault and keeps its counters. Inside a transaction of the caller, ended by `saveCounters`.
final class VaultWriter {
    private let connection: Connection
    private let seal: Seal
    private(set) var vault: VaultRow
    /// Whether a guest waits for this vault, so that deletions must be remembered.
    private let hasWaitingGuests: Bool
    private var hasChanged = false
    private var scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)

    init(_ connection: Connection, _ seal: Seal, _ vault: VaultRow, hasWaitingGuests: Bool) {
        self.connection = connection
        self.seal = seal
        self.vault = vault
        self.hasWaitingGuests = hasWaitingGuests
    }

    deinit { scratch.deallocate() }

    func put(
        key: UnsafeRawBufferPointer, modifiedAt: Int64, value: UnsafeRawBufferPointer
    ) throws(DeviceError) {
        let sealed = sealed(value, vault.context(.record, key: key, modifiedAt: modifiedAt))
        let size = Int64(value.count)
        hasChanged = true
        let insert = try connection.statement(
            """
            INSERT INTO record (vault, key, modified_at, size, value) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT DO NOTHING
            """)
        if try change(insert, key, modifiedAt, size, sealed) {
            vault.recordCount = vault.recordCount.addingClamped(1)
            vault.bytes = vault.bytes.addingClamped(size)
        } else {
            vault.bytes = vault.bytes.addingClamped(size).subtractingClamped(try self.size(of: key) ?? 0)
            let update = try connection.statement(
                "UPDATE record SET modified_at = ?3, size = ?4, value = ?5 WHERE vault = ?1 AND key = ?2")
            _ = try change(update, key, modifiedAt, size, sealed)
        }
        if hasWaitingGuests { try withKey("DELETE FROM deletion WHERE vault = ?1 AND key = ?2", key) }
    }

    func put(key: [UInt8], modifiedAt: Int64, value: [UInt8]) throws(DeviceError) {
        try key.withRawBytes { (key) throws(DeviceError) in
            try value.withRawBytes { (value) throws(DeviceError) in
                try put(key: key, modifiedAt: modifiedAt, value: value)
            }
        }
    }

    /// Whether there was such a record.
    func delete(key: UnsafeRawBufferPointer) throws(DeviceError) -> Bool {
        guard let size = try size(of: key) else { return false }
        hasChanged = true
        try withKey("DELETE FROM record WHERE vault = ?1 AND key = ?2", key)
        vault.recordCount = vault.recordCount.subtractingClamped(1)
        vault.bytes = vault.bytes.subtractingClamped(size)
        if hasWaitingGuests { try withKey("INSERT OR IGNORE INTO deletion (vault, key) VALUES (?1, ?2)", key) }
        return true
    }

    func addConflict(carryOver: Int64, key: [UInt8], modifiedAt: Int64, value: [UInt8]) throws(DeviceError) {
        let size = Int64(value.count)
        let context = vault.context(.conflict, key: key, modifiedAt: modifiedAt)
        // A carry-over that began anew meets the same value again.
        let known = try connection.all(
            """
            SELECT value FROM conflict
            WHERE vault = ?1 AND key = ?2 AND carry_over = ?3 AND modified_at = ?4 AND size = ?5
            """, .integer(vault.id), .blob(key), .integer(carryOver), .integer(modifiedAt), .integer(size)
        ) { (row) throws(DeviceError) in seal.open(row.borrowed(0), context) == value }
        guard !known.contains(true) else { return }
        try connection.run(
            "INSERT INTO conflict (vault, carry_over, key, modified_at, size, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            .integer(vault.id), .integer(carryOver), .blob(key), .integer(modifiedAt), .integer(size),
            .blob(seal.seal(value, context)))
        hasChanged = true
        vault.conflictCount = vault.conflictCount.addingClamped(1)
    }

    func removeConflict(_ id: Int64) throws(DeviceError) {
        try connection.run("DELETE FROM conflict WHERE id = ?1 AND vault = ?2", .integer(id), .integer(vault.id))
        hasChanged = true
        vault.conflictCount = vault.conflictCount.subtractingClamped(connection.changes)
    }

    func saveCounters() throws(DeviceError) {
        guard hasChanged else { return }
        try connection.run(
            "UPDATE vault SET record_count = ?2, bytes = ?3, conflict_count = ?4 WHERE id = ?1", .integer(vault.id),
            .integer(vault.recordCount), .integer(vault.bytes), .integer(vault.conflictCount))
    }

    private func size(of key: UnsafeRawBufferPointer) throws(DeviceError) -> Int64? {
        let statement = try connection.statement("SELECT size FROM record WHERE vault = ?1 AND key = ?2")
        defer { statement.reset() }
        statement.bind(1, vault.id)
        statement.bindBorrowed(2, key)
        return try connection.step(statement) ? statement.integer(0) : nil
    }

    private func withKey(_ sql: StaticString, _ key: UnsafeRawBufferPointer) throws(DeviceError) {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        statement.bind(1, vault.id)
        statement.bindBorrowed(2, key)
        _ = try connection.step(statement)
    }

    /// Whether the statement changed a row.
    private func change(
        _ statement: Statement, _ key: UnsafeRawBufferPointer, _ modifiedAt: Int64, _ size: Int64,
        _ sealed: UnsafeRawBufferPointer
    ) throws(DeviceError) -> Bool {
        defer { statement.reset() }
        statement.bind(1, vault.id)
        statement.bindBorrowed(2, key)
        statement.bind(3, modifiedAt)
        statement.bind(4, size)
        statement.bindBorrowed(5, sealed)
        _ = try connection.step(statement)
        return connection.changes > 0
    }

    /// Valid until the next value is sealed.
    private func sealed(_ value: UnsafeRawBufferPointer, _ context: [UInt8]) -> UnsafeRawBufferPointer {
        let count = value.count + Seal.overhead
        if scratch.count < count {
            scratch.deallocate()
            scratch = .allocate(byteCount: count, alignment: 16)
        }
        let sealed = UnsafeMutableRawBufferPointer(rebasing: scratch[..<count])
        seal.seal(value, context, into: sealed)
        return UnsafeRawBufferPointer(sealed)
    }
}
