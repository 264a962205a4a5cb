import FolioModel
import Glibc

/// The queue of one runtime between the loop and the host: states, completions and log lines in order of publication,
/// taken by the host's thread in `dispatch`.
final class Delivery: Sendable {
    enum Phase {
        case starting, ready, failed
        case shutDown
    }

    fileprivate struct Entry {
        var sequence: UInt64
        /// Whether the host sees it as an event; a settled action is not one.
        var isEvent: Bool
        /// Runs on the dispatching thread with no lock held.
        var run: @Sendable (Delivery) -> Void
    }

    struct Guarded {
        var phase = Phase.starting
        /// Set once the start is over; the inner error is why it failed.
        var startResult: FolioError??
        var completion: Subscription<FolioError?>?
        var session = Channel(published: SessionState())
        var auth = Channel(published: AuthState.idle)
        var vault = Channel(published: VaultState())
        var logSubscriptions = SubscriptionList<LogLine>()
        var pending = 0
        var dispatchingThread: pthread_t?
        fileprivate var queue = Queue<Entry>()
        fileprivate var lastSequence: UInt64 = 0
        fileprivate var signal: EventSignal?
    }

    private let guarded = Monitor(Guarded())

    func withLock<Result, Failure: Error>(
        _ body: (inout Guarded) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try guarded.withLock(body)
    }

    // MARK: From the loop

    func publish(_ state: SessionState) { publish(state, \.session) }
    func publish(_ state: AuthState) { publish(state, \.auth) }
    func publish(_ state: VaultState) { publish(state, \.vault) }

    private func publish<State>(
        _ state: State, _ channel: any WritableKeyPath<Guarded, Channel<State>> & Sendable
    ) {
        guarded.withLock { guarded in
            guarded[keyPath: channel].published = state
            guard !guarded[keyPath: channel].stores.isEmpty else { return }
            let sequence = guarded.lastSequence &+ 1
            append(&guarded) { $0.deliver(state, channel) { $0.mountedAt < sequence } }
        }
    }

    func log(_ line: LogLine) {
        guarded.withLock { guarded in
            guard !guarded.logSubscriptions.all.isEmpty else { return }
            append(&guarded) { delivery in
                let delivered = Delivered(line)
                for subscription in delivery.withLock({ $0.logSubscriptions.all }) { subscription.deliver(delivered) }
            }
        }
    }

    /// So many actions have published their last state.
    func settle(_ actions: Int) {
        guarded.withLock { guarded in
            append(&guarded, isEvent: false) { delivery in
                delivery.withLock { $0.pending -= actions }
            }
        }
    }

    /// The start is over: wakes a blocking create, or queues the completion.
    func started(_ error: FolioError?) {
        guarded.withLock { guarded in
            guard guarded.phase == .starting, guarded.startResult == nil else { return }
            guarded.startResult = .some(error)
            guard let completion = guarded.completion else {
                guarded.phase = error == nil ? .ready : .failed
                return
            }
            append(&guarded) { delivery in
                delivery.withLock {
                    if $0.phase == .starting { $0.phase = error == nil ? .ready : .failed }
                    $0.completion = nil
                    $0.pending -= 1
                }
                completion.deliver(Delivered(error))
                completion.finish()
            }
        }
        guarded.wakeAll()
    }

    /// Under the lock. Nothing is queued after shutdown.
    private func append(
        _ guarded: inout Guarded, isEvent: Bool = true, _ run: @escaping @Sendable (Delivery) -> Void
    ) {
        guard guarded.phase != .shutDown else { return }
        guarded.lastSequence &+= 1
        guarded.queue.append(Entry(sequence: guarded.lastSequence, isEvent: isEvent, run: run))
        guard guarded.dispatchingThread == nil else { return }
        guarded.signal?.raise()
        self.guarded.wakeAll()
    }

    // MARK: Stores

    func mount<State>(
        _ defaults: State, _ channel: any WritableKeyPath<Guarded, Channel<State>> & Sendable
    ) throws(FolioError) -> StoreCore<State> {
        try guarded.withLock { (guarded) throws(FolioError) in
            try guarded.requireReady()
            let published = guarded[keyPath: channel].published
            let sequence = guarded.lastSequence &+ 1
            let store = StoreCore(defaults: defaults, published: published, mountedAt: sequence)
            guarded[keyPath: channel].stores.append(store)
            append(&guarded) { $0.deliver(published, channel) { $0 === store } }
            return store
        }
    }

    /// Sets the state of the stores that the entry is for, and calls their subscribers in order of subscription.
    private func deliver<State>(
        _ state: State, _ channel: any WritableKeyPath<Guarded, Channel<State>> & Sendable,
        to isAddressed: (StoreCore<State>) -> Bool
    ) {
        let subscriptions = guarded.withLock { guarded -> [[Subscription<State>]] in
            var subscriptions: [[Subscription<State>]] = []
            for store in guarded[keyPath: channel].stores where isAddressed(store) {
                store.hasRead = true
                guard store.state != state else { continue }
                store.state = state
                subscriptions.append(store.subscriptions.all)
            }
            return subscriptions
        }
        guard !subscriptions.isEmpty else { return }
        let delivered = Delivered(state)
        for ofStore in subscriptions {
            // By position: an iterator would count a reference to each subscription up and down.
            for index in ofStore.indices { ofStore[index].deliver(delivered) }
        }
    }

    /// A refused listener has been ended when this throws.
    func subscribe<State>(
        _ listener: Listener<Delivered<State>>?, inboxEnd: @escaping @Sendable () -> Void, to store: StoreCore<State>
    ) throws(FolioError) -> Subscription<State> {
        let subscription = Subscription(listener, inboxEnd: inboxEnd)
        do throws(FolioError) {
            if Fork.isChild { throw .forked }
            try guarded.withLock { (guarded) throws(FolioError) in
                if store.isClosed { throw .closed }
                if guarded.phase == .shutDown { throw .shutDown }
                store.subscriptions.append(subscription)
                subscription.begin(with: store.state)
            }
            return subscription
        } catch {
            subscription.cancel()
            throw error
        }
    }

    func close<State>(_ store: StoreCore<State>, _ channel: WritableKeyPath<Guarded, Channel<State>>) {
        let subscriptions = guarded.withLock { guarded -> [Subscription<State>] in
            store.isClosed = true
            guarded[keyPath: channel].stores.removeAll { $0 === store }
            return store.subscriptions.takeAll()
        }
        for subscription in subscriptions { subscription.finish() }
    }

    /// Counts an accepted action; its `settle` ends it.
    func accept<State>(for store: StoreCore<State>) throws(FolioError) {
        try guarded.withLock { (guarded) throws(FolioError) in
            if store.isClosed { throw .closed }
            try guarded.requireReady()
            guarded.pending += 1
        }
    }

    /// As `subscribe`, for log lines.
    func subscribeLog(_ listener: Listener<LogLine>) throws(FolioError) -> Subscription<LogLine> {
        let subscription = Subscription(Listener<Delivered<LogLine>>({ listener.call($0.state) }, end: listener.end))
        do throws(FolioError) {
            if Fork.isChild { throw .forked }
            try guarded.withLock { (guarded) throws(FolioError) in
                try guarded.requireReady()
                guarded.logSubscriptions.append(subscription)
            }
            return subscription
        } catch {
            subscription.cancel()
            throw error
        }
    }

    // MARK: Dispatch

    func openEventDescriptor() throws(FolioError) -> Int32 {
        try guarded.withLock { (guarded) throws(FolioError) in
            if guarded.phase == .shutDown { throw .shutDown }
            if guarded.signal == nil {
                guarded.signal = try EventSignal()
                if !guarded.queue.isEmpty, guarded.dispatchingThread == nil { guarded.signal?.raise() }
            }
            guard let signal = guarded.signal else { throw .shutDown }
            return try signal.duplicate()
        }
    }

    /// - Returns: How many events were taken.
    func dispatch(max: Int32) throws(FolioError) -> Int32 {
        if DispatchDepth.isInside { throw .insideCallback }
        let last = try guarded.withLock { (guarded) throws(FolioError) -> UInt64 in
            if guarded.phase == .shutDown { throw .shutDown }
            if guarded.dispatchingThread != nil { throw .concurrentDispatch }
            guarded.dispatchingThread = pthread_self()
            guarded.signal?.lower()
            return guarded.lastSequence
        }
        DispatchDepth.enter()
        var count = 0
        while let entry = guarded.withLock({ $0.nextEntry(upTo: last, takesEvents: max <= 0 || count < Int(max)) }) {
            entry.run(self)
            if entry.isEvent { count += 1 }
        }
        DispatchDepth.leave()
        guarded.withLock { guarded in
            guarded.dispatchingThread = nil
            if !guarded.queue.isEmpty { guarded.signal?.raise() }
        }
        // Another thread may wait for what was queued meanwhile.
        guarded.wakeAll()
        return Int32(clamping: count)
    }

    /// Waits until something is queued; `false` when the time ran out first.
    func wait(timeoutMs: Int32) throws(FolioError) -> Bool {
        if DispatchDepth.isInside { throw .insideCallback }
        let deadline = timeoutMs < 0 ? nil : Clock.monotonic() + Int64(timeoutMs)
        let outcome = guarded.wait(until: deadline) { guarded -> Result<Bool, FolioError>? in
            if guarded.phase == .shutDown { return .failure(.shutDown) }
            if guarded.dispatchingThread != nil { return .failure(.concurrentDispatch) }
            return guarded.queue.isEmpty ? nil : .success(true)
        }
        return try (outcome ?? .success(false)).get()
    }

    /// Blocks until the start is over.
    func waitForStart() -> FolioError? {
        guarded.wait(until: nil) { guarded -> FolioError?? in
            guarded.phase == .shutDown ? .some(.shutDown) : guarded.startResult
        } ?? nil
    }

    // MARK: End

    /// Refuses new work, drops what is queued and ends every listener. `false` when that was done before.
    func shutDown() -> Bool {
        struct Ends: Sendable { var all: [@Sendable () -> Void] = [] }
        let ends = guarded.withLock { guarded -> Ends? in
            guard guarded.phase != .shutDown else { return nil }
            guarded.phase = .shutDown
            guarded.queue.removeAll()
            guarded.pending = 0
            guarded.signal?.close()
            guarded.signal = nil
            var ends = Ends()
            func end<State>(_ channel: inout Channel<State>) {
                for store in channel.stores {
                    for subscription in store.subscriptions.takeAll() { ends.all.append { subscription.finish() } }
                }
                channel.stores = []
            }
            end(&guarded.session)
            end(&guarded.auth)
            end(&guarded.vault)
            for subscription in guarded.logSubscriptions.takeAll() { ends.all.append { subscription.finish() } }
            if let completion = guarded.completion { ends.all.append { completion.finish() } }
            guarded.completion = nil
            return ends
        }
        guarded.wakeAll()
        guard let ends else { return false }
        for end in ends.all { end() }
        return true
    }
}

extension Delivery.Guarded {
    func requireReady() throws(FolioError) {
        switch phase {
        case .ready: return
        case .starting, .failed: throw .notReady
        case .shutDown: throw .shutDown
        }
    }

    fileprivate mutating func nextEntry(upTo last: UInt64, takesEvents: Bool) -> Delivery.Entry? {
        guard phase != .shutDown, let first = queue.first, first.sequence <= last, takesEvents || !first.isEvent else {
            return nil
        }
        return queue.popFirst()
    }
}
