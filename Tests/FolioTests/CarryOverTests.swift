import Folio
import FolioModel
import FolioTestSupport
import Testing

/// A directory whose account has 51 records and whose guest, not yet signed in, has `guestRecords` and one of equal key.
private func prepare(_ directory: String, guestRecords: Int) throws {
    let driver = try Driver(directory)
    try driver.signIn()
    for index in 0..<50 { try driver.put("account\(index)", "a\(index)") }
    try driver.put("both", "account")
    try driver.session.dispatch(.signOut)
    try driver.settle()
    let transaction = try driver.vault.transaction()
    for index in 0..<guestRecords {
        try Array("g\(index)".utf8).withUnsafeBytes { try transaction.put("guest\(index)", $0) }
    }
    try Array("guest".utf8).withUnsafeBytes { try transaction.put("both", $0) }
    try transaction.commit()
    try driver.sdk.shutdown()
}

private func finishCarryOver(_ driver: Driver) throws {
    try driver.pump {
        switch driver.vault.state.carryOver {
        case .finished: true
        case .none: driver.vault.state.userId != nil
        case .running, .failed: false
        }
    }
}

/// Every record of guest and account once with the right value, the losing value as a copy, and nothing left of the guest.
private func expectWhole(_ driver: Driver, _ directory: String, guestRecords: Int) throws {
    try finishCarryOver(driver)
    let records = Int64(guestRecords) + 51
    #expect(try driver.vault.count() == records)
    for index in 0..<guestRecords { #expect(try driver.get("guest\(index)") == "g\(index)") }
    for index in 0..<50 { #expect(try driver.get("account\(index)") == "a\(index)") }
    #expect(try driver.get("both") == "guest")
    let conflicts = try driver.vault.conflicts()
    #expect(conflicts.map(\.key) == ["both"])
    #expect(try rows(of: "record", in: directory) == records)
    #expect(try rows(of: "conflict", in: directory) == 1)
    #expect(try rows(of: "carry_over", in: directory) == 0)
    #expect(try rows(of: "vault", in: directory) == 1)
}

@Suite(.serialized) struct RuntimeCarryOverTests {
    @Test("A carry-over that dies at any commit ends with every record of guest and account once, and no guest copy")
    func crashes() throws {
        let guestRecords = 2_000
        var faultPoint = 1
        while true {
            let directory = TemporaryDirectory()
            try prepare(directory.path, guestRecords: guestRecords)
            let finished = try Subject.run(directory.path, "sign-in", faultPoint, counting: "carryOver")
            let driver = try Driver(directory.path)
            try expectWhole(driver, directory.path, guestRecords: guestRecords)
            try driver.sdk.shutdown()
            if finished { break }
            faultPoint += 1
        }
        #expect(faultPoint > 10)
    }

    @Test("Signing out and in again in the middle of a carry-over loses nothing")
    func signsOutInTheMiddle() throws {
        let directory = TemporaryDirectory()
        try prepare(directory.path, guestRecords: 3_000)
        // The carry-over stands still after three batches: the process that ran it has died.
        try #require(try !Subject.run(directory.path, "sign-in", 3, counting: "carryOver"))
        let driver = try Driver(directory.path)
        try driver.session.dispatch(.signOut)
        try driver.settle()
        #expect(driver.vault.state.carryOver == .none)
        try driver.signIn()
        // The guest in between had no records, so only the first guest is carried over.
        try expectWhole(driver, directory.path, guestRecords: 3_000)
    }

    @Test("Another account signed in in between neither gets the records nor loses them for their account")
    func otherAccountBetween() throws {
        let directory = TemporaryDirectory()
        try prepare(directory.path, guestRecords: 1_000)
        try #require(try !Subject.run(directory.path, "sign-in", 1, counting: "carryOver"))
        let driver = try Driver(directory.path)
        try driver.signIn("bo@example.com")
        #expect(try driver.vault.count() == 0)
        try driver.signIn()
        try finishCarryOver(driver)
        #expect(try driver.vault.count() == 1_051)
    }

    @Test("Two processes on one directory share the work of a carry-over, and each record is moved once")
    func twoProcesses() throws {
        let directory = TemporaryDirectory()
        try prepare(directory.path, guestRecords: 3_000)
        try #require(try !Subject.run(directory.path, "sign-in", 1, counting: "carryOver"))
        let sibling = try Subject.start(directory.path, "wait-for-carry-over", 0)
        let driver = try Driver(directory.path)
        try finishCarryOver(driver)
        #expect(try Subject.wait(sibling))
        try expectWhole(driver, directory.path, guestRecords: 3_000)
    }
}
