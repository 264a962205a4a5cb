import Folio
import FolioModel
import FolioTestSupport
import Glibc
import Testing

@Suite struct RuntimeSessionTests {
    @Test("A sign-in takes three commits and a sign-out three; the device keeps no token of the session that ended")
    func commits() throws {
        let directory = TemporaryDirectory()
        let effects = Recorder<String>()
        let driver = try Driver(directory.path, surroundings: RuntimeSurroundings(observer: { effects.record($0) }))
        effects.clear()
        try driver.signIn()
        try driver.pump { effects.all.contains("removeRevocation") }
        #expect(effects.all.filter { $0.hasPrefix("write.") || $0 == "removeRevocation" }.count == 3)
        #expect(effects.all.filter { $0.hasPrefix("send.") } == ["send.startCeremony", "send.verifyCode", "send.revoke"])
        effects.clear()
        try driver.session.dispatch(.signOut)
        try driver.settle()
        #expect(effects.all.filter { $0.hasPrefix("write.") }.count == 3)
        #expect(effects.all.filter { $0.hasPrefix("send.") } == ["send.revoke", "send.createGuest"])
    }

    @Test("A renewal takes one commit and one request and changes no state")
    func renewal() throws {
        let directory = TemporaryDirectory()
        let effects = Recorder<String>()
        let driver = try Driver(directory.path, surroundings: RuntimeSurroundings(observer: { effects.record($0) }))
        driver.sessions.clear()
        effects.clear()
        try driver.sdk.renew()
        try driver.pump { effects.all.contains("releaseLock") }
        #expect(effects.all.filter { $0.hasPrefix("write.") || $0.hasPrefix("send.") } == ["send.renew", "write.renewTokens"])
        #expect(driver.sessions.all.isEmpty)
    }

    @Test("An account is restored offline with its user id")
    func offlineRestore() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        try driver.signIn()
        let account = driver.session.state.identity
        try driver.service.setReachable(false)
        try driver.sdk.shutdown()
        let again = try Driver(directory.path)
        #expect(again.session.state.identity == account)
        #expect(again.session.state.status == .active)
    }

    @Test("The device id is made once and survives a sign-out and a restart")
    func deviceId() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        let id = driver.session.state.deviceId
        #expect(id?.isEmpty == false)
        try driver.session.dispatch(.signOut)
        try driver.settle()
        #expect(driver.session.state.deviceId == id)
        try driver.sdk.shutdown()
        #expect(try Driver(directory.path).session.state.deviceId == id)
    }

    @Test("A start that cannot read the device fails typed, leaves the files as they are, and frees the directory")
    func damagedFile() throws {
        let directory = TemporaryDirectory()
        try Driver(directory.path).sdk.shutdown()
        let path = directory.path + "/folio.sqlite"
        let descriptor = open(path, O_WRONLY | O_TRUNC)
        close(descriptor)
        for _ in 0..<2 {
            do {
                _ = try FolioSdk.create(FolioConfiguration(dataDirectory: directory.path))
                Issue.record("a damaged file was taken for no session")
            } catch {
                #expect(error.status == .storage)
                #expect(error.kind == .storage)
            }
        }
        var info = stat()
        #expect(stat(path, &info) == 0 && info.st_size == 0)
    }

    @Test("Another storage key is refused and the right one still opens")
    func wrongKey() throws {
        let directory = TemporaryDirectory()
        let key = [UInt8](repeating: 7, count: 32)
        let driver = try Driver(directory.path) { $0.storageKey = key }
        let guest = driver.session.state.identity
        try driver.sdk.shutdown()
        do {
            _ = try Driver(directory.path) { $0.storageKey = [UInt8](repeating: 8, count: 32) }
            Issue.record("another key was taken")
        } catch let error as FolioError { #expect(error.status == .storage) }
        #expect(try Driver(directory.path) { $0.storageKey = key }.session.state.identity == guest)
    }

    @Test("Configurations that cannot work are refused before anything is made")
    func configuration() throws {
        let directory = TemporaryDirectory()
        let changes: [(inout FolioConfiguration) -> Void] = [
            { $0.dataDirectory = "" }, { $0.storageKey = [1, 2, 3] }, { $0.timeoutMs = 0 }, { $0.embeddedTokenLife = 0 },
        ]
        for change in changes {
            var configuration = FolioConfiguration(dataDirectory: directory.path)
            change(&configuration)
            do {
                _ = try FolioSdk.create(configuration)
                Issue.record("a bad configuration was taken")
            } catch { #expect(error.status == .invalidArgument) }
        }
        #expect(directory.files.isEmpty)
    }

    @Test("What a process that died has left in the WAL is gone after the next start")
    func walOfTheDead() throws {
        let directory = TemporaryDirectory()
        try Driver(directory.path).sdk.shutdown()
        try #require(try !Subject.run(directory.path, "sign-out", 1, counting: "write.setIntent"))
        func walBytes() -> Int {
            var info = stat()
            return stat(directory.path + "/folio.sqlite-wal", &info) == 0 ? Int(info.st_size) : 0
        }
        #expect(walBytes() > 0)
        let driver = try Driver(directory.path)
        while walBytes() > 0 { try driver.sdk.waitEvents(timeoutMs: 10) }
    }
}
