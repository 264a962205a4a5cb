/// What a runtime reports of one kind of store: the state published last, and the stores mounted on it. Guarded by the
/// lock of the runtime's delivery.
struct Channel<State: Hashable & Sendable> {
    var published: State
    var stores: [StoreCore<State>] = []
}

/// One mounted store.
///
/// `@unchecked Sendable`: every field is reached only under the lock of the delivery the store was mounted on.
final class StoreCore<State: Hashable & Sendable>: @unchecked Sendable {
    /// The state delivered last.
    var state: State
    /// The state that was published when the store was mounted.
    let stateAtMount: State
    var hasRead = false
    var isClosed = false
    var subscriptions = SubscriptionList<State>()
    /// Entries published up to this one are older than the store.
    let mountedAt: UInt64

    init(defaults: State, published: State, mountedAt: UInt64) {
        state = defaults
        stateAtMount = published
        self.mountedAt = mountedAt
    }
}
