import Folio
import FolioModel
import FolioTestSupport
import Testing

@Suite struct VaultStoreTests {
    private func write(_ transaction: VaultTransaction, _ key: String, _ value: String) throws {
        try Array(value.utf8).withUnsafeBytes { try transaction.put(key, $0) }
    }

    @Test("A transaction's reads see its own writes, nobody else does before the commit, and a key is its bytes")
    func transaction() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        try driver.put("old", "1")
        let transaction = try driver.vault.transaction()
        try write(transaction, "\u{e9}", "composed")
        try write(transaction, "e\u{301}", "decomposed")
        #expect(try transaction.delete("old"))
        #expect(try !transaction.delete("old"))
        #expect(try transaction.get("old") == nil)
        #expect(try driver.get("\u{e9}") == nil)
        try transaction.commit()
        #expect(try driver.get("\u{e9}") == "composed")
        #expect(try driver.get("e\u{301}") == "decomposed")
        #expect(try driver.vault.count() == 2)
        #expect(throws: FolioError.self) { try transaction.commit() }
    }

    @Test("A transaction of an identity that is no longer current writes nothing")
    func staleTransaction() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        let transaction = try driver.vault.transaction()
        try write(transaction, "k", "v")
        try driver.session.dispatch(.signOut)
        try driver.settle()
        do {
            try transaction.commit()
            Issue.record("a record was written to another identity")
        } catch { #expect(error.status == .vaultNotRunning) }
        #expect(try driver.vault.count() == 0)
    }

    @Test("A store that has not yet heard of a new identity does not reach its vault")
    func undeliveredIdentity() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        let late = try VaultStore.mount(driver.sdk)
        #expect(try late.count() == 0)
        try driver.sdk.dispatchEvents()
        try driver.auth.dispatch(.signIn(email: "ana@example.com"))
        try driver.settle()
        let message = try #require(try driver.service.nextMessage())
        try driver.auth.dispatch(.submitCode(message.code))
        // Reads what the loop has published, without a dispatch.
        var state = try driver.sdk.copySessionState()
        while !state.identity.isAccount || state.status != .active { state = try driver.sdk.copySessionState() }
        do {
            try driver.put("k", "v")
            Issue.record("the store acted for an identity it had not reported")
        } catch let error as FolioError { #expect(error.status == .vaultNotRunning) }
        try driver.settle()
        try driver.put("k", "v")
        #expect(try driver.get("k") == "v")
    }

    @Test("Counts are reported after writes without a state for each")
    func counts() throws {
        let directory = TemporaryDirectory()
        let driver = try Driver(directory.path)
        driver.vaults.clear()
        for index in 0..<200 { try driver.put("k\(index)", "value") }
        try driver.pump { driver.vault.state.recordCount == 200 && driver.vault.state.bytes == 1_000 }
        #expect(driver.vaults.all.count < 100)
    }
}
