import FolioModel

/// The switch of identity after a sign-in: intent with the new session, services, commit, then the old session is revoked.
extension RuntimeMachine {
    mutating func beginSwitch(to next: SavedSession) {
        emit(.cancelTimer(.renewal))
        renewalIsWanted = false
        procedure = .switching(next, .locking)
        acquireLock()
    }

    mutating func switchLockAnswered(_ next: SavedSession, _ result: Result<DeviceSnapshot?, StorageFailure>) {
        switch result {
        case .failure(let failure): refuseSwitch(next, failure)
        case .success(nil): refuseSwitch(next, .deviceFileIsGone)
        case .success(let snapshot?):
            saved = snapshot.session
            procedure = .switching(next, .writingIntent)
            write(.setIntent(.switchSession(to: next)))
        }
    }

    mutating func switchWritten(
        _ next: SavedSession, _ step: Procedure.SwitchStep, _ result: Result<DeviceSnapshot, StorageFailure>
    ) {
        switch (step, result) {
        case (.writingIntent, .success): activateSwitch(to: next)
        case (.writingIntent, .failure(let failure)): refuseSwitch(next, failure)
        case (.storing, .success): countVault(of: next)
        case (.storing, .failure(let failure)): abandonSwitch(next, failure)
        case (.abandoning(let reason), .success(let snapshot)): switchAbandoned(next, reason, snapshot)
        case (.abandoning(let reason), .failure): switchAbandoned(next, reason, nil)
        case (.locking, _), (.startingServices, _), (.countingVault, _): break
        }
    }

    /// The intent is written: the services of the new identity start. Also where a start rolls a switch forward.
    mutating func activateSwitch(to next: SavedSession) {
        procedure = .switching(next, .startingServices)
        if hasStarted { stopServices() }
        if next.identity.isAccount {
            publish {
                $0.identity = next.identity
                $0.status = .activating
                $0.notice = nil
                $0.error = nil
                $0.signingOut = false
            }
        }
        startServices(next.identity)
    }

    mutating func switchServicesStarted(_ next: SavedSession, _ result: Result<VaultSummary, StorageFailure>) {
        switch result {
        case .success:
            procedure = .switching(next, .storing)
            write(.completeSwitch(to: next, clearNotice: next.identity.isAccount))
        case .failure(let failure): abandonSwitch(next, failure)
        }
    }

    /// The commit may have written a carry-over: the vault opens with what it says now.
    private mutating func countVault(of next: SavedSession) {
        saved = next
        undeletedUserId = nil
        procedure = .switching(next, .countingVault)
        emit(.readVault(nextAwaited(), userId: next.identity.userId ?? ""))
    }

    mutating func completeSwitch(_ result: Result<VaultSummary, StorageFailure>) {
        guard case .switching(let next, .countingVault) = procedure else { return }
        let summary = (try? result.get()) ?? VaultSummary()
        publish {
            $0.identity = next.identity
            $0.status = .active
            $0.error = nil
            $0.signingOut = false
        }
        runVault(of: next.identity, summary)
        endCeremony(.idle)
        settleSignOuts()
        armRenewal()
        endStart()
        finish()
    }

    private mutating func abandonSwitch(_ next: SavedSession, _ failure: StorageFailure) {
        emit(.stopServices)
        procedure = .switching(next, .abandoning(failure))
        write(.abandonSwitch(next))
    }

    /// The previous identity is back, its services stopped until the next create.
    private mutating func switchAbandoned(
        _ next: SavedSession, _ failure: StorageFailure, _ snapshot: DeviceSnapshot?
    ) {
        // The notice was cleared when the account was shown as activating.
        if next.identity.isAccount { emit(.clearNotice) }
        guard hasStarted || saved != nil else {
            if let snapshot { return resume(snapshot) }
            return failStart(SessionStartError(failure))
        }
        let previous = saved?.identity ?? .unresolved
        publish {
            $0.identity = previous
            $0.status = .device
            $0.error = SessionStartError(failure)
        }
        failCeremony(AuthError(failure))
        armRenewal()
        endStart()
        finish()
    }

    /// Nothing was written: the session stays as it was, and the granted one is given back.
    private mutating func refuseSwitch(_ next: SavedSession, _ failure: StorageFailure) {
        if let tokens = next.tokens { discard(tokens.refreshToken) }
        failCeremony(AuthError(failure))
        armRenewal()
        finish()
    }
}
