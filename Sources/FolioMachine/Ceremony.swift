import FolioModel

/// The e-mail-code ceremony. A runtime has one; it survives closing a store, not a restart.
struct Ceremony: Hashable, Sendable {
    var phase = Phase.idle
    /// The answer that `phase` waits for.
    var ticket: Ticket = 0
    /// Actions whose last state is still to come.
    var actions = 0
    /// Code checks nobody waits for any more: a session they grant is given back.
    var abandonedTickets: [Ticket] = []

    enum Phase: Hashable, Sendable {
        case idle
        case sending(email: String)
        case awaiting(ceremonyId: String, AuthState.AwaitingCode)
        case verifying(ceremonyId: String, AuthState.AwaitingCode)
        /// The service granted a session; the switch of identity follows.
        case granted(email: String, Grant)
        case switching(email: String)
        case failed(email: String)

        var email: String {
            switch self {
            case .idle: ""
            case .sending(let email), .granted(let email, _), .switching(let email), .failed(let email): email
            case .awaiting(_, let awaiting), .verifying(_, let awaiting): awaiting.email
            }
        }
    }

    var hasGrant: Bool {
        guard case .granted = phase else { return false }
        return true
    }

    mutating func takeGrant() -> Grant? {
        guard case .granted(let email, let grant) = phase else { return nil }
        phase = .switching(email: email)
        return grant
    }
}

extension RuntimeMachine {
    mutating func take(_ action: AuthAction) {
        if action != .cancel, signsOut {
            let email = if case .signIn(let email) = action { EmailSyntax.trimmed(email) } else { "" }
            ceremony.phase = .failed(email: email)
            publish(.failed(email: email, error: .busy))
            return settle(1)
        }
        switch action {
        case .signIn(let email): signIn(EmailSyntax.trimmed(email))
        case .submitCode(let code): submitCode(code)
        case .resendCode: resendCode()
        case .cancel: cancelCeremony()
        }
    }

    /// Whether a sign-out or an account's end runs or waits.
    private var signsOut: Bool {
        if waitingSignOuts > 0 { return true }
        switch procedure {
        case .signingOut, .endingAccount, .creatingGuest: return true
        case .none, .starting, .activating, .replacingGuest, .switching, .renewing: return false
        }
    }

    private mutating func signIn(_ email: String) {
        switch ceremony.phase {
        case .sending(let current) where current == email: return settle(1)
        case .granted, .switching:
            publish(.failed(email: email, error: .busy))
            return settle(1)
        default: break
        }
        abandonCeremony()
        guard EmailSyntax.isPlausible(email) else {
            ceremony.phase = .failed(email: email)
            publish(.failed(email: email, error: .invalidEmail))
            return settle(1)
        }
        sendCode(to: email)
    }

    private mutating func resendCode() {
        switch ceremony.phase {
        case .awaiting, .failed:
            let email = ceremony.phase.email
            guard EmailSyntax.isPlausible(email) else { return settle(1) }
            abandonCeremony()
            sendCode(to: email)
        case .idle, .sending, .verifying, .granted, .switching: settle(1)
        }
    }

    private mutating func sendCode(to email: String) {
        ceremony.actions += 1
        ceremony.phase = .sending(email: email)
        ceremony.ticket = newTicket()
        publish(.sending(email: email))
        emit(.send(ceremony.ticket, .startCeremony(email: email), accessToken: saved?.tokens?.accessToken))
    }

    private mutating func submitCode(_ text: String) {
        guard case .awaiting(let ceremonyId, var awaiting) = ceremony.phase else { return settle(1) }
        guard let code = SignInCode.normalised(text) else {
            awaiting.error = .invalidCode
            ceremony.phase = .awaiting(ceremonyId: ceremonyId, awaiting)
            publish(.awaitingCode(awaiting))
            return settle(1)
        }
        ceremony.actions += 1
        ceremony.phase = .verifying(ceremonyId: ceremonyId, awaiting)
        ceremony.ticket = newTicket()
        publish(.verifying(email: awaiting.email))
        emit(.send(
            ceremony.ticket, .verifyCode(ceremonyId: ceremonyId, code: code, deviceId: deviceId),
            accessToken: saved?.tokens?.accessToken))
    }

    private mutating func cancelCeremony() {
        switch ceremony.phase {
        case .granted, .switching: break
        default: dropCeremony()
        }
        settle(1)
    }

    /// Back to idle: cancelled, signed out, or the session has ended.
    mutating func dropCeremony() {
        if case .granted(_, let grant) = ceremony.phase { discard(grant.refreshToken) }
        abandonCeremony()
        endCeremony(.idle)
    }

    /// Late answers are dropped from here on.
    private mutating func abandonCeremony() {
        if case .verifying = ceremony.phase { ceremony.abandonedTickets.append(ceremony.ticket) }
        ceremony.ticket = 0
        settleCeremony()
    }

    mutating func endCeremony(_ state: AuthState) {
        // A refused action may have been shown meanwhile; it stays until the next action.
        let wasRefused = if case .failed = auth, case .switching = ceremony.phase { true } else { false }
        ceremony.phase = .idle
        ceremony.ticket = 0
        if wasRefused, case .failed(let email, _) = auth {
            ceremony.phase = .failed(email: email)
        } else {
            publish(state)
        }
        settleCeremony()
    }

    mutating func failCeremony(_ error: AuthError) {
        guard ceremony.phase != .idle else { return }
        let email = ceremony.phase.email
        ceremony.phase = .failed(email: email)
        ceremony.ticket = 0
        publish(.failed(email: email, error: error))
        settleCeremony()
    }

    private mutating func settleCeremony() {
        settle(ceremony.actions)
        ceremony.actions = 0
    }

    private mutating func publish(_ state: AuthState) {
        guard state != auth else { return }
        auth = state
        emit(.publishAuth(state))
    }

    mutating func ceremonyAnswered(_ result: Result<ServiceAnswer, ServiceFailure>) {
        switch (ceremony.phase, result) {
        case (.sending(let email), .success(.ceremony(let started))):
            let awaiting = AuthState.AwaitingCode(
                email: email,
                expiresAt: moment.now.addingClamped(started.expiresIn.multipliedClamped(by: 1_000)),
                resendAt: moment.now.addingClamped(started.resendIn.multipliedClamped(by: 1_000)),
                triesLeft: started.triesLeft)
            ceremony.phase = .awaiting(ceremonyId: started.ceremonyId, awaiting)
            ceremony.ticket = 0
            publish(.awaitingCode(awaiting))
            settleCeremony()
        case (.verifying(_, let awaiting), .success(.granted(let grant))):
            ceremony.ticket = 0
            ceremony.phase = .granted(email: awaiting.email, grant)
            goOn()
        case (.verifying(let ceremonyId, var awaiting), .failure(let failure)):
            let error = AuthError(failure)
            guard error.kind == .wrongCode || error.kind == .invalidCode else { return failCeremony(error) }
            if error.kind == .wrongCode { awaiting.triesLeft = failure.triesLeft ?? max(awaiting.triesLeft - 1, 0) }
            awaiting.error = error
            ceremony.phase = .awaiting(ceremonyId: ceremonyId, awaiting)
            ceremony.ticket = 0
            publish(.awaitingCode(awaiting))
            settleCeremony()
        case (_, .failure(let failure)): failCeremony(AuthError(failure))
        case (_, .success): failCeremony(AuthError(.unexpectedAnswer))
        }
    }
}

extension AuthError {
    static let busy = AuthError(
        kind: .busy, message: "The identity is changing; wait for the session to settle and try again.")
    static let invalidEmail = AuthError(
        kind: .invalidEmail, message: "This is not an e-mail address; correct it and sign in again.")
    static let invalidCode = AuthError(
        kind: .invalidCode, message: "A code has six digits; check the message and enter them again.")

    init(_ failure: StorageFailure) {
        self.init(kind: .storage, code: failure.reason.rawValue, message: failure.message)
    }

    init(_ failure: ServiceFailure) {
        guard case .refused(let status, let code) = failure.reason else {
            self.init(kind: .network, message: failure.message, retryAfter: failure.retryAfter)
            return
        }
        let kind: Kind =
            switch code {
            case "invalid_email": .invalidEmail
            case "invalid_code": .invalidCode
            case "wrong_code": .wrongCode
            case "code_expired": .codeExpired
            case "code_used": .codeUsed
            case "too_many_tries": .tooManyTries
            case "rate_limited": .rateLimited
            default: .service
            }
        self.init(kind: kind, status: status, code: code, message: failure.message, retryAfter: failure.retryAfter)
    }
}
