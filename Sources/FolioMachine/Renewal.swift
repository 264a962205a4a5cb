import FolioModel

/// Renewal of the tokens: at 80 % of their life, one at a time, under the lock that processes share.
extension RuntimeMachine {
    /// Milliseconds between the tries of a renewal that did not get through.
    static let renewalRetryDelay: Int64 = 30_000
    /// However short a life is, tokens are not renewed more often than this (milliseconds).
    static let shortestRenewalInterval: Int64 = 2_000

    /// Sets the timer of the next renewal from the age of the tokens on this boot's clock; an unknown age renews now.
    mutating func armRenewal() {
        guard let saved else { return emit(.cancelTimer(.renewal)) }
        guard let tokens = saved.tokens, tokens.bootId == moment.bootId, tokens.receivedAt <= moment.now else {
            return emit(.setTimer(.renewal, at: moment.now))
        }
        let life = max(tokens.life, 0)
        let early = max(life / 5 * 4, Self.shortestRenewalInterval)
        emit(.setTimer(.renewal, at: max(tokens.receivedAt.addingClamped(early), moment.now)))
    }

    mutating func beginRenewal() {
        procedure = .renewing(.locking)
        acquireLock()
    }

    mutating func renewalLockAnswered(_ result: Result<DeviceSnapshot?, StorageFailure>) {
        switch result {
        case .failure(let failure): tryRenewalLater(failure.message)
        case .success(nil): tryRenewalLater(StorageFailure.deviceFileIsGone.message)
        case .success(let snapshot?):
            guard let current = snapshot.session, current.identity.userId == saved?.identity.userId else {
                return resume(snapshot)
            }
            switch snapshot.intent {
            case .signOut, .switchSession:
                return resume(snapshot)
            case .replaceGuest(let requestId, let endedToken) where current.tokens == nil:
                saved = current
                return requestReplacement(requestId: requestId, endedToken: endedToken)
            case nil, .createGuest, .replaceGuest: break
            }
            saved = current
            guard let tokens = current.tokens else { return beginReplacement(endedToken: "") }
            procedure = .renewing(.requesting)
            send(.renew(refreshToken: tokens.refreshToken, renewalId: tokens.renewalId))
        }
    }

    mutating func renewalAnswered(_ result: Result<ServiceAnswer, ServiceFailure>) {
        switch result {
        case .success(.granted(let grant)):
            let renewed = tokens(grant)
            procedure = .renewing(.storing(renewed))
            write(.renewTokens(renewed))
        case .failure(let failure) where failure.endsSession: sessionEnded(failure)
        case .failure(let failure): tryRenewalLater(failure.message)
        case .success: tryRenewalLater(ServiceFailure.unexpectedAnswer.message)
        }
    }

    mutating func renewalWritten(_ step: Procedure.RenewalStep, _ result: Result<DeviceSnapshot, StorageFailure>) {
        guard case .storing(let renewed) = step else { return }
        // Unstored tokens are used all the same: asked again with the stored renewal id, the service answers the same.
        saved?.tokens = renewed
        if case .failure(let failure) = result {
            emit(.log(.error, "Renewed tokens could not be stored and are kept in memory: \(failure.message)"))
        }
        armRenewal()
        finish()
    }

    private mutating func tryRenewalLater(_ reason: String) {
        emit(.log(.warning, "The session was not renewed and is tried again: \(reason)"))
        retryRenewalLater()
        finish()
    }

    mutating func retryRenewalLater() {
        emit(.setTimer(.renewal, at: moment.now.addingClamped(Self.renewalRetryDelay)))
    }
}
