/// A callback of the host, with the end of its life.
public struct Listener<Value>: Sendable {
    let call: @Sendable (Value) -> Void
    let end: @Sendable () -> Void

    /// - Parameters:
    ///   - call: Runs only inside a dispatch, on the dispatching thread.
    ///   - end: Called exactly once, when `call` will not run again: refused, cancelled, closed or shut down.
    public init(_ call: @escaping @Sendable (Value) -> Void, end: @escaping @Sendable () -> Void = {}) {
        self.call = call
        self.end = end
    }
}

/// A state on its way to the subscribers of one delivery, with a place for what they share.
///
/// `@unchecked Sendable`: `shared` is reached only by the listeners of this delivery, which run one after another on the
/// dispatching thread.
public final class Delivered<State: Sendable>: @unchecked Sendable {
    public let state: State
    @usableFromInline var shared: (any AnyObject & Sendable)?

    init(_ state: State) { self.state = state }

    /// The object that the first listener made for this delivery; it lives until the delivery is over. Only inside a
    /// listener, on the dispatching thread.
    @inlinable
    public func attachment<Attachment: AnyObject & Sendable>(_ make: () -> Attachment) -> Attachment {
        if let existing = shared as? Attachment { return existing }
        let made = make()
        shared = made
        return made
    }
}

public struct LogLine: Hashable, Sendable {
    /// 1 error, 2 warning, 3 info, 4 debug.
    public let level: Int32
    /// One line without a secret.
    public let text: String
}
