package import FolioModel

/// A service that runs for the current identity, beside the vault. Given to a runtime as a value.
package protocol IdentityService: Sendable {
    /// Starts for an identity. Called on the loop thread: return at once, and call `completion` once, from any thread.
    func start(for identity: Identity, completion: @escaping @Sendable (StorageFailure?) -> Void)
    /// Stops. Called on the loop thread; must not block.
    func stop()
}

/// What a runtime is given beside its configuration.
package struct RuntimeSurroundings: Sendable {
    package var services: [any IdentityService] = []
    /// Sees each effect after it was carried out. Called on the loop thread.
    package var observer: (@Sendable (String) -> Void)?

    package init(services: [any IdentityService] = [], observer: (@Sendable (String) -> Void)? = nil) {
        self.services = services
        self.observer = observer
    }
}
