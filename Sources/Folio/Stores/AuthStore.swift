import FolioMachine
public import FolioModel

/// Reports the sign-in ceremony of a runtime, and drives it. All stores of a runtime share one ceremony.
///
/// The state is idle until dispatch has delivered the first read. Every method may be called from any thread.
public final class AuthStore: Sendable {
    private let sdk: FolioSdk
    private let core: StoreCore<AuthState>

    private init(_ sdk: FolioSdk) throws(FolioError) {
        self.sdk = sdk
        core = try sdk.delivery.mount(AuthState.idle, \.auth)
    }

    /// Mounts a store; closing it does not end the ceremony.
    /// - Throws: `shutDown`, `notReady`, `forked`.
    public static func mount(_ sdk: FolioSdk) throws(FolioError) -> AuthStore {
        if Fork.isChild { throw .forked }
        return try AuthStore(sdk)
    }

    /// The state delivered last. Works after close and shutdown.
    public var state: AuthState { sdk.delivery.withLock { _ in core.state } }

    /// Hears every later change in order; without a listener the subscription has an inbox that begins with the current
    /// state, and `inboxEnd` is called when it ends. When this throws, the listener or inbox has been ended.
    public func subscribe(
        _ listener: Listener<Delivered<AuthState>>?, inboxEnd: @escaping @Sendable () -> Void = {}
    ) throws(FolioError) -> Subscription<AuthState> {
        try sdk.delivery.subscribe(listener, inboxEnd: inboxEnd, to: core)
    }

    /// Fails only for what is known at once (`closed`, `shutDown`, `forked`); what a rule refuses appears in the state.
    public func dispatch(_ action: AuthAction) throws(FolioError) {
        if Fork.isChild { throw .forked }
        try sdk.delivery.accept(for: core)
        sdk.post(.auth(action))
    }

    /// Ends the subscriptions. Harmless twice.
    public func close() {
        if Fork.isChild { return }
        sdk.delivery.close(core, \.auth)
    }
}
