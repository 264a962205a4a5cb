import Folio
import FolioModel
import FolioTestSupport
import Glibc
import Synchronization
import Testing

@Suite struct DeliveryTests {
    @Test("A store holds the defaults until the first read is delivered, then the session as it is")
    func firstRead() throws {
        let directory = TemporaryDirectory()
        let sdk = try FolioSdk.create(FolioConfiguration(dataDirectory: directory.path))
        let store = try SessionStore.mount(sdk)
        #expect(store.state == SessionState())
        let heard = Recorder<SessionState>()
        _ = try store.subscribe(Listener { heard.record($0.state) })
        #expect(try sdk.dispatchEvents() == 1)
        #expect(heard.all.count == 1)
        #expect(store.state == heard.all.first)
        #expect(try sdk.copySessionState() == store.state)
        try sdk.shutdown()
    }

    @Test("Every state is delivered in order to every store, and none is merged")
    func order() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        let other = try SessionStore.mount(driver.sdk)
        let inbox = try other.subscribe(nil)
        driver.sessions.clear()
        try driver.signIn()
        try driver.session.dispatch(.signOut)
        try driver.settle()
        let statuses = driver.sessions.all.map(\.status)
        #expect(statuses == [.activating, .active, .active, .deactivating, .device, .active])
        var pulled: [SessionState] = []
        while let state = try inbox.next() { pulled.append(state) }
        #expect(pulled.first == SessionState())
        #expect(Array(pulled.dropFirst(2)) == driver.sessions.all)
    }

    @Test("A cancel suppresses what is queued, and the listener is ended exactly once")
    func cancelSuppresses() throws {
        let directory = TemporaryDirectory()
        let sdk = try FolioSdk.create(FolioConfiguration(dataDirectory: directory.path))
        let store = try SessionStore.mount(sdk)
        let calls = Recorder<String>()
        let subscription = try store.subscribe(Listener({ _ in calls.record("call") }, end: { calls.record("end") }))
        subscription.cancel()
        subscription.cancel()
        try sdk.dispatchEvents()
        #expect(calls.all == ["end"])
        try sdk.shutdown()
        #expect(calls.all == ["end"])
    }

    @Test("A listener that cancels itself ends after it has returned; a sibling cancelled by it is not called")
    func cancelInside() throws {
        let directory = TemporaryDirectory()
        let sdk = try FolioSdk.create(FolioConfiguration(dataDirectory: directory.path))
        let store = try SessionStore.mount(sdk)
        let calls = Recorder<String>()
        let own = Mutex<Subscription<SessionState>?>(nil)
        let sibling = Mutex<Subscription<SessionState>?>(nil)
        let first = try store.subscribe(Listener({ _ in
            own.withLock { $0 }?.cancel()
            sibling.withLock { $0 }?.cancel()
            calls.record("first")
        }, end: { calls.record("first ended") }))
        own.withLock { $0 = first }
        let second = try store.subscribe(Listener({ _ in calls.record("second") }, end: { calls.record("second ended") }))
        sibling.withLock { $0 = second }
        try sdk.dispatchEvents()
        #expect(calls.all == ["second ended", "first", "first ended"])
        try sdk.shutdown()
    }

    @Test("Inside a callback dispatch, wait, create and shutdown are refused and everything else works")
    func insideCallback() throws {
        let directory = TemporaryDirectory()
        let other = TemporaryDirectory()
        let sdk = try FolioSdk.create(FolioConfiguration(dataDirectory: directory.path))
        let store = try SessionStore.mount(sdk)
        let refused = Recorder<FolioStatus>()
        let allowed = Recorder<Bool>()
        _ = try store.subscribe(Listener { _ in
            func refuse(_ body: () throws -> Void) {
                do { try body() } catch { refused.record((error as? FolioError)?.status ?? .ok) }
            }
            refuse { try sdk.dispatchEvents() }
            refuse { try sdk.waitEvents(timeoutMs: 0) }
            refuse { try sdk.shutdown() }
            refuse { _ = try FolioSdk.create(FolioConfiguration(dataDirectory: other.path)) }
            allowed.record((try? SessionStore.mount(sdk)) != nil)
            allowed.record((try? store.subscribe(nil)) != nil)
            allowed.record((try? store.dispatch(.dismissNotice)) != nil)
            allowed.record((try? sdk.renew()) != nil)
            store.close()
        })
        try sdk.dispatchEvents()
        #expect(refused.all == [.busy, .busy, .busy, .busy])
        #expect(allowed.all == [true, true, true, true])
        try sdk.shutdown()
    }

    @Test("Releasing the runtime inside a callback takes effect at the end of that dispatch")
    func releaseInside() throws {
        let directory = TemporaryDirectory()
        let sdk = try FolioSdk.create(FolioConfiguration(dataDirectory: directory.path))
        let store = try SessionStore.mount(sdk)
        let calls = Recorder<String>()
        _ = try store.subscribe(Listener({ _ in
            sdk.release()
            calls.record(sdk.pending == 0 ? "open" : "closed")
        }, end: { calls.record("end") }))
        try sdk.dispatchEvents()
        #expect(calls.all == ["open", "end"])
        #expect(throws: FolioError.self) { try sdk.dispatchEvents() }
    }

    @Test("An action is pending until its last state has been delivered")
    func pending() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        #expect(driver.sdk.pending == 0)
        try driver.session.dispatch(.signOut)
        #expect(driver.sdk.pending == 1)
        try driver.settle()
        #expect(driver.session.state.status == .active)
        #expect(!driver.session.state.signingOut)
    }

    @Test("A closed store refuses, keeps its state, and its inbox ends after what it holds")
    func closedStore() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        let inbox = try driver.session.subscribe(nil)
        driver.session.close()
        driver.session.close()
        #expect(throws: FolioError.self) { try driver.session.dispatch(.signOut) }
        #expect(try inbox.next() == driver.session.state)
        #expect(throws: FolioError.self) { try inbox.next() }
    }

    @Test("After shutdown every call says so, the state stays, and the descriptor is at its end")
    func afterShutdown() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        let descriptor = try driver.sdk.openEventDescriptor()
        defer { close(descriptor) }
        let state = driver.session.state
        try driver.sdk.shutdown()
        try driver.sdk.shutdown()
        func status(_ body: () throws -> Void) -> FolioStatus? {
            do { try body(); return nil } catch { return (error as? FolioError)?.status }
        }
        #expect(status { try driver.sdk.dispatchEvents() } == .shutDown)
        #expect(status { try driver.sdk.waitEvents(timeoutMs: -1) } == .shutDown)
        #expect(status { try driver.session.dispatch(.signOut) } == .shutDown)
        #expect(status { _ = try SessionStore.mount(driver.sdk) } == .shutDown)
        #expect(status { try driver.put("k", "v") } == .shutDown)
        #expect(driver.session.state == state)
        var byte: UInt8 = 0
        #expect(read(descriptor, &byte, 1) == 0)
    }

    @Test("The descriptor is readable while events wait, and again after a dispatch that left some")
    func descriptor() throws {
        let directory = TemporaryDirectory()
        let sdk = try FolioSdk.create(FolioConfiguration(dataDirectory: directory.path))
        let descriptor = try sdk.openEventDescriptor()
        defer { close(descriptor) }
        func isReadable() -> Bool {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return Glibc.poll(&poll, 1, 0) == 1
        }
        #expect(!isReadable())
        _ = try SessionStore.mount(sdk)
        _ = try AuthStore.mount(sdk)
        #expect(isReadable())
        try sdk.dispatchEvents(max: 1)
        #expect(isReadable())
        try sdk.dispatchEvents()
        #expect(!isReadable())
        try sdk.shutdown()
    }

    @Test("A second runtime on the same directory is refused, also by another path, until the first is shut down")
    func directoryInUse() throws {
        let directory = TemporaryDirectory()
        let sdk = try FolioSdk.create(FolioConfiguration(dataDirectory: directory.path + "/data"))
        let link = directory.path + "/link"
        symlink(directory.path + "/data", link)
        do {
            _ = try FolioSdk.create(FolioConfiguration(dataDirectory: link))
            Issue.record("a second runtime was made")
        } catch { #expect(error.status == .directoryInUse) }
        try sdk.shutdown()
        try FolioSdk.create(FolioConfiguration(dataDirectory: link)).shutdown()
    }

    @Test("Until its completion is delivered, a runtime of createAsync is not ready")
    func createAsync() throws {
        let directory = TemporaryDirectory()
        let calls = Recorder<String>()
        let sdk = try FolioSdk.createAsync(
            FolioConfiguration(dataDirectory: directory.path),
            completion: Listener({ calls.record($0 == nil ? "ready" : "failed") }, end: { calls.record("end") }))
        #expect(throws: FolioError.self) { _ = try SessionStore.mount(sdk) }
        #expect(sdk.pending == 1)
        while sdk.pending > 0 { try sdk.waitEvents(timeoutMs: 1_000) }
        #expect(calls.all == ["ready", "end"])
        _ = try SessionStore.mount(sdk)
        try sdk.shutdown()
    }

    @Test("A runtime that is shut down before it started ends its completion uncalled")
    func createIsCancelled() throws {
        let directory = TemporaryDirectory()
        let calls = Recorder<String>()
        let sdk = try FolioSdk.createAsync(
            FolioConfiguration(dataDirectory: directory.path),
            completion: Listener({ _ in calls.record("call") }, end: { calls.record("end") }))
        try sdk.shutdown()
        #expect(calls.all == ["end"])
    }

    @Test("Two runtimes share the thread and nothing else")
    func twoRuntimes() throws {
        let (first, second) = (TemporaryDirectory(), TemporaryDirectory())
        let (a, b) = (try Driver(first.path), try Driver(second.path))
        let before = b.session.state
        try a.signIn()
        try b.sdk.dispatchEvents()
        #expect(b.session.state == before)
        #expect(a.session.state.identity.isAccount)
    }

    @Test("Threads that renew, subscribe, cancel, read and sign out at once leave one settled session")
    func threads() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        let (sdk, store) = (driver.sdk, driver.session)
        var threads: [pthread_t] = []
        for _ in 0..<8 {
            var thread = pthread_t()
            let work = Unmanaged.passRetained(Work {
                for round in 0..<50 {
                    if let subscription = try? store.subscribe(Listener { _ in _ = store.state }) { subscription.cancel() }
                    if round % 10 == 0 { try? sdk.renew() }
                    if round % 25 == 0 { try? store.dispatch(.signOut) }
                }
            })
            pthread_create(&thread, nil, { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
            threads.append(thread)
        }
        for thread in threads { pthread_join(thread, nil) }
        try driver.settle()
        #expect(driver.session.state.status == .active)
    }
}

private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
