import FolioModel

/// The service has ended the session: an account ends as if it had signed out, a guest gets a new session and keeps its
/// vault. Runs under the lock of the renewal that was refused.
extension RuntimeMachine {
    mutating func sessionEnded(_ failure: ServiceFailure) {
        guard let ended = saved else { return finish() }
        dropCeremony()
        saved?.tokens = nil
        emit(.cancelTimer(.renewal))
        if ended.identity.isAccount {
            let isDeleted = failure.reason.code == "account_deleted"
            let notice: SessionNoticeReason? = isDeleted ? nil : .sessionEnded
            procedure = .endingAccount(notice: notice)
            stopServices()
            write(.endSession(
                intent: .createGuest(requestId: moment.secretId), notice: notice, vaultIsDead: isDeleted))
        } else {
            beginReplacement(endedToken: ended.tokens?.refreshToken ?? "")
        }
    }

    mutating func endWritten(_ result: Result<DeviceSnapshot, StorageFailure>) {
        guard case .endingAccount(let notice) = procedure else { return }
        switch result {
        case .success(let snapshot):
            forgetIdentity(notice: notice ?? session.notice)
            guard case .createGuest(let requestId) = snapshot.intent else { return writeGuestIntent() }
            requestGuest(requestId: requestId)
        case .failure(let failure):
            abandonDeletion(failure, notice: notice ?? session.notice)
        }
    }

    // MARK: A guest's new session

    mutating func beginReplacement(endedToken: String) {
        let requestId = moment.secretId
        procedure = .replacingGuest(.writingIntent(requestId: requestId, endedToken: endedToken))
        write(.beginReplaceGuest(.replaceGuest(requestId: requestId, endedToken: endedToken)))
    }

    mutating func requestReplacement(requestId: String, endedToken: String) {
        procedure = .replacingGuest(.requesting)
        send(.createGuest(
            deviceId: deviceId, requestId: requestId, endedToken: endedToken.isEmpty ? nil : endedToken))
    }

    mutating func replacementAnswered(_ result: Result<ServiceAnswer, ServiceFailure>) {
        switch result {
        case .success(.granted(let grant)):
            let next = saved(grant)
            procedure = .replacingGuest(.storing(next))
            write(.replaceGuest(next))
        case .success: tryReplacementLater(ServiceFailure.unexpectedAnswer.message)
        case .failure(let failure): tryReplacementLater(failure.message)
        }
    }

    mutating func replacementWritten(
        _ step: Procedure.ReplacementStep, _ result: Result<DeviceSnapshot, StorageFailure>
    ) {
        switch (step, result) {
        case (.writingIntent(let requestId, let endedToken), .success):
            requestReplacement(requestId: requestId, endedToken: endedToken)
        case (.storing(let next), .success):
            saved = next
            armRenewal()
            guard next.identity.userId != session.identity.userId else { return finish() }
            stopServices()
            procedure = .replacingGuest(.startingServices)
            startServices(next.identity)
        case (_, .failure(let failure)): tryReplacementLater(failure.message)
        case (_, .success): break
        }
    }

    mutating func replacementServicesStarted(
        _ step: Procedure.ReplacementStep, _ result: Result<VaultSummary, StorageFailure>
    ) {
        guard case .startingServices = step else { return }
        activationEnded(result)
    }

    private mutating func tryReplacementLater(_ reason: String) {
        emit(.log(.warning, "The guest's session could not be replaced and is tried again: \(reason)"))
        retryRenewalLater()
        finish()
    }
}

extension ServiceFailure.Reason {
    var code: String {
        guard case .refused(_, let code) = self else { return "" }
        return code
    }
}
