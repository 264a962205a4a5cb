import FolioModel

/// Sign-out, in its six steps: stop services, ask Folio to end the session, delete tokens and saved session, forget the
/// identity, create a guest.
extension RuntimeMachine {
    mutating func signOut() {
        switch procedure {
        case .none, .renewing, .replacingGuest, .activating, .switching, .starting:
            waitingSignOuts += 1
            goOn()
        case .creatingGuest, .signingOut, .endingAccount:
            settle(1)
        }
    }

    mutating func dismissNotice() {
        if session.notice != nil {
            publish { $0.notice = nil }
            emit(.clearNotice)
        }
        settle(1)
    }

    mutating func beginSignOut() {
        runningSignOuts = waitingSignOuts
        waitingSignOuts = 0
        renewalIsWanted = false
        emit(.cancelTimer(.renewal))
        dropCeremony()
        procedure = session.identity == .unresolved ? .creatingGuest(.locking) : .signingOut(.locking)
        publish {
            $0.signingOut = true
            $0.error = nil
        }
        suspendVault()
        acquireLock()
    }

    mutating func signOutLockAnswered(_ result: Result<DeviceSnapshot?, StorageFailure>) {
        switch result {
        case .failure(let failure): refuseSignOut(failure)
        case .success(nil): refuseSignOut(.deviceFileIsGone)
        case .success(let snapshot?):
            guard let current = snapshot.session, current.identity.userId == session.identity.userId else {
                // Another process has signed this identity out: what it left is adopted.
                return resume(snapshot)
            }
            saved = current
            beginSignOutIntent()
        }
    }

    mutating func beginSignOutIntent() {
        procedure = .signingOut(.writingIntent)
        write(.setIntent(.signOut))
    }

    mutating func signOutWritten(_ step: Procedure.SignOutStep, _ result: Result<DeviceSnapshot, StorageFailure>) {
        switch (step, result) {
        case (.writingIntent, .success): beginRevoking()
        case (.writingIntent, .failure(let failure)): refuseSignOut(failure)
        case (.deleting(let requestId), .success):
            forgetIdentity(notice: session.notice)
            requestGuest(requestId: requestId)
        case (.deleting, .failure(let failure)): abandonDeletion(failure, notice: session.notice)
        case (.locking, _), (.revoking, _): break
        }
    }

    /// Steps 1 and 2. The intent is written.
    mutating func beginRevoking() {
        procedure = .signingOut(.revoking)
        if hasStarted, session.identity != .unresolved {
            publish { $0.signingOut = true }
        }
        stopServices()
        if let tokens = saved?.tokens {
            send(.revoke(refreshToken: tokens.refreshToken))
        } else {
            signOutAnswered()
        }
    }

    /// Whatever the service said, or could not say: steps 3 and 4 follow.
    mutating func signOutAnswered() {
        let requestId = moment.secretId
        procedure = .signingOut(.deleting(requestId: requestId))
        write(.endSession(intent: .createGuest(requestId: requestId), notice: nil, vaultIsDead: false))
    }

    /// Step 5. Also the end of an account.
    mutating func forgetIdentity(notice: SessionNoticeReason?) {
        saved = nil
        guard hasStarted else { return }
        publish {
            $0.identity = .unresolved
            $0.status = .deactivating
            $0.notice = notice
        }
        publish { $0.status = .device }
    }

    /// Tokens leave memory although the device could not be written; the next sign-out or create finishes.
    mutating func abandonDeletion(_ failure: StorageFailure, notice: SessionNoticeReason?) {
        guard hasStarted else { return failStart(SessionStartError(failure)) }
        undeletedUserId = saved?.identity.userId ?? session.identity.userId
        saved = nil
        publish {
            $0.identity = .unresolved
            $0.status = .deactivating
            $0.notice = notice
        }
        publish {
            $0.status = .device
            $0.signingOut = false
            $0.error = SessionStartError(failure)
        }
        settleSignOuts()
        finish()
    }

    /// Nothing was started: the identity stays as it was.
    private mutating func refuseSignOut(_ failure: StorageFailure) {
        publish {
            $0.signingOut = false
            $0.error = SessionStartError(failure)
        }
        resumeVault()
        settleSignOuts()
        armRenewal()
        finish()
    }

    mutating func settleSignOuts() {
        settle(runningSignOuts)
        runningSignOuts = 0
    }
}
