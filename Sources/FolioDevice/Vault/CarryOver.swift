import CSQLite
import FolioModel

/// One batch of the carry-over of waiting guests to an account. Inside one transaction of the caller, so that a batch is
/// done whole or not at all and two processes only share the work.
struct CarryOver {
    /// What is done with a waiting guest next; the raw value of the column `phase`.
    private enum Phase: Int64 {
        case records = 0
        case conflicts = 1
        case removal = 2
        /// Done but for records that cannot be opened; a later run tries those again.
        case damaged = 3
    }

    private struct Work {
        let id: Int64
        let guest: VaultRow
        var phase: Phase
        /// The last key of records and removal.
        var lastKey: [UInt8]?
        /// The last id of conflict copies.
        var lastId: Int64 = 0
        var moved: Int64
        var damaged: Int64
    }

    private let connection: Connection
    private let seal: Seal
    private let vaults: VaultTable
    private let account: String

    init(_ connection: Connection, _ seal: Seal, account: String) {
        self.connection = connection
        self.seal = seal
        self.account = account
        vaults = VaultTable(connection, seal)
    }

    func batch(_ decide: ([CarryOverRecord]) -> [CarryOverDecision]) throws(DeviceError) -> CarryOverStep {
        let isCurrent = try connection.first("SELECT user_id FROM device WHERE id = 1") {
            (row) throws(DeviceError) in row.text(0) == account
        }
        guard isCurrent == true else { return .notCurrent }
        guard let target = try vaults.find(account) else { throw .damaged("The account's vault is missing") }
        var found = try next()
        if found == nil { found = try restarted() }
        if var work = found {
            let writer = VaultWriter(connection, seal, target, hasWaitingGuests: false)
            switch work.phase {
            case .records: try moveRecords(&work, writer, decide)
            case .conflicts: try moveConflicts(&work, writer)
            case .removal: try remove(&work)
            case .damaged: break
            }
            try writer.saveCounters()
        }
        return try report(target.id)
    }

    private func report(_ target: Int64) throws(DeviceError) -> CarryOverStep {
        guard let summary = try vaults.summary(of: account) else { throw .damaged("The account's vault is missing") }
        if summary.waitingGuests == 0 {
            try connection.run("DELETE FROM deletion WHERE vault = ?1", .integer(target))
            return .finished(summary)
        }
        return try next() == nil ? .damaged(summary) : .more(summary)
    }

    // MARK: The waiting guests

    private func next() throws(DeviceError) -> Work? {
        let row = try connection.first(
            """
            SELECT id, guest_vault, tag, phase, cursor, moved, damaged FROM carry_over
            WHERE account = ?1 AND phase <> 3 ORDER BY id LIMIT 1
            """, .text(account)
        ) { (row) throws(DeviceError) in
            (id: row.integer(0), guest: row.integer(1), tag: row.blob(2), phase: row.integer(3),
                cursorIsNull: row.isNull(4), cursor: row.blob(4), lastId: row.integer(4), moved: row.integer(5),
                damaged: row.integer(6))
        }
        guard let row else { return nil }
        guard let guest = try vaults.find(id: row.guest) else { throw .damaged("A waiting guest's vault is missing") }
        try vaults.verify(carryOverTag: row.tag, guest, account)
        guard let phase = Phase(rawValue: row.phase) else { throw .damaged("A carry-over cannot be read") }
        var work = Work(id: row.id, guest: guest, phase: phase, moved: row.moved, damaged: row.damaged)
        if !row.cursorIsNull {
            if phase == .conflicts { work.lastId = row.lastId } else { work.lastKey = row.cursor }
        }
        return work
    }

    /// Tries again what a run before this one had to leave; only such records are still with those guests.
    private func restarted() throws(DeviceError) -> Work? {
        try connection.run(
            "DELETE FROM left_record WHERE vault IN (SELECT guest_vault FROM carry_over WHERE account = ?1)", .text(account))
        try connection.run(
            "UPDATE carry_over SET phase = 0, cursor = NULL, damaged = 0 WHERE account = ?1", .text(account))
        return try next()
    }

    private func save(_ work: Work, cursor: SQLValue) throws(DeviceError) {
        try connection.run(
            "UPDATE carry_over SET phase = ?2, cursor = ?3, moved = ?4, damaged = ?5 WHERE id = ?1", .integer(work.id),
            .integer(work.phase.rawValue), cursor, .integer(work.moved), .integer(work.damaged))
    }

    private func advance(_ work: inout Work, to phase: Phase) throws(DeviceError) {
        work.phase = phase
        try save(work, cursor: .null)
    }

    // MARK: Records

    private struct Record {
        let key: [UInt8]
        let modifiedAt: Int64
        /// `nil`: cannot be opened.
        var value: [UInt8]?
        var own: (modifiedAt: Int64, value: [UInt8])?
        var described: CarryOverRecord
    }

    private func moveRecords(
        _ work: inout Work, _ writer: VaultWriter, _ decide: ([CarryOverRecord]) -> [CarryOverDecision]
    ) throws(DeviceError) {
        let keys = try nextKeys(work)
        guard let last = keys.last?.key else { return try advance(&work, to: .conflicts) }
        var records: [Record] = []
        for (key, modifiedAt, size) in keys {
            records.append(try read(key, modifiedAt, size, work.guest, writer.vault))
        }
        let decisions = decide(records.map(\.described))
        guard decisions.count == records.count else {
            throw .failed(.unavailable, "The carry-over got no decision for some records.")
        }
        for (record, decision) in zip(records, decisions) {
            try carryOut(record.described.isDamaged ? .leave : decision, record, &work, writer)
        }
        try save(work, cursor: .blob(last))
    }

    /// The keys of the next batch, with times and sizes.
    private func nextKeys(_ work: Work) throws(DeviceError) -> [(key: [UInt8], modifiedAt: Int64, size: Int64)] {
        let statement = try connection.statement(
            "SELECT key, modified_at, size FROM record WHERE vault = ?1 AND key > ?2 ORDER BY key LIMIT ?3")
        defer { statement.reset() }
        statement.bind([
            .integer(work.guest.id), .blob(work.lastKey ?? []), .integer(Int64(VaultLimits.batchRecords)),
        ])
        var keys: [(key: [UInt8], modifiedAt: Int64, size: Int64)] = []
        var budget = BatchBudget()
        while try connection.step(statement) {
            keys.append((statement.blob(0), statement.integer(1), statement.integer(2)))
            if !budget.spend(statement.integer(2)) { break }
        }
        return keys
    }

    private func read(
        _ key: [UInt8], _ modifiedAt: Int64, _ size: Int64, _ guest: VaultRow, _ target: VaultRow
    ) throws(DeviceError) -> Record {
        guard let name = String(validating: key, as: UTF8.self) else {
            return Record(
                key: key, modifiedAt: modifiedAt,
                described: CarryOverRecord(key: "", guestModifiedAt: modifiedAt, isDamaged: true))
        }
        var record = Record(
            key: key, modifiedAt: modifiedAt, described: CarryOverRecord(key: name, guestModifiedAt: modifiedAt))
        switch try open(key, guest) {
        case .opened(_, let value): record.value = value
        case .damaged, .missing: record.described.isDamaged = true
        }
        switch try open(key, target) {
        case .opened(let ownModifiedAt, let value):
            record.own = (ownModifiedAt, value)
            record.described.accountModifiedAt = ownModifiedAt
            record.described.valuesAreEqual = record.value == value
        case .damaged:
            // The account's value cannot be kept beside the guest's, so the guest's stays where it is.
            record.described.isDamaged = true
        case .missing:
            record.described.deletedByAccount = try wasDeleted(key, target)
        }
        return record
    }

    private func wasDeleted(_ key: [UInt8], _ target: VaultRow) throws(DeviceError) -> Bool {
        try connection.first(
            "SELECT 1 FROM deletion WHERE vault = ?1 AND key = ?2", .integer(target.id), .blob(key)
        ) { (_) throws(DeviceError) in true } ?? false
    }

    private enum Opened {
        case missing
        case damaged
        case opened(modifiedAt: Int64, value: [UInt8])
    }

    /// Damage of a page with this value is damage of this record alone.
    private func open(_ key: [UInt8], _ vault: VaultRow) throws(DeviceError) -> Opened {
        let statement = try connection.statement("SELECT modified_at, value FROM record WHERE vault = ?1 AND key = ?2")
        defer { statement.reset() }
        statement.bind([.integer(vault.id), .blob(key)])
        switch connection.stepCode(statement) {
        case SQLITE_DONE: return .missing
        case SQLITE_ROW:
            let modifiedAt = statement.integer(0)
            let context = vault.context(.record, key: key, modifiedAt: modifiedAt)
            guard let value = seal.open(statement.borrowed(1), context) else { return .damaged }
            return .opened(modifiedAt: modifiedAt, value: value)
        case let code where code & 0xFF == SQLITE_CORRUPT: return .damaged
        case let code: throw connection.error(code)
        }
    }

    private func carryOut(
        _ decision: CarryOverDecision, _ record: Record, _ work: inout Work, _ writer: VaultWriter
    ) throws(DeviceError) {
        guard decision != .leave, let value = record.value else {
            work.damaged = work.damaged.addingClamped(1)
            return try connection.run(
                "INSERT OR IGNORE INTO left_record (vault, key) VALUES (?1, ?2)", .integer(work.guest.id), .blob(record.key))
        }
        switch decision {
        case .takeGuest:
            try writer.put(key: record.key, modifiedAt: record.modifiedAt, value: value)
        case .takeGuestKeepAccountCopy:
            if let own = record.own {
                try writer.addConflict(carryOver: work.id, key: record.key, modifiedAt: own.modifiedAt, value: own.value)
            }
            try writer.put(key: record.key, modifiedAt: record.modifiedAt, value: value)
        case .keepAccountKeepGuestCopy:
            try writer.addConflict(carryOver: work.id, key: record.key, modifiedAt: record.modifiedAt, value: value)
        case .keepAccount, .leave: break
        }
        work.moved = work.moved.addingClamped(1)
    }

    // MARK: Conflict copies

    /// A guest account may have conflict copies of its own; they go with its records.
    private func moveConflicts(_ work: inout Work, _ writer: VaultWriter) throws(DeviceError) {
        let ids = try connection.all(
            "SELECT id, size FROM conflict WHERE vault = ?1 AND id > ?2 ORDER BY id LIMIT ?3", .integer(work.guest.id),
            .integer(work.lastId), .integer(Int64(VaultLimits.batchRecords))
        ) { (row) throws(DeviceError) in (id: row.integer(0), size: row.integer(1)) }
        guard !ids.isEmpty else { return try advance(&work, to: .removal) }
        let source = VaultWriter(connection, seal, work.guest, hasWaitingGuests: false)
        var budget = BatchBudget()
        for (id, size) in ids {
            work.lastId = id
            let copy = try connection.first(
                "SELECT key, modified_at, value FROM conflict WHERE id = ?1", .integer(id)
            ) { (row) throws(DeviceError) -> (key: [UInt8], modifiedAt: Int64, value: [UInt8])? in
                let key = row.blob(0)
                let modifiedAt = row.integer(1)
                let context = work.guest.context(.conflict, key: key, modifiedAt: modifiedAt)
                return seal.open(row.borrowed(2), context).map { (key, modifiedAt, $0) }
            }
            if let copy, let copy {
                try writer.addConflict(
                    carryOver: work.id, key: copy.key, modifiedAt: copy.modifiedAt, value: copy.value)
                try source.removeConflict(id)
            } else {
                work.damaged = work.damaged.addingClamped(1)
            }
            if !budget.spend(size) { break }
        }
        try source.saveCounters()
        try save(work, cursor: .integer(work.lastId))
    }

    // MARK: Removal

    /// Everything that can be opened is with the account; the guest's copies go.
    private func remove(_ work: inout Work) throws(DeviceError) {
        let keys = try nextKeys(work)
        guard let last = keys.last?.key else { return try end(&work) }
        let writer = VaultWriter(connection, seal, work.guest, hasWaitingGuests: false)
        for (key, _, _) in keys {
            if work.damaged > 0, try wasLeft(key, work.guest) { continue }
            _ = try key.withRawBytes { (key) throws(DeviceError) in try writer.delete(key: key) }
        }
        try writer.saveCounters()
        try save(work, cursor: .blob(last))
    }

    private func wasLeft(_ key: [UInt8], _ guest: VaultRow) throws(DeviceError) -> Bool {
        try connection.first(
            "SELECT 1 FROM left_record WHERE vault = ?1 AND key = ?2", .integer(guest.id), .blob(key)
        ) { (_) throws(DeviceError) in true } ?? false
    }

    private func end(_ work: inout Work) throws(DeviceError) {
        guard work.damaged == 0 else { return try advance(&work, to: .damaged) }
        try connection.run("DELETE FROM carry_over WHERE id = ?1", .integer(work.id))
        try connection.run("DELETE FROM deletion WHERE vault = ?1", .integer(work.guest.id))
        try connection.run("DELETE FROM vault WHERE id = ?1", .integer(work.guest.id))
    }
}
