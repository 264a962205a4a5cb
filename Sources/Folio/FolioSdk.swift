import FolioDevice
import FolioMachine
public import FolioModel
import Glibc

/// A runtime: one identity on a data directory, with the services that run for it.
///
/// Every method may be called from any thread. Callbacks run only inside `dispatchEvents` and `waitEvents`.
public final class FolioSdk: Sendable {
    let delivery: Delivery
    let vault: VaultAccess
    private let id: RuntimeId
    private let service: EmbeddedServiceHost
    private let closing: Closing
    private let releaseIsWanted = Monitor(false)

    /// Restores the saved session, or creates a guest, before it returns. Blocks at most `timeoutMs`.
    /// - Throws: A SessionStartError as `network`, `service` or `storage`; `directoryInUse`; `busy` inside a callback;
    ///   `forked`; `invalidArgument`.
    public static func create(_ configuration: FolioConfiguration) throws(FolioError) -> FolioSdk {
        try create(configuration, in: RuntimeSurroundings())
    }

    package static func create(
        _ configuration: FolioConfiguration, in surroundings: RuntimeSurroundings
    ) throws(FolioError) -> FolioSdk {
        if !Fork.isChild, DispatchDepth.isInside { throw .insideCallback }
        let sdk = try FolioSdk(configuration, surroundings, completion: nil)
        if let error = sdk.delivery.waitForStart() {
            sdk.closing.wait()
            throw error
        }
        return sdk
    }

    /// The same without blocking; `completion` is delivered by dispatch, with the error when the start failed. Until then
    /// everything but the event descriptor, dispatch, wait, pending, shutdown and release throws `notReady`. When this
    /// throws, the completion has been ended.
    public static func createAsync(
        _ configuration: FolioConfiguration, completion: Listener<FolioError?>
    ) throws(FolioError) -> FolioSdk {
        do {
            return try FolioSdk(configuration, RuntimeSurroundings(), completion: completion)
        } catch {
            completion.end()
            throw error
        }
    }

    private init(
        _ configuration: FolioConfiguration, _ surroundings: RuntimeSurroundings, completion: Listener<FolioError?>?
    ) throws(FolioError) {
        if Fork.isChild { throw .forked }
        try configuration.validate()
        let directory: DirectoryIdentity
        do { directory = try DeviceDirectory.prepare(configuration.dataDirectory) } catch { throw FolioError(error) }
        Fork.install()
        try DirectoryRegistry.shared.claim(directory)
        id = Loop.shared.newRuntimeId()
        delivery = Delivery()
        closing = Closing()
        service = EmbeddedServiceHost.of(directory)
        let change = VaultChange(id)
        vault = VaultAccess(directory, configuration.storageKey, change)
        if let completion {
            let subscription = Subscription(Listener<Delivered<FolioError?>>({ completion.call($0.state) }, end: completion.end))
            delivery.withLock {
                $0.completion = subscription
                $0.pending = 1
            }
        }
        do {
            try Loop.shared.post(.open(RuntimeSeed(
                id: id, directory: directory, configuration: configuration, surroundings: surroundings,
                delivery: delivery, service: service, vaultChange: change, closing: closing)))
        } catch {
            DirectoryRegistry.shared.release(directory)
            throw error
        }
    }

    deinit { beginShutdown() }

    // MARK: Events

    /// A close-on-exec, non-blocking descriptor, readable while events wait, for the caller to own. Whoever reads a byte
    /// must dispatch. At end-of-file after shutdown.
    public func openEventDescriptor() throws(FolioError) -> Int32 {
        if Fork.isChild { throw .forked }
        return try delivery.openEventDescriptor()
    }

    /// Runs the callbacks of at most `max` waiting events (0: all that wait now) on this thread.
    /// - Returns: How many events were taken.
    /// - Throws: `busy` inside a callback or while another thread dispatches; `shutDown`.
    @discardableResult
    public func dispatchEvents(max: Int32 = 0) throws(FolioError) -> Int32 {
        if Fork.isChild { throw .forked }
        if max < 0 { throw FolioError(.invalidArgument, "The number of events is negative; give 0 for all.") }
        let count = try delivery.dispatch(max: max)
        // A release inside a callback takes effect now.
        if releaseIsWanted.withLock({ $0 }) { beginShutdown() }
        return count
    }

    /// Waits until an event waits, then dispatches all. 0 does not wait, a negative time has no limit.
    /// - Returns: How many events were taken; 0 when the time ran out.
    @discardableResult
    public func waitEvents(timeoutMs: Int32) throws(FolioError) -> Int32 {
        if Fork.isChild { throw .forked }
        // A settled action ends the wait too, so that a caller who waits for `pending` hears of it.
        return try delivery.wait(timeoutMs: timeoutMs) ? dispatchEvents() : 0
    }

    /// Accepted actions whose last state is not yet delivered, plus undelivered completions.
    public var pending: Int32 { Fork.isChild ? 0 : Int32(clamping: delivery.withLock { $0.pending }) }

    // MARK: Session

    /// The latest published session, without a store and without dispatch.
    public func copySessionState() throws(FolioError) -> SessionState {
        if Fork.isChild { throw .forked }
        return try delivery.withLock { (guarded) throws(FolioError) in
            try guarded.requireReady()
            return guarded.session.published
        }
    }

    /// Asks for a renewal now; answers through the states.
    public func renew() throws(FolioError) {
        if Fork.isChild { throw .forked }
        try delivery.withLock { (guarded) throws(FolioError) in try guarded.requireReady() }
        Loop.shared.send(.event(id, .renewRequested))
    }

    /// Hears log lines, through dispatch.
    public func subscribeLog(_ listener: Listener<LogLine>) throws(FolioError) -> Subscription<LogLine> {
        try delivery.subscribeLog(listener)
    }

    /// A new handle to the embedded service.
    public func embeddedService() throws(FolioError) -> EmbeddedService {
        if Fork.isChild { throw .forked }
        try delivery.withLock { (guarded) throws(FolioError) in try guarded.requireReady() }
        return EmbeddedService(service)
    }

    func post(_ event: RuntimeEvent) { Loop.shared.send(.event(id, event)) }

    // MARK: End

    /// Refuses new work, lets the step in progress end, drops what is queued and frees the directory. Harmless twice.
    /// - Throws: `busy` inside a callback.
    public func shutdown() throws(FolioError) {
        if Fork.isChild { throw .forked }
        if DispatchDepth.isInside { throw .insideCallback }
        beginShutdown()
        closing.wait()
    }

    /// Shutdown without waiting. Inside a callback of this runtime it takes effect at the end of that dispatch.
    public func release() {
        if Fork.isChild { return }
        let isOwnDispatch = delivery.withLock { guarded in
            guarded.dispatchingThread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
        }
        if isOwnDispatch {
            releaseIsWanted.withLock { $0 = true }
        } else {
            beginShutdown()
        }
    }

    private func beginShutdown() {
        if Fork.isChild { return }
        guard delivery.shutDown() else { return }
        vault.close()
        Loop.shared.send(.close(id))
    }
}

extension FolioConfiguration {
    fileprivate func validate() throws(FolioError) {
        if dataDirectory.isEmpty {
            throw FolioError(.invalidArgument, "The configuration has no data directory; set one.")
        }
        if let storageKey, storageKey.count != Self.storageKeyBytes {
            throw FolioError(.invalidArgument, "The storage key has the wrong length; give 32 bytes.")
        }
        if timeoutMs < 1 { throw FolioError(.invalidArgument, "The timeout must be 1 ms or more.") }
        if embeddedTokenLife < 1 { throw FolioError(.invalidArgument, "The token life must be 1 s or more.") }
    }
}
