import FolioModel

/// A row of the table `vault` whose owner has been verified.
struct VaultRow {
    let id: Int64
    let vaultId: [UInt8]
    var recordCount: Int64
    var bytes: Int64
    var conflictCount: Int64

    static func ownerContext(_ vaultId: [UInt8], _ owner: String) -> [UInt8] {
        Seal.context(.vaultOwner, vaultId, Array(owner.utf8))
    }

    /// The associated data of a value: it opens in this vault, at this key, with this time and nowhere else.
    func context(_ purpose: Seal.Purpose, key: UnsafeRawBufferPointer, modifiedAt: Int64) -> [UInt8] {
        var context: [UInt8] = []
        context.reserveCapacity(1 + vaultId.count + 8 + key.count)
        context.append(purpose.rawValue)
        context.append(contentsOf: vaultId)
        Seal.append(UInt64(bitPattern: modifiedAt), to: &context)
        context.append(contentsOf: key)
        return context
    }

    func context(_ purpose: Seal.Purpose, key: [UInt8], modifiedAt: Int64) -> [UInt8] {
        key.withUnsafeBytes { context(purpose, key: $0, modifiedAt: modifiedAt) }
    }
}

/// Who owns which vault, and which vaults wait or are dead. Inside a transaction of the caller.
struct VaultTable {
    private static let vaultIdBytes = 16
    private let connection: Connection
    private let seal: Seal

    init(_ connection: Connection, _ seal: Seal) {
        self.connection = connection
        self.seal = seal
    }

    // MARK: Finding

    /// The living vault of an owner; fails as damaged when the row was not made for that owner.
    func find(_ owner: String) throws(DeviceError) -> VaultRow? {
        try connection.first(
            """
            SELECT id, vault_id, owner_tag, record_count, bytes, conflict_count, owner
            FROM vault WHERE owner = ?1 AND dead = 0
            """, .text(owner), read: verified)
    }

    func find(id: Int64) throws(DeviceError) -> VaultRow? {
        try connection.first(
            """
            SELECT id, vault_id, owner_tag, record_count, bytes, conflict_count, owner
            FROM vault WHERE id = ?1 AND dead = 0
            """, .integer(id), read: verified)
    }

    /// Fails as damaged when any living vault was not made for its owner: its true owner would miss it.
    func verifyAll() throws(DeviceError) {
        _ = try connection.all(
            "SELECT id, vault_id, owner_tag, record_count, bytes, conflict_count, owner FROM vault WHERE dead = 0",
            read: verified)
    }

    private func verified(_ columns: Statement) throws(DeviceError) -> VaultRow {
        let vaultId = columns.blob(1)
        guard let owner = columns.text(6),
            seal.open(columns.borrowed(2), VaultRow.ownerContext(vaultId, owner)) == []
        else { throw .damaged("A vault does not belong to the identity it stands under") }
        return VaultRow(
            id: columns.integer(0), vaultId: vaultId, recordCount: columns.integer(3), bytes: columns.integer(4),
            conflictCount: columns.integer(5))
    }

    func summary(of owner: String) throws(DeviceError) -> VaultSummary? {
        guard let vault = try find(owner) else { return nil }
        var summary = VaultSummary(
            recordCount: vault.recordCount, bytes: vault.bytes, conflictCount: vault.conflictCount)
        _ = try connection.first(
            "SELECT count(*), ifnull(sum(moved), 0), ifnull(sum(total), 0) FROM carry_over WHERE account = ?1", .text(owner)
        ) { (row) throws(DeviceError) in
            summary.waitingGuests = row.integer(0)
            summary.moved = row.integer(1)
            summary.total = row.integer(2)
        }
        return summary
    }

    // MARK: Owners

    /// Makes the vault of an identity that becomes the current one, when it is missing. One that waits to be carried
    /// over can be written again from now on, so its carry-over begins anew.
    func open(for owner: String) throws(DeviceError) {
        if let vault = try find(owner) { return try restartCarryOver(of: vault) }
        try verifyAll()
        let vaultId = Seal.randomBytes(Self.vaultIdBytes)
        try connection.run(
            "INSERT INTO vault (vault_id, owner, owner_tag) VALUES (?1, ?2, ?3)",
            .blob(vaultId), .text(owner), .blob(seal.seal([], VaultRow.ownerContext(vaultId, owner))))
    }

    private func restartCarryOver(of vault: VaultRow) throws(DeviceError) {
        try connection.run(
            "UPDATE carry_over SET phase = 0, cursor = NULL, moved = 0, damaged = 0, total = ?2 WHERE guest_vault = ?1",
            .integer(vault.id), .integer(vault.recordCount))
        try connection.run("DELETE FROM left_record WHERE vault = ?1", .integer(vault.id))
    }

    /// The service knows the guest by another user id now: vault and guests waiting for it follow.
    func changeOwner(from old: String?, to new: String) throws(DeviceError) {
        guard let old, old != new, let vault = try find(old) else { return try open(for: new) }
        if try find(new) != nil {
            // Both hold records; neither may be lost.
            try handOver(from: old, to: new)
            return try open(for: new)
        }
        try connection.run(
            "UPDATE vault SET owner = ?2, owner_tag = ?3 WHERE id = ?1", .integer(vault.id), .text(new),
            .blob(seal.seal([], VaultRow.ownerContext(vault.vaultId, new))))
        try redirectGuests(from: old, to: new)
    }

    // MARK: Leaving

    /// A guest's vault waits for the account from now on; an empty one is dead. Guests that wait for this guest wait for
    /// the account as well, with what was deleted meanwhile.
    func handOver(from guest: String, to account: String) throws(DeviceError) {
        guard let vault = try find(guest) else { return }
        try open(for: account)
        guard let target = try find(account) else { return }
        try redirectGuests(from: guest, to: account)
        try connection.run(
            "INSERT OR IGNORE INTO deletion (vault, key) SELECT ?2, key FROM deletion WHERE vault = ?1",
            .integer(vault.id), .integer(target.id))
        try connection.run("DELETE FROM deletion WHERE vault = ?1", .integer(vault.id))
        let waits = try carryOverWaits(of: vault)
        if vault.recordCount == 0 && vault.conflictCount == 0 && !waits { return try bury(vault.id) }
        try connection.run("DELETE FROM left_record WHERE vault = ?1", .integer(vault.id))
        try connection.run(
            """
            INSERT INTO carry_over (guest_vault, account, tag, total) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (guest_vault) DO UPDATE SET account = excluded.account, tag = excluded.tag, phase = 0,
                cursor = NULL, moved = 0, total = excluded.total, damaged = 0
            """,
            .integer(vault.id), .text(account), .blob(carryOverTag(vault, account)), .integer(vault.recordCount))
    }

    /// A guest signed out: its vault is dead unless records of it, or of guests that wait for it, are still to be moved.
    func leaveGuest(_ guest: String) throws(DeviceError) {
        guard let vault = try find(guest) else { return }
        let isNeeded = try connection.first(
            "SELECT 1 FROM carry_over WHERE guest_vault = ?1 OR account = ?2 LIMIT 1", .integer(vault.id), .text(guest)
        ) { (_) throws(DeviceError) in true }
        if isNeeded != true { try bury(vault.id) }
    }

    /// An account is no more: its vault is dead, and so are those of the guests that waited for it.
    func kill(_ account: String) throws(DeviceError) {
        if let vault = try find(account) { try bury(vault.id) }
        try connection.run(
            "UPDATE vault SET dead = 1 WHERE id IN (SELECT guest_vault FROM carry_over WHERE account = ?1)", .text(account))
        try connection.run("DELETE FROM carry_over WHERE account = ?1", .text(account))
    }

    /// An empty vault goes at once; one that holds something is dead and removed in batches.
    private func bury(_ vault: Int64) throws(DeviceError) {
        let holdsSomething = try connection.first(
            """
            SELECT EXISTS (SELECT 1 FROM record WHERE vault = ?1) OR EXISTS (SELECT 1 FROM conflict WHERE vault = ?1)
            """, .integer(vault)
        ) { (row) throws(DeviceError) in row.integer(0) != 0 } ?? true
        guard holdsSomething else { return try removeEmpty(vault) }
        try connection.run("UPDATE vault SET dead = 1 WHERE id = ?1", .integer(vault))
    }

    private func removeEmpty(_ vault: Int64) throws(DeviceError) {
        try connection.run("DELETE FROM deletion WHERE vault = ?1", .integer(vault))
        try connection.run("DELETE FROM left_record WHERE vault = ?1", .integer(vault))
        try connection.run("DELETE FROM carry_over WHERE guest_vault = ?1", .integer(vault))
        try connection.run("DELETE FROM vault WHERE id = ?1", .integer(vault))
    }

    private func carryOverWaits(of vault: VaultRow) throws(DeviceError) -> Bool {
        try connection.first("SELECT 1 FROM carry_over WHERE guest_vault = ?1", .integer(vault.id)) {
            (_) throws(DeviceError) in true
        } ?? false
    }

    private func redirectGuests(from old: String, to new: String) throws(DeviceError) {
        let waiting = try connection.all("SELECT id, guest_vault FROM carry_over WHERE account = ?1", .text(old)) {
            (row) throws(DeviceError) in (row.integer(0), row.integer(1))
        }
        for (id, guestVault) in waiting {
            guard let vault = try find(id: guestVault) else { throw .damaged("A waiting guest's vault is missing") }
            try connection.run(
                "UPDATE carry_over SET account = ?2, tag = ?3 WHERE id = ?1", .integer(id), .text(new),
                .blob(carryOverTag(vault, new)))
        }
    }

    // MARK: Carry-over tags

    private func carryOverContext(_ guest: VaultRow, _ account: String) -> [UInt8] {
        Seal.context(.carryOver, guest.vaultId, Array(account.utf8))
    }

    private func carryOverTag(_ guest: VaultRow, _ account: String) -> [UInt8] {
        seal.seal([], carryOverContext(guest, account))
    }

    func verify(carryOverTag tag: [UInt8], _ guest: VaultRow, _ account: String) throws(DeviceError) {
        guard seal.open(tag, carryOverContext(guest, account)) == [] else {
            throw .damaged("A carry-over does not belong to the account it stands under")
        }
    }

    // MARK: Removing

    /// Removes a batch of the first dead vault; true when more remains.
    func removeDeadBatch() throws(DeviceError) -> Bool {
        let dead = try connection.first("SELECT id FROM vault WHERE dead <> 0 LIMIT 1") {
            (row) throws(DeviceError) in row.integer(0)
        }
        guard let dead else { return false }
        if try removeRecords(of: dead) { return true }
        let conflicts = try connection.all(
            "SELECT id, size FROM conflict WHERE vault = ?1 ORDER BY id LIMIT ?2", .integer(dead),
            .integer(Int64(VaultLimits.batchRecords))
        ) { (row) throws(DeviceError) in (row.integer(0), row.integer(1)) }
        if !conflicts.isEmpty {
            var budget = BatchBudget()
            for (id, size) in conflicts {
                try connection.run("DELETE FROM conflict WHERE id = ?1", .integer(id))
                if !budget.spend(size) { break }
            }
            return true
        }
        try removeEmpty(dead)
        return try connection.first("SELECT 1 FROM vault WHERE dead <> 0 LIMIT 1") { (_) throws(DeviceError) in true } ?? false
    }

    private func removeRecords(of vault: Int64) throws(DeviceError) -> Bool {
        let records = try connection.all(
            "SELECT key, size FROM record WHERE vault = ?1 ORDER BY key LIMIT ?2", .integer(vault),
            .integer(Int64(VaultLimits.batchRecords))
        ) { (row) throws(DeviceError) in (row.blob(0), row.integer(1)) }
        var budget = BatchBudget()
        for (key, size) in records {
            try connection.run("DELETE FROM record WHERE vault = ?1 AND key = ?2", .integer(vault), .blob(key))
            if !budget.spend(size) { break }
        }
        return !records.isEmpty
    }
}

/// The size of a batch: it ends at so many records or bytes, whichever comes first, and holds at least one record.
struct BatchBudget {
    private var records = VaultLimits.batchRecords
    private var bytes = Int64(VaultLimits.batchBytes)

    /// Whether another record may follow.
    mutating func spend(_ size: Int64) -> Bool {
        records -= 1
        bytes -= min(max(size, 0), bytes)
        return records > 0 && bytes > 0
    }
}
