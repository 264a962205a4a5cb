import FolioMachine
import FolioModel
import Testing

@Suite struct StartTests {
    @Test("The first start creates a guest in one request and ends before anything else happens")
    func firstStart() {
        var world = World()
        world.send(.start(timeout: 30_000))
        #expect(world.startResult == .some(nil))
        #expect(world.told == ["g1 active"])
        #expect(world.requests == ["createGuest"])
        #expect(world.file?.session?.identity == .transient(userId: "g1"))
        #expect(world.file?.intent == nil)
        #expect(!world.lockIsHeld)
    }

    @Test("A saved account is restored without a request, first activating, then active")
    func restoresAccount() {
        var world = World.account()
        world.isReachable = false
        world.restart()
        #expect(world.startResult == .some(nil))
        #expect(world.told == ["a1 activating", "a1 active"])
        #expect(world.requests.isEmpty)
    }

    @Test("A start without a network and without a session fails with NETWORK and keeps the intent")
    func offlineStart() {
        var world = World()
        world.isReachable = false
        world.send(.start(timeout: 30_000))
        #expect(world.startResult??.kind == .network)
        #expect(world.file?.intent != nil)
        #expect(!world.lockIsHeld)
        world.isReachable = true
        world.restart()
        #expect(world.told == ["g1 active"])
    }

    @Test("Services that fail at a start leave the saved identity with status DEVICE and the error")
    func servicesFailAtStart() {
        var world = World.account()
        world.startFails = true
        world.restart()
        #expect(world.startResult == .some(nil))
        #expect(world.told == ["a1 activating", "a1 device storage"])
    }

    @Test("A start that takes too long fails, and late answers change nothing")
    func startTimesOut() {
        var world = World()
        world.heldRequests = ["createGuest"]
        world.send(.start(timeout: 30_000))
        world.fire(.start)
        #expect(world.startResult??.kind == .network)
        world.release("createGuest")
        #expect(world.file?.session == nil)
        #expect(world.told.isEmpty)
    }
}

@Suite struct SignOutTests {
    static let sequence = ["signingOut", "deactivating signingOut", "device signingOut"]

    @Test("A sign-out publishes its states in order and ends with a new guest", arguments: [true, false])
    func signOut(ofAccount: Bool) {
        var world = ofAccount ? World.account() : World.guest()
        let user = ofAccount ? "a1" : "g1"
        let guest = "g2"
        world.send(.session(.signOut))
        #expect(world.told == [
            "\(user) active signingOut", "- deactivating signingOut", "- device signingOut", "\(guest) active",
        ])
        #expect(world.requests == ["revoke", "createGuest"])
        #expect(world.writes.count == 3)
        #expect(world.settled == 1)
        #expect(!world.lockIsHeld)
    }

    @Test("Offline, the sign-out is done on the device and only the guest is missing")
    func offline() {
        var world = World.account()
        world.isReachable = false
        world.send(.session(.signOut))
        #expect(world.told.last == "- device network")
        #expect(world.file?.session == nil)
        #expect(world.settled == 1)
        world.clearRecords()
        world.isReachable = true
        world.send(.session(.signOut))
        #expect(world.told == ["- device signingOut", "g2 active"])
        #expect(world.requests == ["createGuest"])
    }

    @Test("After an offline sign-out a start offline fails, and one online creates the guest")
    func restartAfterOfflineSignOut() {
        var world = World.account()
        world.isReachable = false
        world.send(.session(.signOut))
        world.restart()
        #expect(world.startResult??.kind == .network)
        world.isReachable = true
        world.restart()
        #expect(world.told == ["g2 active"])
    }

    @Test("A second sign-out while one runs does nothing and is settled")
    func second() {
        var world = World.account()
        world.heldRequests = ["revoke"]
        world.send(.session(.signOut))
        world.send(.session(.signOut))
        #expect(world.settled == 1)
        world.release("revoke")
        #expect(world.settled == 2)
        #expect(world.requests == ["revoke", "createGuest"])
    }

    @Test("When the intent cannot be written nothing starts", arguments: ["setIntent", "lock"])
    func intentFails(at: String) {
        var world = World.account()
        if at == "lock" { world.lockFails = true } else { world.failingWrites = [at] }
        world.send(.session(.signOut))
        #expect(world.told == ["a1 active signingOut", "a1 active storage"])
        #expect(world.requests.isEmpty)
        #expect(world.vaults.last?.userId == "a1")
        #expect(world.settled == 1)
    }

    @Test("When the deletion fails the identity is left, the intent stays and the next sign-out finishes")
    func deletionFails() {
        var world = World.account()
        world.failingWrites = ["endSession"]
        world.send(.session(.signOut))
        #expect(world.told.last == "- device storage")
        #expect(world.file?.intent == .signOut)
        world.failingWrites = []
        world.clearRecords()
        world.send(.session(.signOut))
        #expect(world.told.last == "g2 active")
        #expect(world.file?.session?.identity == .transient(userId: "g2"))
    }

    @Test("A guest that cannot be stored is not adopted")
    func guestIsNotStored() {
        var world = World.account()
        world.failingWrites = ["adoptGuest"]
        world.send(.session(.signOut))
        #expect(world.told.last == "- device storage")
        #expect(world.file?.session == nil)
        #expect(world.requests == ["revoke", "createGuest", "revoke"])
    }

    @Test("A sign-out while an account activates waits for that step, then runs")
    func duringActivation() {
        var world = World.guest()
        world.startsAreHeld = true
        world.signIn()
        world.send(.session(.signOut))
        #expect(world.told == ["a1 activating"])
        world.release("start")
        #expect(world.told == [
            "a1 activating", "a1 active", "a1 active signingOut", "- deactivating signingOut", "- device signingOut",
            "g2 active",
        ])
    }

    @Test("A renewal that is under way gives way, and its late answer is dropped")
    func duringRenewal() {
        var world = World.account()
        world.heldRequests = ["renew"]
        world.send(.renewRequested)
        world.send(.session(.signOut))
        world.release("renew")
        #expect(world.told.last == "g2 active")
        #expect(world.file?.session?.identity == .transient(userId: "g2"))
    }

    @Test("The vault is closed from the first state of a sign-out on")
    func vaultCloses() {
        var world = World.account()
        world.heldRequests = ["lock"]
        world.send(.session(.signOut))
        #expect(world.told == ["a1 active signingOut"])
        #expect(world.machine.vault.userId == nil)
    }

    @Test("A start that finds the intent of a sign-out finishes it")
    func resumes() {
        var world = World.account()
        world.heldRequests = ["revoke"]
        world.send(.session(.signOut))
        world.heldRequests = []
        world.restart()
        #expect(world.startResult == .some(nil))
        #expect(world.told == ["g2 active"])
        #expect(world.requests == ["revoke", "createGuest"])
    }
}

@Suite struct EndedSessionTests {
    @Test("An ended account leaves a new guest and a notice, which a restart keeps and a dismissal clears")
    func account() {
        var world = World.account()
        world.serviceRefusal["renew"] = World.ended
        world.send(.renewRequested)
        #expect(world.told == ["- deactivating notice", "- device notice", "g2 active notice"])
        world.serviceRefusal = [:]
        world.restart()
        #expect(world.told == ["g2 active notice"])
        world.clearRecords()
        world.send(.session(.dismissNotice))
        #expect(world.told == ["g2 active"])
        #expect(world.file?.notice == nil)
        #expect(world.settled == 1)
    }

    @Test("A deleted account ends without a notice and its vault is dead")
    func deletedAccount() {
        var world = World.account()
        world.serviceRefusal["renew"] = World.deleted
        world.send(.renewRequested)
        #expect(world.told == ["- deactivating", "- device", "g2 active"])
    }

    @Test("A guest whose session ended keeps its id and no state is published")
    func guest() {
        var world = World.guest()
        world.serviceRefusal["renew"] = World.ended
        world.send(.renewRequested)
        #expect(world.told.isEmpty)
        #expect(world.requests == ["renew", "createGuest"])
        #expect(world.file?.session?.identity == .transient(userId: "g1"))
        #expect(world.file?.session?.tokens != nil)
    }

    @Test("A guest that the service no longer knows gets a new id")
    func deletedGuest() {
        var world = World.guest()
        world.serviceRefusal["renew"] = World.deleted
        world.keepsGuest = false
        world.send(.renewRequested)
        #expect(world.told == ["g2 active"])
        #expect(world.file?.session?.identity == .transient(userId: "g2"))
    }

    @Test("A guest whose session cannot be replaced offline goes on and is replaced later, also after a restart")
    func guestOffline() {
        var world = World.guest()
        world.serviceRefusal["renew"] = World.ended
        world.heldRequests = ["createGuest"]
        world.send(.renewRequested)
        world.heldRequests = []
        world.isReachable = false
        world.restart()
        #expect(world.startResult == .some(nil))
        #expect(world.told == ["g1 active"])
        world.fire(.renewal)
        #expect(world.file?.session?.tokens == nil)
        world.isReachable = true
        world.fire(.renewal)
        #expect(world.file?.session?.tokens != nil)
    }

    @Test("A sign-out while an account ends does nothing")
    func signOutMeanwhile() {
        var world = World.account()
        world.serviceRefusal["renew"] = World.ended
        world.heldRequests = ["createGuest"]
        world.send(.renewRequested)
        world.send(.session(.signOut))
        #expect(world.settled == 1)
        world.release("createGuest")
        #expect(world.told == ["- deactivating notice", "- device notice", "g2 active notice"])
    }

    @Test("An ended session returns the ceremony to idle")
    func ceremony() {
        var world = World.account()
        world.send(.auth(.signIn(email: "bo@example.com")))
        world.serviceRefusal["renew"] = World.ended
        world.send(.renewRequested)
        #expect(world.authWords == ["sending", "awaiting", "idle"])
    }

    @Test("Only a definite word of the service ends a session; anything else changes nothing")
    func temporaryFailures() {
        for reason in [ServiceFailure.Reason.network, .refused(status: 500, code: ""), .refused(status: 403, code: "x")] {
            var world = World.account()
            let file = world.file
            world.serviceRefusal["renew"] = ServiceFailure(reason: reason, message: "m")
            world.send(.renewRequested)
            #expect(world.told.isEmpty)
            #expect(world.file == file)
            #expect(world.timers[.renewal] == world.now + 30_000)
        }
    }
}

@Suite struct RenewalTests {
    @Test("Tokens are renewed at 80 % of their life in one commit and one request, without a state")
    func renews() {
        var world = World.account()
        #expect(world.timers[.renewal] == world.now + 2_880_000)
        let before = world.file?.session?.tokens
        world.fire(.renewal)
        #expect(world.requests == ["renew"])
        #expect(world.writes == ["renewTokens"])
        #expect(world.told.isEmpty)
        #expect(world.file?.session?.tokens != before)
    }

    @Test("Renewals asked for while one runs do not run beside it")
    func singleFlight() {
        var world = World.account()
        world.heldRequests = ["renew"]
        world.send(.renewRequested)
        world.send(.renewRequested)
        #expect(world.requests == ["renew"])
    }

    @Test("Renewed tokens that cannot be stored are used from memory")
    func notStored() {
        var world = World.account()
        world.failingWrites = ["renewTokens"]
        world.send(.renewRequested)
        #expect(world.told.isEmpty)
        #expect(!world.lockIsHeld)
    }

    @Test("Tokens of another boot are renewed at once")
    func otherBoot() {
        var world = World.account()
        world.file?.session?.tokens?.bootId = "other"
        world.restart()
        #expect(world.timers[.renewal] == world.now)
    }

    @Test("Lives of any size neither trap nor renew in a loop", arguments: [Int64.min, -1, 0, 1, 5, .max])
    func lives(life: Int64) {
        var world = World.account()
        world.file?.session?.tokens?.life = life
        world.restart()
        #expect((world.timers[.renewal] ?? 0) >= world.now + 2_000)
    }

    @Test("A sibling's new identity is adopted under the lock, and nothing of the old one is written")
    func siblingSwitched() {
        var world = World.account()
        world.file?.session?.identity = .transient(userId: "sibling")
        world.file?.generation += 1
        world.send(.renewRequested)
        #expect(world.told == ["sibling active"])
        #expect(world.writes.isEmpty)
        #expect(world.requests.isEmpty)
    }
}
