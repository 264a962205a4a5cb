import FolioModel

/// Start: the saved session is restored, an intent is followed up, or a guest is created.
extension RuntimeMachine {
    mutating func start(timeout: Int64) {
        guard procedure == .none, !hasStarted else { return }
        emit(.setTimer(.start, at: moment.now.addingClamped(timeout)))
        procedure = .starting(.reading)
        emit(.readDevice(nextAwaited()))
    }

    mutating func deviceRead(_ result: Result<DeviceSnapshot?, StorageFailure>) {
        guard case .starting(.reading) = procedure else { return }
        switch result {
        case .failure(let failure): failStart(SessionStartError(failure))
        case .success(let snapshot?) where snapshot.session != nil && !snapshot.intent.needsLock:
            take(snapshot)
            resume(snapshot)
        case .success:
            procedure = .starting(.locking)
            acquireLock()
        }
    }

    mutating func startLockAnswered(_ result: Result<DeviceSnapshot?, StorageFailure>) {
        switch result {
        case .failure(let failure): failStart(SessionStartError(failure))
        case .success(let snapshot?): resume(snapshot)
        case .success(nil):
            procedure = .starting(.creatingFile)
            emit(.createDevice(
                nextAwaited(), deviceId: moment.publicId, intent: .createGuest(requestId: moment.secretId)))
        }
    }

    mutating func deviceCreated(_ result: Result<DeviceSnapshot, StorageFailure>) {
        switch result {
        case .failure(let failure): failStart(SessionStartError(failure))
        case .success(let snapshot):
            take(snapshot)
            resume(snapshot)
        }
    }

    /// Goes on from what the device says: at the start, and when another process has changed the session. The lock is
    /// held unless the device holds a session that needs no procedure.
    mutating func resume(_ snapshot: DeviceSnapshot) {
        if !hasStarted { session.notice = snapshot.notice }
        undeletedUserId = nil
        switch (snapshot.intent, snapshot.session) {
        case (.switchSession(let next), let previous):
            saved = previous
            activateSwitch(to: next)
        case (.signOut, let current?):
            saved = current
            beginRevoking()
        case (_, let current?):
            restore(current)
        case (.createGuest(let requestId), nil):
            leaveIdentity(notice: snapshot.notice)
            requestGuest(requestId: requestId)
        case (_, nil):
            leaveIdentity(notice: snapshot.notice)
            writeGuestIntent()
        }
    }

    /// Makes `current` the session of this runtime and starts its services.
    private mutating func restore(_ current: SavedSession) {
        let isSame = hasStarted && current.identity == session.identity && session.status == .active
        saved = current
        if isSame {
            armRenewal()
            publish { $0.signingOut = false }
            settleSignOuts()
            return finish()
        }
        if hasStarted { stopServices() }
        procedure = .activating
        if current.identity.isAccount {
            let follows = hasStarted
            publish {
                $0.identity = current.identity
                $0.status = .activating
                $0.signingOut = false
                $0.error = nil
                if follows { $0.notice = nil }
            }
        }
        startServices(current.identity)
    }

    mutating func activationEnded(_ result: Result<VaultSummary, StorageFailure>) {
        guard let current = saved else { return finish() }
        switch result {
        case .success(let summary):
            publish {
                $0.identity = current.identity
                $0.status = .active
                $0.signingOut = false
                $0.error = nil
            }
            runVault(of: current.identity, summary)
        case .failure(let failure):
            publish {
                $0.identity = current.identity
                $0.status = .device
                $0.signingOut = false
                $0.error = SessionStartError(failure)
            }
        }
        settleSignOuts()
        armRenewal()
        endStart()
        finish()
    }

    /// Another process has left the identity: this one follows before it goes on.
    private mutating func leaveIdentity(notice: SessionNoticeReason?) {
        saved = nil
        guard hasStarted, session.identity != .unresolved else { return }
        stopServices()
        forgetIdentity(notice: notice ?? session.notice)
    }

    /// Reports that the session exists; only the first call counts.
    mutating func endStart() {
        guard !hasStarted else { return }
        hasStarted = true
        emit(.cancelTimer(.start))
        emit(.started(nil))
    }

    mutating func failStart(_ error: SessionStartError) {
        hasFailed = true
        procedure = .none
        awaited = 0
        saved = nil
        emit(.cancelTimer(.start))
        emit(.releaseLock)
        emit(.started(error))
    }

    mutating func startTimedOut() {
        guard !hasStarted else { return }
        if case .starting(.locking) = procedure {
            failStart(SessionStartError(
                kind: .storage, code: StorageFailure.Reason.locked.rawValue,
                message: "Another process holds the data directory; try again when it has finished."))
        } else {
            failStart(SessionStartError(
                kind: .network, code: "timed_out",
                message: "The session did not start in time; check the network connection and try again."))
        }
    }
}

extension Intent? {
    /// Whether only the holder of the lock may act on it. A guest whose session is being replaced starts without.
    fileprivate var needsLock: Bool {
        switch self {
        case nil, .replaceGuest: false
        case .createGuest, .signOut, .switchSession: true
        }
    }
}
