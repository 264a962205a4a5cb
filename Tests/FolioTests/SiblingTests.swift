import Folio
import FolioModel
import FolioTestSupport
import Testing

/// Two processes on one data directory: this one, and a child that runs one procedure and ends.
@Suite struct SiblingTests {
    @Test("A process whose session a sibling has signed out adopts what the sibling left, and sends no old token")
    func siblingSignedOut() throws {
        let directory = TemporaryDirectory()
        let effects = Recorder<String>()
        let driver = try Driver(directory.path, surroundings: RuntimeSurroundings(observer: { effects.record($0) }))
        try driver.signIn()
        try #require(try Subject.run(directory.path, "sign-out", 0))
        effects.clear()
        driver.sessions.clear()
        try driver.session.dispatch(.signOut)
        try driver.settle()
        #expect(!effects.all.contains { $0.hasPrefix("write.") || $0.hasPrefix("send.") })
        #expect(driver.session.state.status == .active)
        let guest = driver.session.state.identity
        #expect(guest.userId != nil && !guest.isAccount)
        try driver.sdk.shutdown()
        #expect(try Driver(directory.path).session.state.identity == guest)
    }

    @Test("Vault calls of a process whose identity a sibling has replaced change nothing")
    func siblingSwitched() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        try driver.put("k", "v")
        try #require(try Subject.run(directory.path, "sign-in", 0))
        do {
            try driver.put("k", "late")
            Issue.record("a record was written to another identity")
        } catch let error as FolioError { #expect(error.status == .vaultNotRunning) }
        try driver.sdk.renew()
        try driver.pump { driver.session.state.identity.isAccount && driver.vault.state.userId != nil }
        #expect(try driver.get("k") == "v")
    }

    @Test("Processes that make a directory at once share one guest")
    func firstStartAtOnce() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/data"
        let children = try (0..<4).map { _ in try Subject.start(path, "create", 0) }
        let driver = try Driver(path)
        for child in children { #expect(try Subject.wait(child)) }
        let guest = driver.session.state.identity
        try driver.sdk.shutdown()
        #expect(try Driver(path).session.state.identity == guest)
    }
}
