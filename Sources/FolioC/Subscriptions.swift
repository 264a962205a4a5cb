public import CFolio
import Folio

/// A subscription of any kind of store, or of the log.
final class SubscriptionBox: Handled {
    static let kind = HandleKind.subscription

    /// Takes the next state from the inbox as a new handle; `nil` when nothing waits.
    let next: @Sendable () throws(FolioError) -> OpaquePointer?
    let cancel: @Sendable () -> Void

    /// A subscription with a callback.
    init<Value: Sendable>(withoutInbox subscription: Subscription<Value>) {
        next = { () throws(FolioError) in
            throw .invalidArgument("The subscription has a callback; subscribe with a NULL callback to take states.")
        }
        cancel = { subscription.cancel() }
    }

    /// A subscription with an inbox.
    init<State: Sendable, Box: Handled>(_ subscription: Subscription<State>, box: @escaping @Sendable (State) -> Box) {
        next = { () throws(FolioError) in
            guard let state = try subscription.next() else { return nil }
            return try own(box(state))
        }
        cancel = { subscription.cancel() }
    }
}

/// The three arguments of a subscription to a store's states.
struct StateListener: Sendable {
    let callback: (@convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void)?
    let context: HostContext

    /// What Folio calls; `nil` asks for an inbox. One box and one handle serve all subscribers of a delivery.
    func listener<State: Sendable, Box: Handled>(_ box: @escaping @Sendable (State) -> Box) -> Listener<Delivered<State>>? {
        guard let callback else { return nil }
        let context = context
        return Listener(
            { delivered in
                let lent = delivered.attachment { LentHandle(box(delivered.state)) }
                callback(context.pointer, lent.handle)
            }, end: context.end)
    }
}

/// Subscribes to a store's states.
func subscribe<Store: Handled, State: Sendable, Box: Handled>(
    _ store: OpaquePointer?, _: Store.Type, _ listener: StateListener, _ out: HandleOut, _ error: ErrorOut,
    box: @escaping @Sendable (State) -> Box,
    with subscribe: (Store, Listener<Delivered<State>>?, _ inboxEnd: @escaping @Sendable () -> Void) throws(FolioError)
        -> Subscription<State>
) -> folio_status_t {
    register(listener.context, out, named: "subscription", error) { () throws(FolioError) in
        try require(store, Store.self)
    } register: { (store) throws(FolioError) in
        let subscription = try subscribe(store, listener.listener(box), listener.context.end)
        return listener.callback == nil
            ? SubscriptionBox(subscription, box: box) : SubscriptionBox(withoutInbox: subscription)
    }
}

@implementation @_cdecl("folio_subscription_next")
public func folio_subscription_next(
    _ subscription: OpaquePointer?, _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    state?.pointee = nil
    return call(error) { () throws(FolioError) in
        let subscription = try require(subscription, SubscriptionBox.self)
        guard let state else { throw missing("state") }
        guard let next = try subscription.next() else { return .nothingWaiting }
        state.pointee = UnsafeMutableRawPointer(next)
        return .ok
    }
}

@implementation @_cdecl("folio_subscription_cancel")
public func folio_subscription_cancel(
    _ subscription: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(subscription, SubscriptionBox.self).cancel()
    }
}

@implementation @_cdecl("folio_subscription_release")
public func folio_subscription_release(_ subscription: OpaquePointer?) {
    release(subscription, SubscriptionBox.self)
}
