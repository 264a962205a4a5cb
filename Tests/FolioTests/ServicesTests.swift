import Folio
import FolioModel
import FolioTestSupport
import Synchronization
import Testing

/// A service whose starts fail or are held back until the test lets them go.
private final class HeldService: IdentityService {
    private struct State {
        var fails = false
        var isHeld = false
        var waiting: [@Sendable (StorageFailure?) -> Void] = []
    }

    private let state = Mutex(State())
    let events = Recorder<String>()

    func start(for identity: Identity, completion: @escaping @Sendable (StorageFailure?) -> Void) {
        events.record("start \(identity.isAccount ? "account" : "guest")")
        let outcome: StorageFailure?? = state.withLock { state in
            if state.isHeld {
                state.waiting.append(completion)
                return nil
            }
            return .some(state.fails ? StorageFailure(.full, "The disk is full; free space and try again.") : nil)
        }
        if let outcome { completion(outcome) }
    }

    func stop() { events.record("stop") }
    func fail() { state.withLock { $0.fails = true } }
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let waiting = state.withLock { state in
            state.isHeld = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for completion in waiting { completion(nil) }
    }
}

@Suite struct ServicesTests {
    @Test("Services that cannot start for an account leave the guest with status DEVICE, and start again at the next create")
    func failingStart() throws {
        let directory = TemporaryDirectory()
        let service = HeldService()
        let driver = try Driver(directory.path, surroundings: RuntimeSurroundings(services: [service]))
        let guest = driver.session.state.identity
        driver.sessions.clear()
        service.fail()
        try driver.signIn()
        #expect(driver.sessions.all.map(\.status) == [.activating, .device])
        #expect(driver.session.state.identity == guest)
        #expect(driver.session.state.error?.kind == .storage)
        #expect({ if case .failed(_, let error) = driver.auth.state { error.kind == .storage } else { false } }())
        try driver.sdk.shutdown()
        let again = try Driver(directory.path)
        #expect(again.session.state.identity == guest)
        #expect(again.session.state.status == .active)
    }

    @Test("A sign-out while an account activates waits for that step")
    func signOutWaits() throws {
        let directory = TemporaryDirectory()
        let service = HeldService()
        let driver = try Driver(directory.path, surroundings: RuntimeSurroundings(services: [service]))
        driver.sessions.clear()
        service.hold()
        try driver.auth.dispatch(.signIn(email: "ana@example.com"))
        try driver.settle()
        let message = try #require(try driver.service.nextMessage())
        try driver.auth.dispatch(.submitCode(message.code))
        try driver.pump { driver.session.state.status == .activating }
        try driver.session.dispatch(.signOut)
        service.release()
        try driver.settle()
        #expect(driver.sessions.all.map(\.signingOut) == [false, false, true, true, true, false])
    }

    @Test("The services of an identity stop before Folio is asked to end its session")
    func stopsFirst() throws {
        let directory = TemporaryDirectory()
        let service = HeldService()
        let driver = try Driver(
            directory.path,
            surroundings: RuntimeSurroundings(
                services: [service], observer: { if $0 == "send.revoke" { service.events.record("revoke") } }))
        try driver.session.dispatch(.signOut)
        try driver.settle()
        #expect(service.events.all == ["start guest", "stop", "revoke", "start guest"])
    }
}
