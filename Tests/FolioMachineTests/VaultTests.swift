import FolioMachine
import FolioModel
import Testing

@Suite struct VaultTests {
    static func waiting(moved: Int64) -> VaultSummary { VaultSummary(waitingGuests: 1, moved: moved, total: 3) }

    @Test("A carry-over begins when the account's services run, and is finished once")
    func carryOver() {
        var world = World.guest()
        world.summary = Self.waiting(moved: 0)
        world.carryOverSteps = [.success(.more(Self.waiting(moved: 2)))]
        world.heldRequests = ["carryOver"]
        world.signIn()
        #expect(world.vaults.last?.carryOver == .running(moved: 0, total: 3))
        world.summary = VaultSummary(recordCount: 3)
        world.release("carryOver")
        #expect(world.vaults.last?.carryOver == .finished)
        #expect(world.vaults.last?.recordCount == 3)
        #expect(world.vaults.filter { $0.carryOver == .finished }.count == 1)
    }

    @Test("A failed carry-over says so and is tried again by itself and by the action")
    func failure() {
        var world = World.guest()
        world.summary = Self.waiting(moved: 1)
        world.carryOverSteps = [.failure(World.full), .failure(World.full)]
        world.signIn()
        #expect(world.vaults.last?.carryOver == .failed(moved: 1, total: 3, error: World.full, retrying: true))
        world.fire(.carryOverRetry)
        #expect(world.vaults.last?.carryOver == .failed(moved: 1, total: 3, error: World.full, retrying: true))
        world.summary = VaultSummary()
        world.send(.vault(.retryCarryOver))
        #expect(world.vaults.last?.carryOver == .finished)
    }

    @Test("A carry-over stops with the services, and its late answer is dropped")
    func stops() {
        var world = World.guest()
        world.summary = Self.waiting(moved: 0)
        world.heldRequests = ["carryOver"]
        world.signIn()
        world.summary = VaultSummary()
        world.send(.session(.signOut))
        world.clearRecords()
        world.release("carryOver")
        #expect(world.vaults.isEmpty)
    }

    @Test("Changes are reported at once when none was lately, and later ones together")
    func counts() {
        var world = World.guest()
        world.now += 1_000
        world.summary = VaultSummary(recordCount: 1)
        world.send(.vaultChanged)
        world.summary = VaultSummary(recordCount: 2)
        world.send(.vaultChanged)
        #expect(world.vaults.map(\.recordCount) == [1])
        world.summary = VaultSummary(recordCount: 3)
        world.fire(.vaultReport)
        #expect(world.vaults.map(\.recordCount) == [1, 3])
    }

    @Test("The newest value wins, at equal times the account's, and the loser is kept unless it is the same")
    func rules() {
        func decide(_ guest: Int64, _ account: Int64?, equal: Bool = false, deleted: Bool = false) -> CarryOverDecision {
            CarryOverRules.decide(CarryOverRecord(
                key: "k", guestModifiedAt: guest, accountModifiedAt: account, valuesAreEqual: equal,
                deletedByAccount: deleted))
        }
        #expect(decide(1, nil) == .takeGuest)
        #expect(decide(2, 1) == .takeGuestKeepAccountCopy)
        #expect(decide(1, 2) == .keepAccountKeepGuestCopy)
        #expect(decide(1, 1) == .keepAccountKeepGuestCopy)
        #expect(decide(1, 2, equal: true) == .keepAccount)
        #expect(decide(2, 1, equal: true) == .takeGuest)
        #expect(decide(2, nil, deleted: true) == .keepAccountKeepGuestCopy)
        #expect(CarryOverRules.decide(CarryOverRecord(key: "k", guestModifiedAt: 1, isDamaged: true)) == .leave)
    }
}
