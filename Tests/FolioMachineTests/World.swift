import FolioMachine
import FolioModel

/// A device, a service and a clock in memory, which carry out what the machine asks for and answer at once or when told.
struct World {
    var machine = RuntimeMachine()
    var now: Int64 = 1_000
    var file: DeviceSnapshot?
    var summary = VaultSummary()

    var isReachable = true
    var startFails = false
    var startsAreHeld = false
    var lockFails = false
    /// Names of writes that fail.
    var failingWrites: Set<String> = []
    /// Requests whose answers are held back until `release`.
    var heldRequests: Set<String> = []
    var serviceRefusal: [String: ServiceFailure] = [:]
    var signsInTo = Identity.authenticated(userId: "a1", email: "ana@example.com")
    var keepsGuest = true

    private(set) var sessions: [SessionState] = []
    private(set) var auths: [AuthState] = []
    private(set) var vaults: [VaultState] = []
    private(set) var requests: [String] = []
    private(set) var writes: [String] = []
    private(set) var startResult: SessionStartError??
    private(set) var settled = 0
    private(set) var timers: [RuntimeTimer: Int64] = [:]
    private(set) var lockIsHeld = false
    private(set) var removedRevocations: [Int64] = []
    /// Every effect by name, in order.
    private(set) var trace: [String] = []
    var carryOverSteps: [Result<CarryOverStep, StorageFailure>] = []

    private var answers: [RuntimeEvent] = []
    private var held: [(name: String, event: RuntimeEvent)] = []
    private var ids = 0
    private var guests = 0

    static let full = StorageFailure(.full, "full")

    mutating func send(_ event: RuntimeEvent) {
        answers.append(event)
        run()
    }

    mutating func run() {
        while !answers.isEmpty {
            let event = answers.removeFirst()
            ids += 1
            let moment = Moment(now: now, bootId: "boot", publicId: "public\(ids)", secretId: "secret\(ids)")
            for effect in machine.reduce(event, at: moment) { carryOut(effect) }
        }
    }

    /// Lets the held answers of a request go.
    mutating func release(_ name: String) {
        heldRequests.remove(name)
        if name == "start" { startsAreHeld = false }
        answers += held.filter { $0.name == name }.map(\.event)
        held.removeAll { $0.name == name }
        run()
    }

    /// A new process on the same device: memory is gone.
    mutating func restart() {
        machine = RuntimeMachine()
        sessions = []
        auths = []
        vaults = []
        requests = []
        writes = []
        startResult = nil
        answers = []
        held = []
        timers = [:]
        lockIsHeld = false
        settled = 0
        send(.start(timeout: 30_000))
    }

    mutating func clearRecords() {
        sessions = []
        auths = []
        vaults = []
        requests = []
        writes = []
        settled = 0
    }

    mutating func fire(_ timer: RuntimeTimer) {
        guard let at = timers.removeValue(forKey: timer) else { return }
        now = max(now, at)
        send(.timer(timer))
    }

    private mutating func reply(_ name: String, _ event: RuntimeEvent) {
        if heldRequests.contains(name) { held.append((name, event)) } else { answers.append(event) }
    }

    private mutating func carryOut(_ effect: RuntimeEffect) {
        trace.append(String("\(effect)".prefix { $0 != "(" }))
        switch effect {
        case .readDevice(let ticket): answers.append(.deviceRead(ticket, .success(file)))
        case .acquireLock(let ticket):
            lockIsHeld = !lockFails
            reply("lock", .lockAnswered(ticket, lockFails ? .failure(StorageFailure(.locked, "locked")) : .success(file)))
        case .releaseLock: lockIsHeld = false
        case .createDevice(let ticket, let deviceId, let intent):
            let made = DeviceSnapshot(
                deviceId: deviceId, generation: 1, notice: nil, session: nil, intent: intent, revocations: [],
                hasDeadVaults: false)
            file = made
            answers.append(.deviceCreated(ticket, .success(made)))
        case .write(let ticket, let write, let generation): commit(ticket, write, generation)
        case .clearNotice: file?.notice = nil
        case .removeRevocation(let id):
            removedRevocations.append(id)
            file?.revocations.removeAll { $0.id == id }
        case .send(let ticket, let request, _): answer(ticket, request)
        case .startServices(let ticket, _):
            let event = RuntimeEvent.servicesStarted(ticket, startFails ? .failure(Self.full) : .success(summary))
            if startsAreHeld { held.append(("start", event)) } else { answers.append(event) }
        case .stopServices: break
        case .readVault(let ticket, _): answers.append(.vaultRead(ticket, .success(summary)))
        case .carryOver(let ticket, _):
            let step = carryOverSteps.isEmpty ? .success(.finished(summary)) : carryOverSteps.removeFirst()
            reply("carryOver", .carriedOver(ticket, step))
        case .removeDeadRecords: answers.append(.deadRecordsRemoved(.success(false)))
        case .setTimer(let timer, let at): timers[timer] = at
        case .cancelTimer(let timer): timers[timer] = nil
        case .publishSession(let state): sessions.append(state)
        case .publishAuth(let state): auths.append(state)
        case .publishVault(let state): vaults.append(state)
        case .settle(let actions): settled += actions
        case .started(let error): startResult = .some(error)
        case .log: break
        }
    }

    private mutating func commit(_ ticket: Ticket, _ write: DeviceWrite, _ generation: Int64) {
        let name = String("\(write)".prefix { $0 != "(" })
        writes.append(name)
        guard var file, file.generation == generation, !failingWrites.contains(name) else {
            return answers.append(.written(ticket, .failure(Self.full)))
        }
        func revoke(_ session: SavedSession?) {
            guard let tokens = session?.tokens else { return }
            file.revocations.append(Revocation(id: file.generation, refreshToken: tokens.refreshToken))
        }
        switch write {
        case .setIntent(let intent): file.intent = intent
        case .endSession(let intent, let notice, _):
            file.session = nil
            file.intent = intent
            file.notice = notice ?? file.notice
        case .beginReplaceGuest(let intent):
            file.session?.tokens = nil
            file.intent = intent
        case .adoptGuest(let session), .replaceGuest(let session):
            file.session = session
            file.intent = nil
        case .completeSwitch(let next, let clearNotice):
            revoke(file.session)
            file.session = next
            file.intent = nil
            if clearNotice { file.notice = nil }
        case .abandonSwitch(let next):
            revoke(next)
            file.intent = nil
        case .renewTokens(let tokens): file.session?.tokens = tokens
        }
        file.generation += 1
        self.file = file
        reply(name, .written(ticket, .success(file)))
    }

    private mutating func answer(_ ticket: Ticket, _ request: ServiceRequest) {
        let name = String("\(request)".prefix { $0 != "(" })
        requests.append(name)
        guard isReachable else { return reply(name, .answered(ticket, .failure(.unreachable))) }
        if let refusal = serviceRefusal[name] { return reply(name, .answered(ticket, .failure(refusal))) }
        let answer: ServiceAnswer
        switch request {
        case .createGuest(_, _, let endedToken):
            if endedToken == nil || !keepsGuest { guests += 1 }
            answer = .granted(grant(.transient(userId: "g\(guests)")))
        case .startCeremony:
            answer = .ceremony(CeremonyStarted(ceremonyId: "c", expiresIn: 600, resendIn: 30, triesLeft: 5))
        case .verifyCode: answer = .granted(grant(signsInTo))
        case .renew: answer = .granted(grant(file?.session?.identity ?? .unresolved))
        case .revoke: answer = .revoked
        }
        reply(name, .answered(ticket, .success(answer)))
    }

    private mutating func grant(_ identity: Identity) -> Grant {
        ids += 1
        return Grant(identity: identity, accessToken: "access\(ids)", refreshToken: "refresh\(ids)", expiresIn: 3_600)
    }
}

extension World {
    static func guest() -> World {
        var world = World()
        world.send(.start(timeout: 30_000))
        world.clearRecords()
        return world
    }

    static func account() -> World {
        var world = guest()
        world.signIn()
        world.clearRecords()
        return world
    }

    mutating func signIn(_ email: String = "ana@example.com") {
        send(.auth(.signIn(email: email)))
        send(.auth(.submitCode("123456")))
    }

    /// The states as "IDENTITY STATUS flags".
    var told: [String] {
        sessions.map { state in
            var words = [state.identity.userId ?? "-", "\(state.status)"]
            if state.signingOut { words.append("signingOut") }
            if state.notice != nil { words.append("notice") }
            if let error = state.error { words.append("\(error.kind)") }
            return words.joined(separator: " ")
        }
    }

    var authWords: [String] {
        auths.map { state in
            switch state {
            case .idle: "idle"
            case .sending: "sending"
            case .awaitingCode(let awaiting): "awaiting" + (awaiting.error.map { " \($0.kind)" } ?? "")
            case .verifying: "verifying"
            case .failed(_, let error): "failed \(error.kind)"
            }
        }
    }

    static let ended = ServiceFailure(
        reason: .refused(status: 400, code: "session_ended"), message: "ended", endsSession: true)
    static let deleted = ServiceFailure(
        reason: .refused(status: 400, code: "account_deleted"), message: "deleted", endsSession: true)
}
