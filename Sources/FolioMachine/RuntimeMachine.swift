public import FolioModel

/// The rules of one runtime: session, ceremony, renewal, vault and carry-over, as one value.
///
/// `reduce` takes one event and gives the effects to carry out. Nothing else changes a session. At most one procedure
/// runs at a time; each question of a procedure has a ticket, and an answer with another ticket belongs to a generation
/// that is over and changes nothing.
public struct RuntimeMachine: Hashable, Sendable {
    /// The session as it was published last.
    public internal(set) var session = SessionState()
    public internal(set) var auth = AuthState.idle
    public internal(set) var vault = VaultState()

    /// The session this runtime acts for, with its tokens; memory only holds what is not signed out.
    var saved: SavedSession?
    /// The generation of the device file that `saved` was read from.
    var generation: Int64 = 0
    var deviceId = ""
    var procedure = Procedure.none
    /// The answer that `procedure` waits for.
    var awaited: Ticket = 0
    var lastTicket: Ticket = 0
    var hasStarted = false
    var hasFailed = false
    /// The user whose session could not be deleted from the device: the next sign-out finishes that.
    var undeletedUserId: String?

    /// Sign-outs that wait for an activation to end.
    var waitingSignOuts = 0
    /// Sign-outs that run, settled with their last state.
    var runningSignOuts = 0
    var renewalIsWanted = false

    var ceremony = Ceremony()
    var revocation = RevocationQueue()
    var vaultWork = VaultWork()

    var effects: [RuntimeEffect] = []
    var moment = Moment(now: 0, bootId: "", publicId: "", secretId: "")

    public init() {}

    /// Takes one event and returns what must be done, in order.
    public mutating func reduce(_ event: RuntimeEvent, at moment: Moment) -> [RuntimeEffect] {
        self.moment = moment
        effects = []
        if !hasFailed { take(event) }
        defer { effects = [] }
        return effects
    }

    private mutating func take(_ event: RuntimeEvent) {
        switch event {
        case .start(let timeout): start(timeout: timeout)
        case .session(.signOut): signOut()
        case .session(.dismissNotice): dismissNotice()
        case .auth(let action): take(action)
        case .vault(.retryCarryOver): retryCarryOver()
        case .renewRequested:
            renewalIsWanted = true
            goOn()
        case .vaultChanged: vaultChanged()

        case .deviceRead(let ticket, let result): if ticket == awaited { deviceRead(result) }
        case .lockAnswered(let ticket, let result): if ticket == awaited { lockAnswered(result) }
        case .deviceCreated(let ticket, let result): if ticket == awaited { deviceCreated(result) }
        case .written(let ticket, let result): if ticket == awaited { written(result) }
        case .servicesStarted(let ticket, let result): if ticket == awaited { servicesStarted(result) }
        case .answered(let ticket, let result): answered(ticket, result)

        case .vaultRead(let ticket, let result):
            if ticket == awaited { completeSwitch(result) } else { vaultRead(ticket, result) }
        case .carriedOver(let ticket, let result): carriedOver(ticket, result)
        case .deadRecordsRemoved(let result): deadRecordsRemoved(result)
        case .timer(.start): startTimedOut()
        case .timer(.renewal):
            renewalIsWanted = true
            goOn()
        case .timer(.vaultReport): vaultReportIsDue()
        case .timer(.carryOverRetry): carryOverRetryIsDue()
        }
    }

    private mutating func lockAnswered(_ result: Result<DeviceSnapshot?, StorageFailure>) {
        if case .success(let snapshot?) = result { take(snapshot) }
        switch procedure {
        case .starting: startLockAnswered(result)
        case .signingOut: signOutLockAnswered(result)
        case .creatingGuest: guestLockAnswered(result)
        case .switching(let change, _): switchLockAnswered(change, result)
        case .renewing: renewalLockAnswered(result)
        case .none, .activating, .endingAccount, .replacingGuest: break
        }
    }

    private mutating func written(_ result: Result<DeviceSnapshot, StorageFailure>) {
        if case .success(let snapshot) = result { take(snapshot) }
        switch procedure {
        case .creatingGuest(let step): guestWritten(step, result)
        case .signingOut(let step): signOutWritten(step, result)
        case .endingAccount: endWritten(result)
        case .replacingGuest(let step): replacementWritten(step, result)
        case .switching(let change, let step): switchWritten(change, step, result)
        case .renewing(let step): renewalWritten(step, result)
        case .none, .starting, .activating: break
        }
    }

    private mutating func servicesStarted(_ result: Result<VaultSummary, StorageFailure>) {
        switch procedure {
        case .activating: activationEnded(result)
        case .creatingGuest(let step): guestServicesStarted(step, result)
        case .replacingGuest(let step): replacementServicesStarted(step, result)
        case .switching(let change, _): switchServicesStarted(change, result)
        case .none, .starting, .signingOut, .endingAccount, .renewing: break
        }
    }

    private mutating func answered(_ ticket: Ticket, _ result: Result<ServiceAnswer, ServiceFailure>) {
        if ticket == ceremony.ticket { return ceremonyAnswered(result) }
        if ticket == revocation.ticket { return revocationAnswered(result) }
        if let index = ceremony.abandonedTickets.firstIndex(of: ticket) {
            ceremony.abandonedTickets.remove(at: index)
            if case .success(.granted(let grant)) = result { discard(grant.refreshToken) }
            return
        }
        guard ticket == awaited else { return }
        switch procedure {
        case .creatingGuest(let step): guestAnswered(step, result)
        case .signingOut: signOutAnswered()
        case .replacingGuest: replacementAnswered(result)
        case .renewing: renewalAnswered(result)
        case .none, .starting, .activating, .endingAccount, .switching: break
        }
    }
}

/// The procedures, each with the step that waits for an answer.
enum Procedure: Hashable, Sendable {
    case none
    case starting(StartStep)
    /// The services of the saved session start.
    case activating
    case creatingGuest(GuestStep)
    case signingOut(SignOutStep)
    case endingAccount(notice: SessionNoticeReason?)
    case replacingGuest(ReplacementStep)
    case switching(SavedSession, SwitchStep)
    case renewing(RenewalStep)

    enum StartStep: Hashable, Sendable { case reading, locking, creatingFile }
    enum GuestStep: Hashable, Sendable {
        case locking
        case writingIntent(requestId: String)
        case requesting
        case startingServices(SavedSession)
        case storing(SavedSession, VaultSummary)
    }
    enum SignOutStep: Hashable, Sendable { case locking, writingIntent, revoking, deleting(requestId: String) }
    enum ReplacementStep: Hashable, Sendable {
        case writingIntent(requestId: String, endedToken: String)
        case requesting
        case storing(SavedSession)
        case startingServices
    }
    enum SwitchStep: Hashable, Sendable {
        case locking, writingIntent, startingServices, storing, countingVault
        case abandoning(StorageFailure)
    }
    enum RenewalStep: Hashable, Sendable {
        case locking, requesting
        case storing(SessionTokens)
    }
}

// MARK: - What every procedure uses

extension RuntimeMachine {
    mutating func emit(_ effect: RuntimeEffect) { effects.append(effect) }

    mutating func newTicket() -> Ticket {
        lastTicket &+= 1
        return lastTicket
    }

    /// A new ticket that the running procedure waits for; answers to the one before are dropped from here on.
    mutating func nextAwaited() -> Ticket {
        awaited = newTicket()
        return awaited
    }

    mutating func acquireLock() { emit(.acquireLock(nextAwaited())) }

    mutating func write(_ write: DeviceWrite) { emit(.write(nextAwaited(), write, expecting: generation)) }

    mutating func send(_ request: ServiceRequest) {
        emit(.send(nextAwaited(), request, accessToken: saved?.tokens?.accessToken))
    }

    mutating func startServices(_ identity: Identity) { emit(.startServices(nextAwaited(), identity)) }

    mutating func stopServices() {
        stopVault()
        emit(.stopServices)
    }

    /// A state equal to the last is not published.
    mutating func publish(_ change: (inout SessionState) -> Void) {
        var next = session
        next.deviceId = deviceId
        change(&next)
        guard next != session else { return }
        session = next
        emit(.publishSession(next))
    }

    mutating func settle(_ actions: Int) {
        if actions > 0 { emit(.settle(actions)) }
    }

    /// Takes what every procedure must know of the device; the session itself is the procedure's business.
    mutating func take(_ snapshot: DeviceSnapshot) {
        deviceId = snapshot.deviceId
        generation = snapshot.generation
        revocation.take(snapshot.revocations)
        if snapshot.hasDeadVaults { removeDeadRecords() }
    }

    /// Ends the running procedure, lets the lock go and does what has waited for that.
    mutating func finish() {
        procedure = .none
        awaited = 0
        emit(.releaseLock)
        goOn()
    }

    /// Starts what waits, the most urgent first, when no procedure is in the way.
    mutating func goOn() {
        guard hasStarted else { return }
        interruptForWaiting()
        guard procedure == .none else { return }
        if waitingSignOuts > 0 {
            beginSignOut()
        } else if let grant = ceremony.takeGrant() {
            beginSwitch(to: saved(grant))
        } else if renewalIsWanted {
            renewalIsWanted = false
            if saved != nil { beginRenewal() }
        } else {
            sendNextRevocation()
        }
    }

    /// A renewal or replacement that only waits gives way to a sign-out or a sign-in; its late answer is dropped.
    private mutating func interruptForWaiting() {
        guard waitingSignOuts > 0 || ceremony.hasGrant else { return }
        switch procedure {
        case .renewing(.locking), .renewing(.requesting), .replacingGuest(.requesting):
            procedure = .none
            awaited = 0
            renewalIsWanted = true
        default: break
        }
    }

    func saved(_ grant: Grant) -> SavedSession {
        SavedSession(identity: grant.identity, tokens: tokens(grant))
    }

    func tokens(_ grant: Grant) -> SessionTokens {
        SessionTokens(
            accessToken: grant.accessToken, refreshToken: grant.refreshToken,
            life: grant.expiresIn.multipliedClamped(by: 1_000), receivedAt: moment.now, bootId: moment.bootId,
            renewalId: moment.secretId)
    }

    /// Asks the service, once and without waiting, to end a session that nobody will use.
    mutating func discard(_ refreshToken: String) {
        emit(.send(newTicket(), .revoke(refreshToken: refreshToken), accessToken: nil))
    }
}
