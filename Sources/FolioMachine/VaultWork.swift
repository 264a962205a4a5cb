import FolioModel

/// The vault service of the current identity: its report, and the carry-over that runs in its background.
struct VaultWork: Hashable, Sendable {
    /// The identity whose services run; the report shows it unless it is suspended.
    var userId: String?
    var summary = VaultSummary()
    var carryOver = CarryOverState.none
    var isSuspended = false
    var carryOverTicket: Ticket = 0
    var readTicket: Ticket = 0
    /// Records have changed since the last read began.
    var hasChanged = false
    var reportTimerIsSet = false
    var lastReportAt: Int64 = .min
    var removesDeadRecords = false
}

extension RuntimeMachine {
    /// Counts and progress are reported at most this often (milliseconds).
    static let vaultReportInterval: Int64 = 100
    /// Milliseconds between the tries of a carry-over that failed.
    static let carryOverRetryDelay: Int64 = 5_000

    /// The services of `identity` run and its session is the saved one: the vault opens.
    mutating func runVault(of identity: Identity, _ summary: VaultSummary) {
        vaultWork.userId = identity.userId
        vaultWork.summary = summary
        vaultWork.carryOver = .none
        vaultWork.isSuspended = false
        beginCarryOverIfWaiting()
        reportVault()
    }

    mutating func stopVault() {
        vaultWork.userId = nil
        vaultWork.summary = VaultSummary()
        vaultWork.carryOver = .none
        vaultWork.isSuspended = false
        vaultWork.carryOverTicket = 0
        vaultWork.readTicket = 0
        vaultWork.hasChanged = false
        vaultWork.reportTimerIsSet = false
        emit(.cancelTimer(.vaultReport))
        emit(.cancelTimer(.carryOverRetry))
        reportVault()
    }

    /// From the first state of a sign-out on, vault calls fail although the services still run.
    mutating func suspendVault() {
        vaultWork.isSuspended = true
        vaultWork.carryOverTicket = 0
        emit(.cancelTimer(.carryOverRetry))
        reportVault()
    }

    mutating func resumeVault() {
        guard vaultWork.isSuspended else { return }
        vaultWork.isSuspended = false
        beginCarryOverIfWaiting()
        reportVault()
    }

    private mutating func reportVault() {
        var state = VaultState()
        if !vaultWork.isSuspended, let userId = vaultWork.userId {
            state.userId = userId
            state.recordCount = vaultWork.summary.recordCount
            state.bytes = vaultWork.summary.bytes
            state.conflictCount = vaultWork.summary.conflictCount
            state.carryOver = vaultWork.carryOver
        }
        vaultWork.lastReportAt = moment.now
        guard state != vault else { return }
        vault = state
        emit(.publishVault(state))
    }

    // MARK: Counts

    mutating func vaultChanged() {
        guard vaultWork.userId != nil else { return }
        vaultWork.hasChanged = true
        readVaultWhenDue()
    }

    mutating func vaultReportIsDue() {
        vaultWork.reportTimerIsSet = false
        readVaultWhenDue()
    }

    private mutating func readVaultWhenDue() {
        guard vaultWork.hasChanged, vaultWork.readTicket == 0, !vaultWork.reportTimerIsSet else { return }
        let due = vaultWork.lastReportAt.addingClamped(Self.vaultReportInterval)
        guard due <= moment.now else {
            vaultWork.reportTimerIsSet = true
            return emit(.setTimer(.vaultReport, at: due))
        }
        readVaultAgain()
    }

    private mutating func readVaultAgain() {
        guard let userId = vaultWork.userId else { return }
        vaultWork.hasChanged = false
        vaultWork.readTicket = newTicket()
        emit(.readVault(vaultWork.readTicket, userId: userId))
    }

    mutating func vaultRead(_ ticket: Ticket, _ result: Result<VaultSummary, StorageFailure>) {
        guard ticket == vaultWork.readTicket, ticket != 0 else { return }
        vaultWork.readTicket = 0
        switch result {
        case .success(let summary):
            vaultWork.summary = summary
            beginCarryOverIfWaiting()
            reportVault()
        case .failure(let failure):
            vaultWork.lastReportAt = moment.now
            emit(.log(.warning, "The vault's counts could not be read: \(failure.message)"))
        }
        readVaultWhenDue()
    }

    // MARK: Carry-over

    /// A carry-over runs when guests wait and none has been begun since the services started.
    private mutating func beginCarryOverIfWaiting() {
        guard vaultWork.carryOverTicket == 0, vaultWork.summary.waitingGuests > 0 else { return }
        if case .failed = vaultWork.carryOver { return }
        runCarryOver()
    }

    private mutating func runCarryOver() {
        guard let userId = vaultWork.userId, !vaultWork.isSuspended else { return }
        vaultWork.carryOver = .running(moved: vaultWork.summary.moved, total: vaultWork.summary.total)
        vaultWork.carryOverTicket = newTicket()
        emit(.carryOver(vaultWork.carryOverTicket, userId: userId))
    }

    mutating func carriedOver(_ ticket: Ticket, _ result: Result<CarryOverStep, StorageFailure>) {
        guard ticket == vaultWork.carryOverTicket, ticket != 0 else { return }
        vaultWork.carryOverTicket = 0
        switch result {
        case .success(.more(let summary)):
            vaultWork.summary = summary
            runCarryOver()
            let due = vaultWork.lastReportAt.addingClamped(Self.vaultReportInterval)
            if due <= moment.now { reportVault() }
        case .success(.finished(let summary)):
            vaultWork.summary = summary
            vaultWork.carryOver = .finished
            reportVault()
        case .success(.damaged(let summary)):
            vaultWork.summary = summary
            failCarryOver(.damagedGuestRecords, retrying: false)
        case .success(.notCurrent): break
        case .failure(let failure):
            failCarryOver(failure, retrying: true)
            emit(.setTimer(.carryOverRetry, at: moment.now.addingClamped(Self.carryOverRetryDelay)))
        }
    }

    private mutating func failCarryOver(_ failure: StorageFailure, retrying: Bool) {
        vaultWork.carryOver = .failed(
            moved: vaultWork.summary.moved, total: vaultWork.summary.total, error: failure, retrying: retrying)
        reportVault()
    }

    mutating func carryOverRetryIsDue() {
        guard case .failed = vaultWork.carryOver, vaultWork.carryOverTicket == 0 else { return }
        runCarryOver()
        reportVault()
    }

    mutating func retryCarryOver() {
        emit(.cancelTimer(.carryOverRetry))
        carryOverRetryIsDue()
        settle(1)
    }

    // MARK: Vaults nobody owns any more

    mutating func removeDeadRecords() {
        guard !vaultWork.removesDeadRecords else { return }
        vaultWork.removesDeadRecords = true
        emit(.removeDeadRecords)
    }

    mutating func deadRecordsRemoved(_ result: Result<Bool, StorageFailure>) {
        vaultWork.removesDeadRecords = false
        switch result {
        case .success(true): removeDeadRecords()
        case .success(false): break
        case .failure(let failure):
            // Tried again at the next start or with the next change of session.
            emit(.log(.warning, "Records of a removed vault are still on the device: \(failure.message)"))
        }
    }
}

extension StorageFailure {
    static let damagedGuestRecords = StorageFailure(
        .recordDamaged, "Some records of the guest cannot be opened and were left with it; the others were moved.")
}
