import FolioMachine
public import FolioModel

/// Reports the session of a runtime, and signs out.
///
/// The state holds the defaults until dispatch has delivered the first read. Every method may be called from any thread.
public final class SessionStore: Sendable {
    private let sdk: FolioSdk
    private let core: StoreCore<SessionState>

    private init(_ sdk: FolioSdk) throws(FolioError) {
        self.sdk = sdk
        core = try sdk.delivery.mount(SessionState(), \.session)
    }

    /// Mounts a store; it follows the session and neither starts nor changes it.
    /// - Throws: `shutDown`, `notReady`, `forked`.
    public static func mount(_ sdk: FolioSdk) throws(FolioError) -> SessionStore {
        if Fork.isChild { throw .forked }
        return try SessionStore(sdk)
    }

    /// The state delivered last. Works after close and shutdown.
    public var state: SessionState { sdk.delivery.withLock { _ in core.state } }

    /// Hears every later change in order; without a listener the subscription has an inbox that begins with the current
    /// state, and `inboxEnd` is called when it ends. When this throws, the listener or inbox has been ended.
    public func subscribe(
        _ listener: Listener<Delivered<SessionState>>?, inboxEnd: @escaping @Sendable () -> Void = {}
    ) throws(FolioError) -> Subscription<SessionState> {
        try sdk.delivery.subscribe(listener, inboxEnd: inboxEnd, to: core)
    }

    /// Fails only for what is known at once (`closed`, `shutDown`, `forked`); what a rule refuses appears in the state.
    public func dispatch(_ action: SessionAction) throws(FolioError) {
        if Fork.isChild { throw .forked }
        try sdk.delivery.accept(for: core)
        sdk.post(.session(action))
    }

    /// Ends the subscriptions. Harmless twice.
    public func close() {
        if Fork.isChild { return }
        sdk.delivery.close(core, \.session)
    }
}
