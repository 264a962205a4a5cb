import FolioMachine
import FolioModel
import Testing

@Suite struct CeremonyTests {
    @Test("A sign-in takes two requests and three commits, revokes the old session afterwards, and ends idle")
    func signIn() {
        var world = World.guest()
        world.signIn()
        #expect(world.authWords == ["sending", "awaiting", "verifying", "idle"])
        #expect(world.told == ["a1 activating", "a1 active"])
        #expect(world.requests == ["startCeremony", "verifyCode", "revoke"])
        #expect(world.writes == ["setIntent", "completeSwitch"])
        #expect(world.removedRevocations.count == 1)
        #expect(world.settled == 2)
        #expect(world.file?.revocations.isEmpty == true)
    }

    @Test("A sign-in may end on a guest account: the identity stays Transient and goes straight to ACTIVE")
    func guestAccount() {
        var world = World.guest()
        world.signsInTo = .transient(userId: "ga")
        world.signIn()
        #expect(world.told == ["ga active"])
        #expect(world.authWords.last == "idle")
    }

    @Test("A sign-in over an account is a switch of identity")
    func overAccount() {
        var world = World.account()
        world.signsInTo = .authenticated(userId: "b1", email: "bo@example.com")
        world.signIn("bo@example.com")
        #expect(world.told == ["b1 activating", "b1 active"])
    }

    @Test("When the new services cannot start the previous identity is back with status DEVICE")
    func servicesFail() {
        var world = World.guest()
        world.startFails = true
        world.signIn()
        #expect(world.told == ["a1 activating", "g1 device storage"])
        #expect(world.authWords.last == "failed storage")
        #expect(world.file?.session?.identity == .transient(userId: "g1"))
        #expect(world.file?.intent == nil)
        #expect(world.settled == 2)
        #expect(world.requests.last == "revoke")
    }

    @Test("A start that finds the intent of a switch rolls it forward")
    func rollsForward() {
        var world = World.guest()
        world.startsAreHeld = true
        world.signIn()
        world.startsAreHeld = false
        world.restart()
        #expect(world.told == ["a1 activating", "a1 active"])
        #expect(world.file?.session?.identity.userId == "a1")
    }

    @Test("A sign-in from Unresolved ends that condition")
    func fromUnresolved() {
        var world = World.account()
        world.isReachable = false
        world.send(.session(.signOut))
        world.isReachable = true
        world.clearRecords()
        world.signIn()
        #expect(world.told == ["a1 activating", "a1 active"])
        #expect(world.file?.intent == nil)
    }

    @Test("A malformed address fails at once and sends nothing", arguments: ["", "a", "a@", "@b", "a@b@c", "a b@c", "a@b..c"])
    func malformedAddress(email: String) {
        var world = World.guest()
        world.send(.auth(.signIn(email: email)))
        #expect(world.authWords == ["failed invalidEmail"])
        #expect(world.requests.isEmpty)
        #expect(world.settled == 1)
    }

    @Test("A malformed code stays awaiting and costs no try", arguments: ["", "12345", "1234567", "12a456"])
    func malformedCode(code: String) {
        var world = World.guest()
        world.send(.auth(.signIn(email: "ana@example.com")))
        world.send(.auth(.submitCode(code)))
        #expect(world.authWords == ["sending", "awaiting", "awaiting invalidCode"])
        #expect(world.requests == ["startCeremony"])
    }

    @Test("A wrong code stays awaiting with one try less; the other refusals fail", arguments: [
        ("wrong_code", "awaiting wrongCode"), ("invalid_code", "awaiting invalidCode"), ("code_expired", "failed codeExpired"),
        ("code_used", "failed codeUsed"), ("too_many_tries", "failed tooManyTries"), ("other", "failed service"),
    ])
    func refusals(code: String, state: String) {
        var world = World.guest()
        world.send(.auth(.signIn(email: "ana@example.com")))
        world.serviceRefusal["verifyCode"] = ServiceFailure(reason: .refused(status: 400, code: code), message: "m")
        world.send(.auth(.submitCode("123456")))
        #expect(world.authWords.last == state)
        #expect(world.settled == 2)
        if case .awaitingCode(let awaiting) = world.machine.auth {
            #expect(awaiting.triesLeft == (code == "wrong_code" ? 4 : 5))
        }
    }

    @Test("From FAILED a resend goes on with the same address")
    func resend() {
        var world = World.guest()
        world.isReachable = false
        world.send(.auth(.signIn(email: "ana@example.com")))
        world.isReachable = true
        world.send(.auth(.resendCode))
        #expect(world.authWords == ["sending", "failed network", "sending", "awaiting"])
    }

    @Test("While SENDING the same address changes nothing and another replaces the ceremony")
    func replaced() {
        var world = World.guest()
        world.heldRequests = ["startCeremony"]
        world.send(.auth(.signIn(email: "ana@example.com")))
        world.send(.auth(.signIn(email: " ana@example.com ")))
        #expect(world.authWords == ["sending"])
        world.send(.auth(.signIn(email: "bo@example.com")))
        world.release("startCeremony")
        #expect(world.authWords == ["sending", "sending", "awaiting"])
        #expect(world.settled == 3)
    }

    @Test("An action during a sign-out fails with BUSY, and the sign-out drops the ceremony")
    func busy() {
        var world = World.guest()
        world.send(.auth(.signIn(email: "ana@example.com")))
        world.heldRequests = ["revoke"]
        world.send(.session(.signOut))
        world.send(.auth(.signIn(email: "ana@example.com")))
        #expect(world.authWords == ["sending", "awaiting", "idle", "failed busy"])
        world.release("revoke")
        #expect(world.told.last == "g2 active")
    }

    @Test("A session granted to a ceremony that was dropped is given back")
    func lateGrant() {
        var world = World.guest()
        world.send(.auth(.signIn(email: "ana@example.com")))
        world.heldRequests = ["verifyCode"]
        world.send(.auth(.submitCode("123456")))
        world.send(.auth(.cancel))
        world.release("verifyCode")
        #expect(world.told.isEmpty)
        #expect(world.authWords.last == "idle")
        #expect(world.requests.last == "revoke")
    }

    @Test("An intent that cannot be written leaves the session untouched")
    func intentFails() {
        var world = World.guest()
        world.failingWrites = ["setIntent"]
        world.signIn()
        #expect(world.told.isEmpty)
        #expect(world.authWords.last == "failed storage")
        #expect(world.file?.session?.identity.userId == "g1")
    }

    @Test("A previous session that could not be revoked is revoked at the next start")
    func revokesLater() {
        var world = World.guest()
        world.serviceRefusal["revoke"] = .unreachable
        world.signIn()
        #expect(world.file?.revocations.count == 1)
        world.serviceRefusal = [:]
        world.restart()
        #expect(world.requests == ["revoke"])
        #expect(world.file?.revocations.isEmpty == true)
    }
}
