import FolioModel
@testable import FolioService
import FolioWire
import Testing

final class CeremonyTests {
    let world = TestWorld()
    deinit { world.removeFiles() }

    private func verify(_ ceremony: (ceremonyId: String, code: String), _ code: String? = nil) -> ServiceRequest {
        .verifyCode(ceremonyId: ceremony.ceremonyId, code: code ?? ceremony.code, deviceId: "device")
    }

    @Test("a right code signs in to the account of the address, the same each time")
    func signsIn() throws {
        let first = try world.signIn("ana@example.com")
        let second = try world.signIn(" ANA@Example.com\u{a0}")
        #expect(first.identity.isAccount && first.identity == second.identity)
        #expect(first.refreshToken != second.refreshToken)
        #expect(first.identity.email == "ana@example.com")
        #expect(try world.signIn("bob@example.com").identity.userId != first.identity.userId)
    }

    @Test("spellings of an address are one account",
        arguments: [
            ("jose\u{301}@example.com", "JOS\u{c9}@example.com"), ("ana\u{FF20}example.com", "ana@example.com"),
            ("I@example.com", "i@example.com"), ("stra\u{df}e@example.com", "STRASSE@example.com"),
            ("\u{130}@example.com", "i\u{307}@example.com"),
        ])
    func normalises(left: String, right: String) throws {
        #expect(try world.signIn(left).identity == world.signIn(right).identity)
    }

    @Test("a dotless i is another letter than i")
    func dotlessI() {
        #expect(EmailNormaliser.normalised("\u{131}@example.com") != EmailNormaliser.normalised("i@example.com"))
    }

    @Test("what is no address is invalid_email", arguments: ["", "ana", "a@b@c", "a b@c", "a@b..c", "a@b\u{0}"])
    func invalidEmail(text: String) throws {
        #expect(try world.code(.startCeremony(email: text)) == "invalid_email")
        #expect(EmailNormaliser.normalised(String(repeating: "a", count: 100_000) + "@b") == nil)
    }

    @Test("a start tells ten minutes, five tries and that another code may be asked for at once")
    func started() throws {
        let started = try world.start("ana@example.com")
        #expect(started.expiresIn == 600 && started.triesLeft == 5 && started.resendIn == 0)
    }

    @Test("a wrong code takes a try; the fifth is too_many_tries and so is the right code after it")
    func tooMany() throws {
        let ceremony = try world.begin("ana@example.com")
        for left in [Int32(4), 3, 2, 1] {
            let failure = try world.failure(verify(ceremony, wrong(ceremony.code)))
            #expect(failure.reason == .refused(status: 400, code: "wrong_code") && failure.triesLeft == left)
        }
        #expect(try world.code(verify(ceremony, wrong(ceremony.code))) == "too_many_tries")
        #expect(try world.code(verify(ceremony)) == "too_many_tries")
        world.advance(seconds: 3_600)
        #expect(try world.code(verify(ceremony)) == "too_many_tries")
    }

    @Test("too_many_tries tells how long until a new code may be asked for")
    func tooManyWait() throws {
        _ = try world.begin("ana@example.com")
        _ = try world.begin("ana@example.com")
        let ceremony = try world.begin("ana@example.com")
        world.advance(seconds: 10)
        for _ in 1...5 { _ = world.ask(verify(ceremony, wrong(ceremony.code))) }
        #expect(try world.failure(verify(ceremony)).retryAfter == 50_000)
    }

    @Test("a text that is no code is invalid_code and takes no try")
    func invalidCode() throws {
        let ceremony = try world.begin("ana@example.com")
        for text in ["", "12345", "1234567", "abcdef"] { #expect(try world.code(verify(ceremony, text)) == "invalid_code") }
        #expect(try world.failure(verify(ceremony, wrong(ceremony.code))).triesLeft == 4)
    }

    @Test("a code with white space is the code")
    func spaces() throws {
        let ceremony = try world.begin("ana@example.com")
        _ = try world.grant(verify(ceremony, " \(ceremony.code.prefix(3)) \(ceremony.code.suffix(3))\n"))
    }

    @Test("a right code submitted again is code_used, also when it would have expired")
    func used() throws {
        let ceremony = try world.begin("ana@example.com")
        _ = try world.grant(verify(ceremony))
        #expect(try world.code(verify(ceremony)) == "code_used")
        world.advance(seconds: 3_600)
        #expect(try world.code(verify(ceremony)) == "code_used")
    }

    @Test("a code is valid for ten minutes and then code_expired")
    func expired() throws {
        let ceremony = try world.begin("ana@example.com")
        let other = try world.begin("bob@example.com")
        world.advance(seconds: 599)
        _ = try world.grant(verify(ceremony))
        world.advance(seconds: 1)
        #expect(try world.code(verify(other)) == "code_expired")
    }

    @Test("a clock that was set back keeps no code alive")
    func clockSetBack() throws {
        let ceremony = try world.begin("ana@example.com")
        world.advance(seconds: -86_400)
        #expect(try world.code(verify(ceremony)) == "code_expired")
        _ = try world.signIn("ana@example.com")
    }

    @Test("a ceremony the service does not know is code_expired")
    func unknownCeremony() throws {
        #expect(try world.code(.verifyCode(ceremonyId: "none", code: "123456", deviceId: "d")) == "code_expired")
    }

    @Test("a new code makes the older one of the address invalid, and of no other")
    func replaced() throws {
        let older = try world.begin("ana@example.com")
        let other = try world.begin("bob@example.com")
        let newer = try world.begin("ANA@example.com")
        #expect(try world.code(verify(older)) == "code_expired")
        _ = try world.grant(verify(newer))
        _ = try world.grant(verify(other))
    }

    @Test("the fourth code within a minute is rate_limited and tells the wait; the refusal harms no open ceremony")
    func rateLimited() throws {
        #expect(try world.start("ana@example.com").resendIn == 0)
        world.advance(seconds: 10)
        #expect(try world.start("ana@example.com").resendIn == 0)
        _ = try world.takeCode()
        _ = try world.takeCode()
        world.advance(seconds: 10)
        let third = try world.start("ana@example.com")
        #expect(third.resendIn == 40)
        let failure = try world.failure(.startCeremony(email: "Ana@example.com"))
        #expect(failure.reason == .refused(status: 429, code: "rate_limited") && failure.retryAfter == 40_000)
        _ = try world.start("bob@example.com")
        world.advance(seconds: 39)
        #expect(try world.code(.startCeremony(email: "ana@example.com")) == "rate_limited")
        world.advance(seconds: 1)
        _ = try world.grant(verify((third.ceremonyId, try world.takeCode())))
        _ = try world.start("ana@example.com")
    }

    @Test("ceremonies that ended in a sign-in do not count for the rate limit")
    func completedDoNotCount() throws {
        for _ in 1...10 { _ = try world.signIn("ana@example.com") }
    }

    @Test("a start and a sign-in are one commit each, a refused code that takes no try is none")
    func commits() throws {
        let before = try (world.start("warm@example.com"), world.service.commits).1
        let started = try world.start("ana@example.com")
        #expect(world.service.commits == before + 1)
        _ = try world.takeCode()
        let code = try world.takeCode()
        let taken = world.service.commits
        _ = try world.grant(verify((started.ceremonyId, code)))
        #expect(world.service.commits == taken + 1)
        _ = world.ask(verify((started.ceremonyId, code)))
        #expect(world.service.commits == taken + 1)
    }

    @Test("setGuestAccount makes the next sign-in of the address end on a guest, once")
    func guestAccount() throws {
        let account = try world.signIn("ana@example.com")
        try world.service.setGuestAccount(email: "ANA@example.com")
        #expect(try world.signIn("bob@example.com").identity.isAccount)
        let guest = try world.signIn("ana@example.com")
        #expect(!guest.identity.isAccount && guest.identity.userId != account.identity.userId)
        #expect(try world.signIn("ana@example.com").identity == account.identity)
        #expect(throws: ServiceHostError.invalidEmail) { try self.world.service.setGuestAccount(email: "nobody") }
    }

    @Test("a code is six digits, leading zeros kept")
    func codeDigits() {
        var environment = ServiceEnvironment.system
        environment.randomBytes = { [UInt8](repeating: 0, count: max($0 - 1, 0)) + [7] }
        #expect(environment.newCode() == "000007")
        environment.randomBytes = { [UInt8](repeating: 255, count: $0) }
        #expect(environment.newCode().utf8.count == 6)
    }
}
