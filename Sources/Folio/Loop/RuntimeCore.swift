import FolioDevice
import FolioMachine
import FolioModel
import FolioWire
import Synchronization

/// What a core is made from.
struct RuntimeSeed: Sendable {
    let id: RuntimeId
    let directory: DirectoryIdentity
    let configuration: FolioConfiguration
    let surroundings: RuntimeSurroundings
    let delivery: Delivery
    let service: EmbeddedServiceHost
    /// Set while a report of changed records is on its way; see `VaultStore`.
    let vaultChange: VaultChange
    /// Told when the core is gone and the directory is free.
    let closing: Closing
}

/// The timers of a core: those of the rules, and tries of its own.
enum CoreTimer: Hashable, Sendable {
    case machine(RuntimeTimer)
    case lock
    case busy(UInt64)
    case truncation
}

/// One runtime on the loop thread: feeds events to the machine and carries out its effects. Owns the device file and the
/// process lock.
final class RuntimeCore {
    /// How often something that another process holds is tried again (milliseconds).
    private static let retryInterval: Int64 = 20
    /// How long SQLITE_BUSY is waited for (milliseconds).
    private static let busyLimit: Int64 = 5_000
    /// How long the process lock is waited for (milliseconds).
    private static let lockLimit: Int64 = 30_000
    /// How often a WAL that could not be truncated is tried again (milliseconds).
    private static let truncationInterval: Int64 = 200

    private let seed: RuntimeSeed
    private let agenda: Agenda
    private var machine = RuntimeMachine()
    private var lock: ProcessLock?
    private var device: DeviceFile?
    private var lockWait: (ticket: Ticket, deadline: Int64)?
    private var timers: [CoreTimer: UInt64] = [:]
    private var busyEffects: [UInt64: (effect: RuntimeEffect, deadline: Int64)] = [:]
    private var lastBusy: UInt64 = 0

    init(_ seed: RuntimeSeed, _ agenda: Agenda) {
        self.seed = seed
        self.agenda = agenda
        lock = ProcessLock(directory: seed.directory, registerDescriptor: Fork.add, closeDescriptor: Fork.close)
    }

    func begin() { take(.start(timeout: Int64(seed.configuration.timeoutMs))) }

    func take(_ event: RuntimeEvent) {
        for effect in machine.reduce(event, at: Clock.moment()) {
            perform(effect, deadline: nil)
            seed.surroundings.observer?(effect.name)
        }
    }

    /// Lets everything go; intents keep what was not finished.
    func close() {
        guard lock != nil else { return }
        if device != nil { stopServices() }
        device?.close()
        device = nil
        releaseLock()
        timers = [:]
        busyEffects = [:]
        lock = nil
        DirectoryRegistry.shared.release(seed.directory)
        seed.closing.finish()
    }

    /// The answer to an effect comes as an event of its own, one turn later.
    private func answer(_ event: RuntimeEvent) { agenda.turns.append(.event(seed.id, event)) }

    // MARK: Timers

    private func setTimer(_ timer: CoreTimer, at: Int64) {
        timers[timer] = agenda.setTimer(timer, of: seed.id, at: at)
    }

    private func setTimer(_ timer: CoreTimer, after delay: Int64) { setTimer(timer, at: Clock.now() + delay) }

    func timerFired(_ timer: CoreTimer, sequence: UInt64) {
        guard timers[timer] == sequence else { return }
        timers[timer] = nil
        switch timer {
        case .machine(let timer): answer(.timer(timer))
        case .lock: tryLock()
        case .busy(let id):
            guard let (effect, deadline) = busyEffects.removeValue(forKey: id) else { return }
            perform(effect, deadline: deadline)
        case .truncation: truncateWal()
        }
    }

    // MARK: Effects

    /// Carries one effect out. `deadline` is when a busy file is given up, `nil` at the first try.
    private func perform(_ effect: RuntimeEffect, deadline: Int64?) {
        switch effect {
        case .readDevice(let ticket):
            attempt(effect, deadline, { .deviceRead(ticket, $0) }) { () throws(DeviceError) in try self.readDevice() }
        case .acquireLock(let ticket):
            lockWait = (ticket, Clock.now() + Self.lockLimit)
            tryLock()
        case .releaseLock: releaseLock()
        case .createDevice(let ticket, let deviceId, let intent):
            attempt(effect, deadline, { .deviceCreated(ticket, $0) }) { () throws(DeviceError) in
                try self.createDevice(deviceId: deviceId, intent: intent)
            }
        case .write(let ticket, let write, let generation):
            attempt(effect, deadline, { .written(ticket, $0) }) { () throws(DeviceError) in
                let device = try self.openDevice()
                _ = try device.write(write, expecting: generation)
                if write.removesTokens { self.truncateWal() }
                return try device.snapshot()
            }
        case .clearNotice:
            attempt(effect, deadline) { () throws(DeviceError) in try self.openDevice().clearNotice() }
        case .removeRevocation(let id):
            attempt(effect, deadline) { () throws(DeviceError) in
                try self.openDevice().removeRevocation(id)
                self.truncateWal()
            }
        case .send(let ticket, let request, let accessToken):
            send(effect, deadline, ticket, request, accessToken)
        case .startServices(let ticket, let identity):
            attempt(effect, deadline, { self.startOthers(ticket, identity, $0) }) { () throws(DeviceError) in
                try self.openDevice().vaultSummary(for: identity)
            }
        case .stopServices: stopServices()
        case .readVault(let ticket, let userId):
            seed.vaultChange.reportIsRead()
            attempt(effect, deadline, { .vaultRead(ticket, $0) }) { () throws(DeviceError) in
                try self.openDevice().vaultSummary(for: .transient(userId: userId))
            }
        case .carryOver(let ticket, let userId):
            attempt(effect, deadline, { .carriedOver(ticket, $0) }) { () throws(DeviceError) in
                try self.openDevice().carryOverBatch(account: userId) { $0.map(CarryOverRules.decide) }
            }
        case .removeDeadRecords:
            attempt(effect, deadline, { .deadRecordsRemoved($0) }) { () throws(DeviceError) in
                try self.openDevice().removeDeadBatch()
            }
        case .setTimer(let timer, let at): setTimer(.machine(timer), at: at)
        case .cancelTimer(let timer): timers[.machine(timer)] = nil
        case .publishSession(let state): seed.delivery.publish(state)
        case .publishAuth(let state): seed.delivery.publish(state)
        case .publishVault(let state): seed.delivery.publish(state)
        case .settle(let actions): seed.delivery.settle(actions)
        case .started(let error):
            if error != nil {
                // A runtime that did not start keeps nothing: its directory is free before the host hears of it.
                close()
                agenda.turns.append(.close(seed.id))
            }
            seed.delivery.started(error.map { FolioError($0) })
            // A process that died before it could truncate has left old tokens in the WAL.
            if error == nil { setTimer(.truncation, after: 0) }
        case .log(let level, let text): seed.delivery.log(LogLine(level: level.rawValue, text: text))
        }
    }

    /// Runs work on the device file; a busy file is tried again by a timer until the limit.
    private func attempt<Value>(
        _ effect: RuntimeEffect, _ deadline: Int64?, _ event: ((Result<Value, StorageFailure>) -> RuntimeEvent?)? = nil,
        _ work: () throws(DeviceError) -> Value
    ) {
        let result: Result<Value, StorageFailure>
        do throws(DeviceError) {
            result = .success(try work())
        } catch {
            if case .busy = error, retryLater(effect, deadline) { return }
            result = .failure(StorageFailure(error))
        }
        if let event {
            if let event = event(result) { answer(event) }
        } else if case .failure(let failure) = result {
            seed.delivery.log(LogLine(level: LogLevel.error.rawValue, text: failure.message))
        }
    }

    /// - Returns: `false` when the limit is reached.
    private func retryLater(_ effect: RuntimeEffect, _ deadline: Int64?) -> Bool {
        let deadline = deadline ?? Clock.now() + Self.busyLimit
        guard Clock.now() < deadline else { return false }
        lastBusy &+= 1
        busyEffects[lastBusy] = (effect, deadline)
        setTimer(.busy(lastBusy), after: Self.retryInterval)
        return true
    }

    // MARK: Device

    private func readDevice() throws(DeviceError) -> DeviceSnapshot? {
        if device == nil {
            let exists: Bool
            do throws(StorageFailure) { exists = try DeviceFile.exists(in: seed.directory) } catch { throw .failed(error) }
            guard exists else { return nil }
        }
        let snapshot = try openDevice().snapshot()
        return snapshot
    }

    private func openDevice() throws(DeviceError) -> DeviceFile {
        if let device { return device }
        let opened = try DeviceFile(opening: seed.directory, hostKey: seed.configuration.storageKey)
        device = opened
        return opened
    }

    private func createDevice(deviceId: String, intent: Intent) throws(DeviceError) -> DeviceSnapshot {
        try DeviceFile.create(
            in: seed.directory, hostKey: seed.configuration.storageKey, deviceId: deviceId, intent: intent)
        return try openDevice().snapshot()
    }

    /// No old token stays in any file; a reader in the way makes it wait.
    private func truncateWal() {
        guard let device else { return }
        if (try? device.truncateWal()) != true { setTimer(.truncation, after: Self.truncationInterval) }
    }

    // MARK: Lock

    private func tryLock() {
        guard let (ticket, deadline) = lockWait else { return }
        let holdsLock: Bool
        do throws(StorageFailure) {
            holdsLock = try lock?.tryLock() ?? false
        } catch {
            lockWait = nil
            return answer(.lockAnswered(ticket, .failure(error)))
        }
        if !holdsLock {
            guard Clock.now() < deadline else {
                lockWait = nil
                return answer(.lockAnswered(ticket, .failure(StorageFailure(
                    .locked, "Another process holds the data directory; try again when it has finished."))))
            }
            return setTimer(.lock, after: Self.retryInterval)
        }
        do throws(DeviceError) {
            let snapshot = try readDevice()
            lockWait = nil
            answer(.lockAnswered(ticket, .success(snapshot)))
        } catch {
            if case .busy = error, Clock.now() < deadline { return setTimer(.lock, after: Self.retryInterval) }
            lockWait = nil
            answer(.lockAnswered(ticket, .failure(StorageFailure(error))))
        }
    }

    private func releaseLock() {
        lockWait = nil
        timers[.lock] = nil
        lock?.unlock()
    }

    // MARK: Service

    private func send(
        _ effect: RuntimeEffect, _ deadline: Int64?, _ ticket: Ticket, _ request: ServiceRequest, _ accessToken: String?
    ) {
        let wire = ClientCodec.encode(request, accessToken: accessToken)
        switch seed.service.answer(wire, tokenLife: seed.configuration.embeddedTokenLife) {
        case .response(let response): answer(.answered(ticket, ClientCodec.decode(response, for: request)))
        case .unreachable: answer(.answered(ticket, .failure(.unreachable)))
        case .busy:
            if !retryLater(effect, deadline) { answer(.answered(ticket, .failure(.unreachable))) }
        }
    }

    // MARK: Services of the identity

    /// The vault has started with `vault`; the injected services follow, and the machine hears when all have.
    private func startOthers(
        _ ticket: Ticket, _ identity: Identity, _ vault: Result<VaultSummary, StorageFailure>
    ) -> RuntimeEvent? {
        guard case .success(let summary) = vault, !seed.surroundings.services.isEmpty else {
            return .servicesStarted(ticket, vault)
        }
        let id = seed.id
        Self.start(seed.surroundings.services[...], for: identity) { failure in
            Loop.shared.send(.event(id, .servicesStarted(ticket, failure.map { .failure($0) } ?? .success(summary))))
        }
        return nil
    }

    private static func start(
        _ services: ArraySlice<any IdentityService>, for identity: Identity,
        completion: @escaping @Sendable (StorageFailure?) -> Void
    ) {
        guard let first = services.first else { return completion(nil) }
        first.start(for: identity) { failure in
            if let failure { return completion(failure) }
            start(services.dropFirst(), for: identity, completion: completion)
        }
    }

    private func stopServices() {
        for service in seed.surroundings.services.reversed() { service.stop() }
    }
}

extension StorageFailure {
    fileprivate init(_ error: DeviceError) {
        switch error {
        case .busy: self.init(.locked, "Another process keeps the device file busy; try again when it has finished.")
        case .failed(let failure): self = failure
        }
    }
}

extension RuntimeEffect {
    /// The name of the case, with the name of what is written or asked.
    var name: String {
        switch self {
        case .write(_, let write, _): "write." + Self.caseName(write)
        case .send(_, let request, _): "send." + Self.caseName(request)
        default: Self.caseName(self)
        }
    }

    /// The text before the first parenthesis: never a payload.
    private static func caseName(_ value: some Any) -> String {
        Mirror(reflecting: value).children.first?.label ?? "\(value)"
    }
}
