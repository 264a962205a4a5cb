import FolioModel
@testable import FolioService
import FolioWire
import Glibc
import Testing

final class TokenTests {
    let world = TestWorld()
    deinit { world.removeFiles() }

    private func ended(_ token: String, _ code: String = "session_ended", id: String = "probe") throws -> Bool {
        let failure = try world.failure(.renew(refreshToken: token, renewalId: id))
        return failure.endsSession && failure.reason == .refused(status: 400, code: code)
    }

    @Test("a guest asked for again is the same user with the same tokens, another request is another guest")
    func guestIsIdempotent() throws {
        let first = try world.guest()
        let commits = world.service.commits
        #expect(try world.guest() == first)
        #expect(world.service.commits <= commits + 1)
        #expect(try world.guest("other").identity != first.identity)
        #expect(try world.grant(.createGuest(deviceId: "device 2", requestId: "request", endedToken: nil)) != first)
    }

    @Test("a renewal replaces both tokens and keeps the user")
    func renews() throws {
        let first = try world.signIn("ana@example.com")
        let commits = world.service.commits
        let second = try world.renew(first.refreshToken, "1")
        #expect(world.service.commits == commits + 1)
        #expect(second.identity == first.identity)
        #expect(second.accessToken != first.accessToken && second.refreshToken != first.refreshToken)
        #expect(world.userInfo(first.accessToken) == 401 && world.userInfo(second.accessToken) == 200)
    }

    @Test("a renewal asked again with its id answers the same, also much later and in another process")
    func renewalIsIdempotent() throws {
        let first = try world.guest()
        let second = try world.renew(first.refreshToken, "1")
        world.advance(seconds: 7_200)
        #expect(try world.renew(first.refreshToken, "1") == second)
        #expect(world.userInfo(second.accessToken) == 200)
        let other = TestWorld(directory: world.directory)
        #expect(try other.renew(first.refreshToken, "1") == second)
        _ = try world.renew(second.refreshToken, "2")
        #expect(try world.renew(first.refreshToken, "1") == second)
    }

    @Test("a rotated token with another renewal id ends the session for everybody")
    func reuse() throws {
        let first = try world.guest()
        let second = try world.renew(first.refreshToken, "1")
        #expect(try ended(first.refreshToken, id: "2"))
        #expect(try ended(second.refreshToken))
        #expect(try ended(first.refreshToken, id: "1"))
        #expect(world.userInfo(second.accessToken) == 401)
        #expect(try world.guest("again", endedToken: second.refreshToken).identity != first.identity)
    }

    @Test("an older rotated token is reuse as well")
    func olderReuse() throws {
        let first = try world.guest()
        let second = try world.renew(first.refreshToken, "1")
        let third = try world.renew(second.refreshToken, "2")
        #expect(try ended(first.refreshToken, id: "3"))
        #expect(try ended(third.refreshToken))
    }

    @Test("an unknown token is an ended session")
    func unknown() throws {
        _ = try world.guest()
        #expect(try ended("nothing"))
    }

    @Test("an access token lives for the given seconds, which are clamped to 1 second to 10 years")
    func life() throws {
        let grant = try world.grant(.createGuest(deviceId: "d", requestId: "q", endedToken: nil), life: 60)
        #expect(grant.expiresIn == 60)
        world.advance(seconds: 59)
        #expect(world.userInfo(grant.accessToken) == 200)
        world.advance(seconds: 1)
        #expect(world.userInfo(grant.accessToken) == 401)
        for (life, expected) in [(Int64.min, Int64(1)), (0, 1), (.max, 315_360_000)] {
            #expect(try world.grant(.createGuest(deviceId: "d", requestId: "\(life)", endedToken: nil), life: life).expiresIn == expected)
        }
    }

    @Test("a revocation ends the session of a current, a rotated or an access token, and is always 200")
    func revokes() throws {
        for choose in [0, 1, 2] {
            let first = try world.guest("\(choose)")
            let second = try world.renew(first.refreshToken, "1")
            let token = [first.refreshToken, second.refreshToken, second.accessToken][choose]
            #expect(world.ask(.revoke(refreshToken: token)) == .success(.revoked))
            #expect(try ended(second.refreshToken))
            #expect(world.ask(.revoke(refreshToken: token)) == .success(.revoked))
        }
        #expect(world.ask(.revoke(refreshToken: "nothing")) == .success(.revoked))
    }

    @Test("a revoked session's guest request makes a new guest")
    func revokedRequest() throws {
        let first = try world.guest()
        _ = world.ask(.revoke(refreshToken: first.refreshToken))
        #expect(try world.guest().identity != first.identity)
    }

    @Test("endSessions ends every session of the user with session_ended, and of no other")
    func endsSessions() throws {
        let one = try world.signIn("ana@example.com")
        let two = try world.signIn("ana@example.com")
        let other = try world.signIn("bob@example.com")
        try world.service.endSessions(userId: one.identity.userId ?? "")
        #expect(try ended(one.refreshToken) && ended(two.refreshToken))
        #expect(world.userInfo(one.accessToken) == 401)
        _ = try world.renew(other.refreshToken, "1")
        #expect(try world.signIn("ana@example.com").identity == one.identity)
    }

    @Test("a guest whose session the host ended is the same user again by its last token or the one before")
    func sameGuestAgain() throws {
        let first = try world.guest()
        let second = try world.renew(first.refreshToken, "1")
        let third = try world.renew(second.refreshToken, "2")
        try world.service.endSessions(userId: first.identity.userId ?? "")
        let again = try world.guest("again", endedToken: third.refreshToken)
        #expect(again.identity == first.identity && again.refreshToken != third.refreshToken)
        #expect(try world.guest("again", endedToken: third.refreshToken) == again)
        #expect(try world.guest("before", endedToken: second.refreshToken).identity == first.identity)
        #expect(try world.guest("too old", endedToken: first.refreshToken).identity != first.identity)
        _ = try world.renew(again.refreshToken, "3")
    }

    @Test("a token of a living session, of an account, of a deleted guest or of nobody makes a new guest")
    func newGuest() throws {
        let living = try world.guest("living")
        #expect(try world.guest("1", endedToken: living.refreshToken).identity != living.identity)
        let account = try world.signIn("ana@example.com")
        try world.service.endSessions(userId: account.identity.userId ?? "")
        #expect(try !world.guest("2", endedToken: account.refreshToken).identity.isAccount)
        #expect(try world.guest("2", endedToken: account.refreshToken).identity.userId != account.identity.userId)
        let deleted = try world.guest("deleted")
        try world.service.endSessions(userId: deleted.identity.userId ?? "")
        try world.service.deleteAccount(userId: deleted.identity.userId ?? "")
        #expect(try world.guest("3", endedToken: deleted.refreshToken).identity != deleted.identity)
        #expect(try world.guest("deleted").identity != deleted.identity)
        _ = try world.guest("4", endedToken: "nothing")
    }

    @Test("a deleted account is account_deleted, and its address gets another user id")
    func deletes() throws {
        let first = try world.signIn("ana@example.com")
        let userId = first.identity.userId ?? ""
        try world.service.deleteAccount(userId: userId)
        #expect(try ended(first.refreshToken, "account_deleted"))
        #expect(world.userInfo(first.accessToken) == 401)
        #expect(try world.signIn("ana@example.com").identity.userId != userId)
        #expect(throws: ServiceHostError.notFound) { try self.world.service.deleteAccount(userId: userId) }
        #expect(throws: ServiceHostError.notFound) { try self.world.service.endSessions(userId: userId) }
        #expect(throws: ServiceHostError.notFound) { try self.world.service.endSessions(userId: "nobody") }
    }

    @Test("no token and no code is in the file as text once its message was taken")
    func hashesOnly() throws {
        let (ceremonyId, code) = try world.begin("ana@example.com")
        let grant = try world.grant(.verifyCode(ceremonyId: ceremonyId, code: code, deviceId: "d"))
        let renewed = try world.renew(grant.refreshToken, "renewal id")
        let database = try SqliteDatabase(directory: world.directory, busyTimeoutMs: 0, newSecret: "")
        var values: Set<SqlValue> = []
        for table in ["users", "sessions", "refresh_tokens", "guest_requests", "ceremonies", "outbox"] {
            values.formUnion(try database.rows("SELECT * FROM \(table)", []).flatMap { $0 })
        }
        for secret in [grant.accessToken, grant.refreshToken, renewed.accessToken, renewed.refreshToken, code, "renewal id"] {
            #expect(!values.contains(.text(secret)))
        }
    }
}

struct TokenRulesTests {
    @Test("a deleted user goes before an ended session, and both before reuse")
    func order() {
        #expect(
            TokenRules.verdict(
                userIsDeleted: true, sessionIsEnded: true, tokenIsCurrent: false, renewalIsSame: false,
                successorIsCurrent: false) == .refused(.accountDeleted))
        #expect(
            TokenRules.verdict(
                userIsDeleted: false, sessionIsEnded: true, tokenIsCurrent: false, renewalIsSame: false,
                successorIsCurrent: false) == .refused(.sessionEnded))
    }

    @Test("equal secrets are equal, others are not, whatever their length")
    func comparison() {
        #expect(ServiceHashes.areEqual("abc", "abc"))
        #expect(!ServiceHashes.areEqual("abc", "abd"))
        #expect(!ServiceHashes.areEqual("abc", "ab"))
    }

    @Test("a hash tells its parts and purposes apart")
    func hashes() {
        let hashes = ServiceHashes(key: String(repeating: "0", count: 64))
        #expect(hashes.hash(.code, "ab", "c") != hashes.hash(.code, "a", "bc"))
        #expect(hashes.hash(.code, "a") != hashes.hash(.stored, "a"))
        #expect(hashes.hash(.code, "a") != ServiceHashes(key: String(repeating: "1", count: 64)).hash(.code, "a"))
    }
}
