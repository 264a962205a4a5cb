import CSQLite
import FolioModel

/// The connection of a `VaultFile`, used under its mutex.
final class VaultSession {
    private let connection: Connection
    private let seal: Seal
    /// The owner row verified last; the same bytes need not be verified again.
    private var verified: (owner: String, vaultId: [UInt8], tag: [UInt8])?

    init(_ directory: DirectoryIdentity, hostKey: [UInt8]?, busyTimeout: Int32) throws(DeviceError) {
        (connection, seal) = try DeviceFile.open(directory, hostKey: hostKey, busyTimeout: busyTimeout)
    }

    // MARK: The owner

    /// Runs `body` in the read transaction in which the owner has been compared: the open row holds it.
    func reading<Value>(
        _ owner: String, _ body: (VaultRow) throws(DeviceError) -> Result<Value, VaultFailure>
    ) throws(DeviceError) -> Result<Value, VaultFailure> {
        let statement = try ownerStatement(owner)
        defer { statement.reset() }
        guard try connection.step(statement) else { return .failure(.notRunning) }
        return try body(try row(statement, owner))
    }

    func writing<Value>(
        _ owner: String, _ body: (VaultWriter) throws(DeviceError) -> Result<Value, VaultFailure>
    ) throws(DeviceError) -> Result<Value, VaultFailure> {
        try connection.transaction { () throws(DeviceError) in
            guard let writer = try writer(owner) else { return .failure(.notRunning) }
            let result = try body(writer)
            try writer.saveCounters()
            return result
        }
    }

    private func writer(_ owner: String) throws(DeviceError) -> VaultWriter? {
        let statement = try ownerStatement(owner)
        defer { statement.reset() }
        guard try connection.step(statement) else { return nil }
        return VaultWriter(
            connection, seal, try row(statement, owner), hasWaitingGuests: statement.integer(6) != 0)
    }

    private func ownerStatement(_ owner: String) throws(DeviceError) -> Statement {
        let statement = try connection.statement(
            """
            SELECT v.id, v.vault_id, v.owner_tag, v.record_count, v.bytes, v.conflict_count,
                EXISTS (SELECT 1 FROM carry_over WHERE account = d.user_id)
            FROM device d LEFT JOIN vault v ON v.owner = d.user_id AND v.dead = 0
            WHERE d.id = 1 AND d.user_id = ?1
            """)
        statement.bind(1, owner)
        return statement
    }

    private func row(_ statement: Statement, _ owner: String) throws(DeviceError) -> VaultRow {
        guard !statement.isNull(0) else { throw .damaged("The vault of the saved session is missing") }
        let vaultId = statement.borrowed(1)
        let tag = statement.borrowed(2)
        let known: [UInt8]
        if let verified, verified.owner == owner, verified.vaultId.elementsEqual(vaultId), verified.tag.elementsEqual(tag) {
            known = verified.vaultId
        } else {
            known = [UInt8](vaultId)
            guard seal.open(tag, VaultRow.ownerContext(known, owner)) == [] else {
                throw .damaged("The vault does not belong to the identity it stands under")
            }
            verified = (owner, known, [UInt8](tag))
        }
        return VaultRow(
            id: statement.integer(0), vaultId: known, recordCount: statement.integer(3), bytes: statement.integer(4),
            conflictCount: statement.integer(5))
    }

    // MARK: Records

    private static let damagedRecord = VaultFailure.recordDamaged(
        StorageFailure(.recordDamaged, "This record is damaged and cannot be opened; write it again or delete it."))

    func get(_ key: [UInt8], _ vault: VaultRow) throws(DeviceError) -> Result<VaultValue?, VaultFailure> {
        let statement = try connection.statement("SELECT modified_at, value FROM record WHERE vault = ?1 AND key = ?2")
        defer { statement.reset() }
        statement.bind(1, vault.id)
        statement.bind(2, key)
        switch connection.stepCode(statement) {
        case SQLITE_DONE: return .success(nil)
        case SQLITE_ROW: return open(statement, valueColumn: 1, .record, key: key, modifiedAt: statement.integer(0), vault).map(\.self)
        // The owner row could be read, so the damage is of this record's pages.
        case let code where code & 0xFF == SQLITE_CORRUPT: return .failure(Self.damagedRecord)
        case let code: throw connection.error(code)
        }
    }

    private func open(
        _ statement: Statement, valueColumn: Int32, _ purpose: Seal.Purpose, key: [UInt8], modifiedAt: Int64, _ vault: VaultRow
    ) -> Result<VaultValue, VaultFailure> {
        let sealed = statement.borrowed(valueColumn)
        guard sealed.count >= Seal.overhead else { return .failure(Self.damagedRecord) }
        let value = VaultValue(count: sealed.count - Seal.overhead, modifiedAt: modifiedAt)
        let context = vault.context(purpose, key: key, modifiedAt: modifiedAt)
        return seal.open(sealed, context, into: value.writable) ? .success(value) : .failure(Self.damagedRecord)
    }

    func count(_ range: KeyRange, _ vault: VaultRow) throws(DeviceError) -> Int64 {
        try connection.first(
            "SELECT count(*) FROM record WHERE vault = ?1 AND key >= ?2 AND key < ?3", .integer(vault.id),
            .blob(range.lower), .blob(range.upper)
        ) { (row) throws(DeviceError) in row.integer(0) } ?? 0
    }

    func list(_ range: KeyRange, _ limit: Int64, _ vault: VaultRow) throws(DeviceError) -> [VaultEntry] {
        try connection.all(
            """
            SELECT key, modified_at, size FROM record WHERE vault = ?1 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT ?4
            """, .integer(vault.id), .blob(range.lower), .blob(range.upper), .integer(limit)
        ) { (row) throws(DeviceError) in
            guard let key = String(validating: row.borrowed(0).bindMemory(to: UInt8.self), as: UTF8.self) else {
                throw .damaged("A key of the vault cannot be read")
            }
            return VaultEntry(key: key, modifiedAt: row.integer(1), size: row.integer(2))
        }
    }

    // MARK: Conflict copies

    func conflicts(after: Int64, _ limit: Int64, _ vault: VaultRow) throws(DeviceError) -> [VaultConflict] {
        try connection.all(
            "SELECT id, key, modified_at, size FROM conflict WHERE vault = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            .integer(vault.id), .integer(after), .integer(limit)
        ) { (row) throws(DeviceError) in
            guard let key = String(validating: row.borrowed(1).bindMemory(to: UInt8.self), as: UTF8.self) else {
                throw .damaged("A key of the vault cannot be read")
            }
            return VaultConflict(id: row.integer(0), key: key, modifiedAt: row.integer(2), size: row.integer(3))
        }
    }

    func conflict(
        _ id: Int64, _ vault: VaultRow
    ) throws(DeviceError) -> Result<(key: [UInt8], value: VaultValue), VaultFailure> {
        let statement = try connection.statement(
            "SELECT key, modified_at, value FROM conflict WHERE id = ?1 AND vault = ?2")
        defer { statement.reset() }
        statement.bind(1, id)
        statement.bind(2, vault.id)
        switch connection.stepCode(statement) {
        case SQLITE_DONE: return .failure(.notFound)
        case SQLITE_ROW:
            let key = statement.blob(0)
            return open(statement, valueColumn: 2, .conflict, key: key, modifiedAt: statement.integer(1), vault)
                .map { (key, $0) }
        case let code where code & 0xFF == SQLITE_CORRUPT: return .failure(Self.damagedRecord)
        case let code: throw connection.error(code)
        }
    }
}
