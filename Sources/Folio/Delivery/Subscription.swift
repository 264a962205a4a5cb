import Synchronization

/// Where a subscription stands.
private enum Phase {
    static let idle: UInt8 = 0
    static let running: UInt8 = 1
    /// Cancelled while its callback runs: the dispatching thread ends it.
    static let ending: UInt8 = 2
    static let ended: UInt8 = 3
}

/// One registration of a listener, or of an inbox when there is none.
public final class Subscription<Value: Sendable>: Sendable {
    /// Every change is one exchange, so a cancel and a start of the callback never both win and `end` runs once.
    private let phase = Atomic<UInt8>(Phase.idle)
    /// Takes part in delivery as its own lock, last in the order: nothing is called while it is held.
    private let inbox: Monitor<Queue<Value>>?
    private let call: @Sendable (Delivered<Value>) -> Void
    private let end: @Sendable () -> Void

    /// `inboxEnd` is the end of a subscription without a listener.
    init(_ listener: Listener<Delivered<Value>>?, inboxEnd: @escaping @Sendable () -> Void = {}) {
        if let listener {
            call = listener.call
            end = listener.end
            inbox = nil
        } else {
            let inbox = Monitor(Queue<Value>())
            call = { delivered in inbox.withLock { $0.append(delivered.state) } }
            end = inboxEnd
            self.inbox = inbox
        }
    }

    var isEnded: Bool { phase.load(ordering: .acquiring) >= Phase.ending }

    /// Runs the callback, or fills the inbox. Only on the dispatching thread, without any lock.
    func deliver(_ delivered: Delivered<Value>) {
        guard exchange(Phase.idle, Phase.running) else { return }
        call(delivered)
        if !exchange(Phase.running, Phase.idle) {
            phase.store(Phase.ended, ordering: .releasing)
            end()
        }
    }

    /// An inbox begins with the current state.
    func begin(with value: Value) { inbox?.withLock { $0.append(value) } }

    /// Takes one value from the inbox.
    /// - Returns: `nil` when it is empty.
    /// - Throws: `closed` at its end, `invalidArgument` for a subscription with a listener.
    public func next() throws(FolioError) -> Value? {
        guard let inbox else {
            throw FolioError(.invalidArgument, "This subscription has a callback; subscribe without one to have an inbox.")
        }
        let wasEnded = isEnded
        if let value = inbox.withLock({ $0.popFirst() }) { return value }
        if wasEnded { throw FolioError(.closed, "The subscription has ended; subscribe again on an open store.") }
        return nil
    }

    /// Cancels from any thread, also inside the callback, and as often as one likes: what is queued is suppressed. On the
    /// dispatching thread nothing runs after this; from another a running callback may finish, and `end` marks the end.
    public func cancel() {
        inbox?.withLock { $0.removeAll() }
        finish()
    }

    /// Ends the subscription and leaves what its inbox holds.
    func finish() {
        while true {
            if exchange(Phase.idle, Phase.ended) { return end() }
            if exchange(Phase.running, Phase.ending) { return }
            if isEnded { return }
        }
    }

    private func exchange(_ expected: UInt8, _ desired: UInt8) -> Bool {
        phase.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
    }
}
