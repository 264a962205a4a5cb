import FolioModel
import Glibc
import Synchronization
import Testing

@testable import FolioDevice

extension DeviceTests {
    @Suite(.serialized) struct CarryingOver {
        private final class Clock: Sendable {
            private let time = Mutex<Int64>(0)
            var now: Int64 {
                get { time.withLock { $0 } }
                set { time.withLock { $0 = newValue } }
            }
        }

        private let guestId = "guest-1"
        private let accountId = "account-1"

        private func signIn(_ device: DeviceFile) throws {
            try device.write(.completeSwitch(to: account(), clearNotice: true))
        }

        private func signOut(_ device: DeviceFile, vaultIsDead: Bool = false) throws {
            try device.write(.endSession(intent: .createGuest(requestId: "r"), notice: nil, vaultIsDead: vaultIsDead))
        }

        private func summary(_ device: DeviceFile) throws -> VaultSummary {
            try device.vaultSummary(for: account().identity)
        }

        private func tables(_ place: Place) throws -> [String: Int64] {
            let connection = try Connection(path: place.path("folio.sqlite"), busyTimeout: 1_000)
            var counts: [String: Int64] = [:]
            counts["vault"] = try connection.first("SELECT count(*) FROM vault") { (row) throws(DeviceError) in row.integer(0) }
            counts["record"] = try connection.first("SELECT count(*) FROM record") { (row) throws(DeviceError) in row.integer(0) }
            counts["conflict"] = try connection.first("SELECT count(*) FROM conflict") { (row) throws(DeviceError) in row.integer(0) }
            counts["carry_over"] = try connection.first("SELECT count(*) FROM carry_over") { (row) throws(DeviceError) in row.integer(0) }
            counts["rest"] = try connection.first(
                "SELECT (SELECT count(*) FROM deletion) + (SELECT count(*) FROM left_record)"
            ) { (row) throws(DeviceError) in row.integer(0) }
            return counts
        }

        @Test("records move in batches with their times, the guest's copies go, and nothing of the work is left")
        func moves() throws {
            let place = try Place()
            let device = try place.openGuest()
            let clock = Clock()
            clock.now = 77
            let vault = place.vault(now: { clock.now })
            try vault.putNumbered("k", 600, owner: guestId)
            try signIn(device)
            #expect(try summary(device) == VaultSummary(waitingGuests: 1, total: 600))
            clock.now = 99
            guard case .more(let first) = try device.carryOverBatch(account: accountId, decide: newestWins) else {
                Issue.record("the first batch is not the last")
                return
            }
            #expect(first.moved == 256 && first.recordCount == 256 && first.total == 600)
            let (_, last) = try device.carryOver(accountId)
            guard case .finished(let end) = last else {
                Issue.record("\(last)")
                return
            }
            #expect(end.recordCount == 600 && end.waitingGuests == 0 && end.conflictCount == 0)
            #expect(try vault.count(owner: accountId) == 600)
            #expect(try vault.get("k599", owner: accountId)?.modifiedAt == 77)
            #expect(try vault.text("k599", owner: accountId) == "k599")
            #expect(try tables(place) == ["vault": 1, "record": 600, "conflict": 0, "carry_over": 0, "rest": 0])
            #expect(try device.carryOverBatch(account: accountId, decide: newestWins) == .finished(end))
        }

        @Test("a batch ends at so many bytes and holds at least one record")
        func bigRecords() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            let big = value(String(repeating: "x", count: VaultLimits.batchBytes + 1))
            try vault.apply((0..<3).map { .put(key: "k\($0)", value: big) }, owner: guestId)
            try signIn(device)
            for moved in 1...3 {
                guard case .more(let summary) = try device.carryOverBatch(account: accountId, decide: newestWins) else {
                    Issue.record("more batches follow")
                    return
                }
                #expect(summary.moved == Int64(moved))
            }
            guard case .finished(let end) = try device.carryOver(accountId).1 else {
                Issue.record("it ends")
                return
            }
            #expect(end.recordCount == 3)
        }

        @Test("equal keys: the newest wins, at equal times the account's, and the loser is kept unless the values are equal")
        func conflicts() throws {
            let place = try Place()
            let device = try place.openGuest()
            let clock = Clock()
            let vault = place.vault(now: { clock.now })
            // The account's records, made in an earlier session.
            try signIn(device)
            clock.now = 100
            for key in ["older", "same time", "newer", "equal"] { try vault.put(key, key == "equal" ? "same" : "account", owner: accountId) }
            try signOut(device)
            try device.write(.adoptGuest(guest("guest-2")))
            for (key, time) in [("older", 50), ("same time", 100), ("newer", 150), ("equal", 200)] as [(String, Int64)] {
                clock.now = time
                try vault.put(key, key == "equal" ? "same" : "guest", owner: "guest-2")
            }
            try signIn(device)
            _ = try device.carryOver(accountId)
            #expect(try vault.text("older", owner: accountId) == "account")
            #expect(try vault.text("same time", owner: accountId) == "account")
            #expect(try vault.text("newer", owner: accountId) == "guest")
            #expect(try vault.get("equal", owner: accountId)?.modifiedAt == 200)
            let copies = try vault.conflicts(owner: accountId)
            #expect(copies.map(\.key) == ["newer", "older", "same time"])
            #expect(copies.map(\.modifiedAt) == [100, 50, 100])
            let texts = try copies.map { try vault.conflict($0.id, owner: accountId).text }
            #expect(texts == ["account", "guest", "guest"])
            #expect(try summary(device).conflictCount == 3)
            #expect(try summary(device).bytes == 7 + 7 + 5 + 4)

            clock.now = 300
            try vault.keepConflict(copies[1].id, owner: accountId)
            #expect(try vault.text("older", owner: accountId) == "guest")
            #expect(try vault.get("older", owner: accountId)?.modifiedAt == 300)
            try vault.dropConflict(copies[0].id, owner: accountId)
            #expect(try vault.conflicts(after: copies[0].id, owner: accountId).map(\.key) == ["same time"])
            #expect(try summary(device).conflictCount == 1)
            for id in [copies[0].id, copies[1].id, 999] {
                #expect(throws: VaultFailure.notFound) { try vault.dropConflict(id, owner: accountId) }
                #expect(throws: VaultFailure.notFound) { try vault.keepConflict(id, owner: accountId) }
                #expect(throws: VaultFailure.notFound) { _ = try vault.conflict(id, owner: accountId) }
            }
        }

        @Test("a key the account deletes while a guest waits is not brought back; put again it is a key like others")
        func deletions() throws {
            let place = try Place()
            let device = try place.openGuest()
            let clock = Clock()
            let vault = place.vault(now: { clock.now })
            try signIn(device)
            for key in ["gone", "again"] { try vault.put(key, "account", owner: accountId) }
            try signOut(device)
            try device.write(.adoptGuest(guest("guest-2")))
            clock.now = 10
            for key in ["gone", "again"] { try vault.put(key, "guest", owner: "guest-2") }
            try signIn(device)
            for key in ["gone", "again"] { #expect(try vault.delete(key, owner: accountId)) }
            clock.now = 20
            try vault.put("again", "newest", owner: accountId)
            _ = try device.carryOver(accountId)
            #expect(try vault.get("gone", owner: accountId) == nil)
            #expect(try vault.text("again", owner: accountId) == "newest")
            #expect(try vault.conflicts(owner: accountId).map(\.key) == ["again", "gone"])
            #expect(try tables(place)["rest"] == 0)
        }

        @Test("interrupted between any two batches, also by a sign-out, it goes on and moves everything once")
        func interrupted() throws {
            for sign in [false, true] {
                let place = try Place()
                let vault = place.vault()
                var device = try place.openGuest()
                try vault.putNumbered("k", 700, owner: guestId)
                try signIn(device)
                try vault.put("own", "account", owner: accountId)
                var batches = 0
                while case .more = try device.carryOverBatch(account: accountId, decide: newestWins) {
                    batches += 1
                    if sign {
                        try signOut(device)
                        #expect(try device.carryOverBatch(account: accountId, decide: newestWins) == .notCurrent)
                        try device.write(.adoptGuest(guest("guest-\(batches + 1)")))
                        try signIn(device)
                    }
                    device.close()
                    device = try place.open()
                }
                #expect(batches >= 6)
                #expect(try vault.count(owner: accountId) == 701)
                for key in ["k0", "k255", "k256", "k699"] { #expect(try vault.text(key, owner: accountId) == key) }
                while try device.removeDeadBatch() {}
                #expect(try tables(place) == ["vault": 1, "record": 701, "conflict": 0, "carry_over": 0, "rest": 0])
            }
        }

        @Test("two processes share the work")
        func twoConnections() throws {
            let place = try Place()
            let devices = [try place.openGuest(), try place.open()]
            let vault = place.vault()
            try vault.putNumbered("k", 1_000, owner: guestId)
            try signIn(devices[0])
            var turn = 0
            while case .more = try devices[turn % 2].carryOverBatch(account: accountId, decide: newestWins) { turn += 1 }
            #expect(try vault.count(owner: accountId) == 1_000)
            #expect(try tables(place) == ["vault": 1, "record": 1_000, "conflict": 0, "carry_over": 0, "rest": 0])
        }

        @Test("a full disk in the middle changes nothing of that batch")
        func full() async {
            await #expect(processExitsWith: .success) { try CarryingOver().checkFullDisk() }
        }

        private func checkFullDisk() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.putNumbered("k", 600, owner: guestId)
            try signIn(device)
            _ = try device.carryOverBatch(account: accountId, decide: newestWins)
            let before = try summary(device)
            #expect(try device.truncateWal())
            let found = withFileSizeLimit(8_000) {
                reason { _ = try device.carryOverBatch(account: accountId, decide: newestWins) }
            }
            #expect(found == .full)
            #expect(try summary(device) == before)
            _ = try device.carryOver(accountId)
            #expect(try vault.count(owner: accountId) == 600)
        }

        @Test("several guests wait for one account and add up; an empty guest does not wait")
        func severalGuests() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            for number in 1...3 {
                let id = "guest-\(number)"
                if number > 1 {
                    try signOut(device)
                    try device.write(.adoptGuest(guest(id)))
                }
                if number < 3 { try vault.putNumbered("g\(number)-", number, owner: id) }
                try signIn(device)
            }
            #expect(try summary(device) == VaultSummary(waitingGuests: 2, total: 3))
            // The empty vault went in the commit that left it.
            #expect(try !device.snapshot().hasDeadVaults)
            _ = try device.carryOver(accountId)
            #expect(try vault.list(limit: 10, owner: accountId).map(\.key) == ["g1-0", "g2-0", "g2-1"])
        }

        @Test("a guest's damaged record stays with it and the others move; once it opens it is moved too")
        func damaged() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.putNumbered("k", 300, owner: guestId)
            let sealed = String(decoding: try query(place, "SELECT hex(value) FROM record WHERE key = x'6b37'"), as: UTF8.self)
            try sql(place, "UPDATE record SET value = zeroblob(42) WHERE key = x'6b37'")
            try signIn(device)
            for _ in 0..<2 {
                guard case .damaged(let summary) = try device.carryOver(accountId).1 else {
                    Issue.record("it ends as damaged")
                    return
                }
                #expect(summary.moved == 299 && summary.total == 300 && summary.waitingGuests == 1)
                #expect(try vault.count(owner: accountId) == 299)
                #expect(try tables(place)["record"] == 300)
            }
            try sql(place, "UPDATE record SET value = x'\(sealed)' WHERE key = x'6b37'")
            guard case .finished(let summary) = try device.carryOver(accountId).1 else {
                Issue.record("it ends")
                return
            }
            #expect(summary.recordCount == 300 && summary.waitingGuests == 0)
            #expect(try vault.text("k7", owner: accountId) == "k7")
            #expect(try tables(place) == ["vault": 1, "record": 300, "conflict": 0, "carry_over": 0, "rest": 0])
        }

        @Test("when the account's own value is damaged, the guest's stays with the guest")
        func damagedAccountValue() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.put("k", "guest", owner: guestId)
            try signIn(device)
            try vault.put("k", "account", owner: accountId)
            try sql(place, "UPDATE record SET value = zeroblob(47) WHERE vault = 2")
            guard case .damaged = try device.carryOver(accountId).1 else {
                Issue.record("it ends as damaged")
                return
            }
            try vault.put("k", "account again", owner: accountId)
            guard case .finished = try device.carryOver(accountId).1 else {
                Issue.record("it ends")
                return
            }
            #expect(try vault.text("k", owner: accountId) == "account again")
            #expect(try vault.conflicts(owner: accountId).map(\.key) == ["k"])
        }

        @Test("a carry-over redirected to another account in the file does not run")
        func redirected() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.put("k", "v", owner: guestId)
            try signIn(device)
            try device.write(.completeSwitch(to: account("account-2"), clearNotice: true))
            try sql(place, "UPDATE carry_over SET account = 'account-2'")
            #expect(reason { _ = try device.carryOverBatch(account: "account-2", decide: newestWins) } == .damaged)
        }

        @Test("nothing is carried over from an account, nor from a guest to itself")
        func nothingToCarry() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.put("k", "guest", owner: guestId)
            try device.write(.completeSwitch(to: guest(), clearNotice: false))
            #expect(try vault.text("k", owner: guestId) == "guest")
            #expect(try tables(place)["carry_over"] == 0)
            try signIn(device)
            try vault.put("own", "account", owner: accountId)
            try device.write(.completeSwitch(to: account("account-2"), clearNotice: true))
            #expect(try tables(place)["carry_over"] == 1)
            #expect(try device.carryOverBatch(account: accountId, decide: newestWins) == .notCurrent)
            #expect(try vault.count(owner: "account-2") == 0)
        }

        @Test("a guest account gets the guest's records, and takes waiting guests along when it signs in to an account")
        func guestAccount() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.putNumbered("g", 300, owner: guestId)
            try device.write(.completeSwitch(to: guest("guest-account"), clearNotice: false))
            _ = try device.carryOverBatch(account: "guest-account", decide: newestWins)
            #expect(try vault.delete("g0", owner: "guest-account"))
            #expect(try vault.delete("g99", owner: "guest-account") == false)
            try signIn(device)
            #expect(try summary(device).waitingGuests == 2)
            _ = try device.carryOver(accountId)
            // g0 was deleted after its copy had moved; the guest's own copy must not bring it back.
            #expect(try vault.count(owner: accountId) == 299)
            #expect(try vault.get("g0", owner: accountId) == nil)
            #expect(try tables(place)["vault"] == 1)
            #expect(try tables(place)["rest"] == 0)
        }

        @Test("a waiting guest account that becomes the current identity again is carried over anew, with what it wrote")
        func currentAgain() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.putNumbered("k", 400, owner: guestId)
            try signIn(device)
            _ = try device.carryOverBatch(account: accountId, decide: newestWins)
            try device.write(.completeSwitch(to: guest(), clearNotice: false))
            try vault.put("a", "new", owner: guestId)
            try signOut(device)
            try device.write(.adoptGuest(guest("guest-2")))
            try signIn(device)
            _ = try device.carryOver(accountId)
            #expect(try vault.text("a", owner: accountId) == "new")
            #expect(try vault.count(owner: accountId) == 401)
            #expect(try vault.conflicts(owner: accountId).isEmpty)
        }

        @Test("a guest account's conflict copies go with its records")
        func conflictsMove() throws {
            let place = try Place()
            let device = try place.openGuest()
            let clock = Clock()
            let vault = place.vault(now: { clock.now })
            try vault.put("k", "guest", owner: guestId)
            try device.write(.completeSwitch(to: guest("guest-account"), clearNotice: false))
            clock.now = 5
            try vault.put("k", "guest account", owner: "guest-account")
            _ = try device.carryOver("guest-account")
            #expect(try vault.conflicts(owner: "guest-account").count == 1)
            #expect(try vault.delete("k", owner: "guest-account"))
            try signIn(device)
            _ = try device.carryOver(accountId)
            let copies = try vault.conflicts(owner: accountId)
            #expect(copies.map(\.key) == ["k"])
            let id = try #require(copies.first?.id)
            #expect(try vault.conflict(id, owner: accountId).text == "guest")
            #expect(try tables(place) == ["vault": 1, "record": 0, "conflict": 1, "carry_over": 0, "rest": 0])
        }

        @Test("a guest that signs out is dead, its records go in batches, and a new guest finds nothing")
        func deadGuest() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.putNumbered("k", 600, owner: guestId)
            try signOut(device)
            #expect(try device.snapshot().hasDeadVaults)
            try device.write(.adoptGuest(guest("guest-2")))
            #expect(try vault.count(owner: "guest-2") == 0)
            #expect(try device.removeDeadBatch())
            #expect(try tables(place)["record"] == 344)
            while try device.removeDeadBatch() {}
            #expect(try tables(place) == ["vault": 1, "record": 0, "conflict": 0, "carry_over": 0, "rest": 0])
            #expect(try !device.snapshot().hasDeadVaults)
            #expect(try !device.removeDeadBatch())
        }

        @Test("a deleted account's vault is dead, with the guests that waited for it")
        func deletedAccount() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.put("k", "guest", owner: guestId)
            try signIn(device)
            try vault.put("own", "account", owner: accountId)
            try signOut(device, vaultIsDead: true)
            #expect(try tables(place)["carry_over"] == 0)
            while try device.removeDeadBatch() {}
            #expect(try tables(place) == ["vault": 0, "record": 0, "conflict": 0, "carry_over": 0, "rest": 0])
        }

        @Test("guests that wait for a guest follow it when the service gives it another user id")
        func ownerChangeWhileWaiting() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.put("k", "guest", owner: guestId)
            try device.write(.completeSwitch(to: guest("guest-account"), clearNotice: false))
            try device.write(.replaceGuest(guest("guest-new")))
            _ = try device.carryOver("guest-new")
            #expect(try vault.text("k", owner: "guest-new") == "guest")
        }
    }
}
