import Folio
import FolioModel
import FolioTestSupport
import Testing

/// Prepares a directory, runs the procedure with a fault after each effect in turn, and lets `check` look after each.
private func forEachFault(
    of procedure: String, counting effect: String? = nil, step: Int = 1, prepare: (Driver) throws -> Void,
    check: (Driver, _ finished: Bool) throws -> Void
) throws -> Int {
    var faultPoint = 1
    while true {
        let directory = TemporaryDirectory()
        if procedure != "create" {
            let driver = try Driver(directory.path)
            try prepare(driver)
            try driver.sdk.shutdown()
        }
        let finished = try Subject.run(directory.path, procedure, faultPoint, counting: effect)
        let driver = try Driver(directory.path)
        try check(driver, finished)
        try driver.sdk.shutdown()
        if finished { return faultPoint }
        faultPoint += step
    }
}

@Suite(.serialized) struct CrashTests {
    @Test("A process that dies at any step of the first start is followed by one with a guest")
    func guestCreation() throws {
        let faults = try forEachFault(of: "create") { _ in } check: { driver, _ in
            #expect(driver.session.state.identity.userId != nil && !driver.session.state.identity.isAccount)
            #expect(driver.session.state.status == .active)
            try driver.put("k", "v")
        }
        #expect(faults > 5)
    }

    @Test("A process that dies at any step of a sign-in leaves the guest or the account, whole")
    func signIn() throws {
        var guest: Identity?
        let faults = try forEachFault(of: "sign-in") { driver in
            guest = driver.session.state.identity
            try driver.put("k", "v")
        } check: { driver, finished in
            let state = driver.session.state
            #expect(state.status == .active)
            #expect(state.error == nil)
            if state.identity.isAccount {
                try driver.pump { driver.vault.state.carryOver == .finished || driver.vault.state.carryOver == .none }
            } else {
                #expect(state.identity == guest)
                #expect(!finished)
            }
            #expect(try driver.get("k") == "v")
            #expect(try driver.vault.count() == 1)
        }
        #expect(faults > 10)
    }

    @Test("A process that dies at any step of a sign-out leaves the account or a new guest, never both or none")
    func signOut() throws {
        var account: Identity?
        var guest: Identity?
        let faults = try forEachFault(of: "sign-out") { driver in
            guest = driver.session.state.identity
            try driver.signIn()
            account = driver.session.state.identity
        } check: { driver, finished in
            let state = driver.session.state
            #expect(state.status == .active)
            #expect(!state.signingOut)
            if state.identity.isAccount {
                #expect(state.identity == account)
                #expect(!finished)
            } else {
                #expect(state.identity != guest)
            }
            #expect(state.notice == nil)
        }
        #expect(faults > 8)
    }

    @Test("A process that dies at any step of an account's end is followed by one with a new guest and the notice")
    func endedSession() throws {
        let faults = try forEachFault(of: "end-session") { try $0.signIn() } check: { driver, _ in
            if driver.session.state.identity.isAccount {
                try driver.sdk.renew()
                try driver.pump { driver.session.state.status == .active && !driver.session.state.identity.isAccount }
            }
            #expect(driver.session.state.notice == .sessionEnded)
            #expect(driver.session.state.status == .active)
        }
        #expect(faults > 8)
    }

    @Test("A process that dies at any step of a guest's end is followed by one with the same guest and its vault")
    func endedGuest() throws {
        var guest: Identity?
        let faults = try forEachFault(of: "end-guest-session") { driver in
            guest = driver.session.state.identity
            try driver.put("k", "v")
        } check: { driver, _ in
            #expect(driver.session.state.identity == guest)
            #expect(driver.session.state.status == .active)
            let value = try driver.get("k")
            #expect(value == "v")
        }
        #expect(faults > 5)
    }
}
