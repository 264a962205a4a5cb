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

    @Test("A carry-over that dies at any commit ends with every record of guest and account once, and no guest copy")
    func carryOver() throws {
        let guestRecords = 2_000
        let faults = try forEachFault(of: "sign-in", counting: "carryOver") { driver in
            try driver.signIn()
            for index in 0..<50 { try driver.put("account\(index)", "a\(index)") }
            try driver.put("both", "account")
            try driver.session.dispatch(.signOut)
            try driver.settle()
            try putGuestRecords(guestRecords, driver)
        } check: { driver, _ in
            try driver.pump { driver.vault.state.carryOver == .finished || driver.vault.state.carryOver == .none }
            try driver.pump { driver.vault.state.recordCount == Int64(guestRecords) + 51 }
            #expect(try driver.vault.count() == Int64(guestRecords) + 51)
            for index in 0..<guestRecords where index % 97 == 0 {
                #expect(try driver.get("guest\(index)") == "g\(index)")
            }
            #expect(try driver.get("account7") == "a7")
            #expect(try driver.get("both") == "guest")
            let conflicts = try driver.vault.conflicts()
            #expect(conflicts.map(\.key) == ["both"])
        }
        #expect(faults > 10)
    }
}

private func putGuestRecords(_ count: Int, _ driver: Driver) throws {
    let bytes = (0..<count).map { Array("g\($0)".utf8) } + [Array("guest".utf8)]
    let keys = (0..<count).map { "guest\($0)" } + ["both"]
    var records: [(key: String, value: UnsafeRawBufferPointer)] = []
    var copies: [UnsafeMutableRawBufferPointer] = []
    defer { for copy in copies { copy.deallocate() } }
    for (key, value) in zip(keys, bytes) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: value.count, alignment: 1)
        copy.copyBytes(from: value)
        copies.append(copy)
        records.append((key, UnsafeRawBufferPointer(copy)))
    }
    try driver.vault.putMany(records)
}
