import FolioModel

/// A guest: at the first start and as the last step of a sign-out or of an account's end.
extension RuntimeMachine {
    /// An intent without a session is missing: it is written before the first step.
    mutating func writeGuestIntent() {
        let requestId = moment.secretId
        procedure = .creatingGuest(.writingIntent(requestId: requestId))
        write(.setIntent(.createGuest(requestId: requestId)))
    }

    /// The lock is held and the intent is written.
    mutating func requestGuest(requestId: String) {
        procedure = .creatingGuest(.requesting)
        send(.createGuest(deviceId: deviceId, requestId: requestId, endedToken: nil))
    }

    /// Unresolved, and a sign-out asks for the guest that is missing.
    mutating func guestLockAnswered(_ result: Result<DeviceSnapshot?, StorageFailure>) {
        switch result {
        case .failure(let failure): failGuest(SessionStartError(failure))
        case .success(nil): failGuest(SessionStartError(.deviceFileIsGone))
        case .success(let snapshot?):
            if let undeleted = undeletedUserId, snapshot.session?.identity.userId == undeleted {
                saved = snapshot.session
                undeletedUserId = nil
                beginSignOutIntent()
            } else {
                resume(snapshot)
            }
        }
    }

    mutating func guestAnswered(_ step: Procedure.GuestStep, _ result: Result<ServiceAnswer, ServiceFailure>) {
        guard case .requesting = step else { return }
        switch result {
        case .success(.granted(let grant)):
            let guest = saved(grant)
            procedure = .creatingGuest(.startingServices(guest))
            startServices(guest.identity)
        case .success: failGuest(SessionStartError(.unexpectedAnswer))
        case .failure(let failure): failGuest(SessionStartError(failure))
        }
    }

    mutating func guestServicesStarted(_ step: Procedure.GuestStep, _ result: Result<VaultSummary, StorageFailure>) {
        guard case .startingServices(let guest) = step else { return }
        switch result {
        case .success(let summary):
            procedure = .creatingGuest(.storing(guest, summary))
            write(.adoptGuest(guest))
        case .failure(let failure): refuseGuest(guest, failure)
        }
    }

    mutating func guestWritten(_ step: Procedure.GuestStep, _ result: Result<DeviceSnapshot, StorageFailure>) {
        switch (step, result) {
        case (.writingIntent(let requestId), .success): requestGuest(requestId: requestId)
        case (.storing(let guest, let summary), .success):
            saved = guest
            publish {
                $0.identity = guest.identity
                $0.status = .active
                $0.signingOut = false
                $0.error = nil
            }
            runVault(of: guest.identity, summary)
            settleSignOuts()
            armRenewal()
            endStart()
            finish()
        case (.storing(let guest, _), .failure(let failure)): refuseGuest(guest, failure)
        case (_, .failure(let failure)): failGuest(SessionStartError(failure))
        case (_, .success): break
        }
    }

    /// A guest that cannot be stored or served is not adopted.
    private mutating func refuseGuest(_ guest: SavedSession, _ failure: StorageFailure) {
        emit(.stopServices)
        if let tokens = guest.tokens { discard(tokens.refreshToken) }
        failGuest(SessionStartError(failure))
    }

    private mutating func failGuest(_ error: SessionStartError) {
        guard hasStarted else { return failStart(error) }
        publish {
            $0.signingOut = false
            $0.error = error
        }
        settleSignOuts()
        finish()
    }
}

extension StorageFailure {
    static let deviceFileIsGone = StorageFailure(
        .unavailable, "The device file is gone from the data directory; shut down and create the runtime again.")
}

extension ServiceFailure {
    static let unexpectedAnswer = ServiceFailure(
        reason: .network, message: "The answer was not one of Folio's; check the service address and try again.")
}
