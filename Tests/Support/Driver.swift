package import Folio
package import FolioModel
import Glibc

/// Drives one runtime on the embedded service from one thread, as an application would.
package final class Driver {
    package struct Stuck: Error {}

    package let sdk: FolioSdk
    package let session: SessionStore
    package let auth: AuthStore
    package let vault: VaultStore
    package let service: EmbeddedService
    package let sessions = Recorder<SessionState>()
    package let auths = Recorder<AuthState>()
    package let vaults = Recorder<VaultState>()

    package init(
        _ directory: String, surroundings: RuntimeSurroundings = RuntimeSurroundings(),
        configure: (inout FolioConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = FolioConfiguration(dataDirectory: directory)
        configure(&configuration)
        sdk = try FolioSdk.create(configuration, in: surroundings)
        session = try SessionStore.mount(sdk)
        auth = try AuthStore.mount(sdk)
        vault = try VaultStore.mount(sdk)
        service = try sdk.embeddedService()
        let (sessions, auths, vaults) = (sessions, auths, vaults)
        _ = try session.subscribe(Listener { sessions.record($0.state) })
        _ = try auth.subscribe(Listener { auths.record($0.state) })
        _ = try vault.subscribe(Listener { vaults.record($0.state) })
        try sdk.dispatchEvents()
    }

    deinit { try? sdk.shutdown() }

    /// Dispatches until the condition holds. A minute without it is a hang.
    package func pump(until isMet: () throws -> Bool) throws {
        let end = time(nil) + 60
        while try !isMet() {
            guard time(nil) < end else { throw Stuck() }
            try sdk.waitEvents(timeoutMs: 1_000)
        }
    }

    /// Dispatches until every action has delivered its last state.
    package func settle() throws { try pump { sdk.pending == 0 } }

    package func signIn(_ email: String = "ana@example.com") throws {
        try auth.dispatch(.signIn(email: email))
        try settle()
        guard let message = try service.nextMessage() else { throw Stuck() }
        try auth.dispatch(.submitCode(message.code))
        try settle()
    }

    package func put(_ key: String, _ value: String) throws {
        try Array(value.utf8).withUnsafeBytes { try vault.put(key, $0) }
    }

    package func get(_ key: String) throws -> String? {
        try vault.get(key).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
