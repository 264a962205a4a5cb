import FolioModel
import Glibc
import Testing

@testable import FolioDevice

extension DeviceTests {
    @Suite(.serialized) struct Writing {
        @Test("each write is one commit, raises the generation by one and is seen by another connection")
        func generations() throws {
            let place = try Place()
            try place.create()
            let device = try place.open()
            let other = try place.open()
            let writes: [DeviceWrite] = [
                .adoptGuest(guest()), .setIntent(.switchSession(to: account())),
                .completeSwitch(to: account(), clearNotice: true), .renewTokens(tokens("2")), .setIntent(.signOut),
                .endSession(intent: .createGuest(requestId: "r2"), notice: .sessionEnded, vaultIsDead: false),
                .adoptGuest(guest("guest-2")),
                .beginReplaceGuest(.replaceGuest(requestId: "r3", endedToken: "r-guest-token")),
                .replaceGuest(guest("guest-3")), .abandonSwitch(account(token: "unused")),
            ]
            for (index, write) in writes.enumerated() {
                #expect(try device.write(write, expecting: Int64(index + 1)) == Int64(index + 2))
                #expect(device.commits == index + 1)
                #expect(try other.snapshot() == device.snapshot())
            }
            let snapshot = try device.snapshot()
            #expect(snapshot.session == guest("guest-3"))
            #expect(snapshot.notice == .sessionEnded)
            #expect(snapshot.intent == nil)
            #expect(snapshot.revocations.map(\.refreshToken) == ["r-guest-token", "r-unused"])
        }

        @Test("what each write leaves in the file")
        func contents() throws {
            let place = try Place()
            let device = try place.openGuest()
            try device.write(.setIntent(.signOut))
            #expect(try device.snapshot().session == guest())
            #expect(try device.snapshot().intent == .signOut)
            try device.write(.beginReplaceGuest(.replaceGuest(requestId: "r", endedToken: "t")))
            #expect(try device.snapshot().session == SavedSession(identity: .transient(userId: "guest-1"), tokens: nil))
            #expect(try device.snapshot().intent == .replaceGuest(requestId: "r", endedToken: "t"))
            try device.write(.replaceGuest(guest(token: "new")))
            try device.write(.renewTokens(tokens("newer")))
            #expect(try device.snapshot().session == guest(token: "newer"))
            try device.write(.endSession(intent: .createGuest(requestId: "r4"), notice: nil, vaultIsDead: false))
            let snapshot = try device.snapshot()
            #expect(snapshot.session == nil && snapshot.intent == .createGuest(requestId: "r4") && snapshot.notice == nil)
            #expect(!snapshot.hasDeadVaults)
        }

        @Test("a write that expects another generation changes nothing")
        func superseded() throws {
            let place = try Place()
            let device = try place.openGuest()
            let before = try device.snapshot()
            for generation: Int64 in [1, 3, -1] {
                #expect(reason { _ = try device.write(.setIntent(.signOut), expecting: generation) } == .superseded)
            }
            #expect(try device.snapshot() == before)
        }

        @Test("the notice is cleared without a new generation, by a switch to an account, and stays otherwise")
        func notice() throws {
            let place = try Place()
            let device = try place.openGuest()
            func end() throws {
                try device.write(.endSession(intent: .createGuest(requestId: "r"), notice: .sessionEnded, vaultIsDead: false))
            }
            try end()
            try device.write(.adoptGuest(guest("guest-2")))
            #expect(try device.snapshot().notice == .sessionEnded)
            let generation = try device.snapshot().generation
            try device.clearNotice()
            #expect(try device.snapshot().notice == nil)
            #expect(try device.snapshot().generation == generation)
            #expect(try device.snapshot().session == guest("guest-2"))
            try end()
            try device.write(.completeSwitch(to: guest("guest-3"), clearNotice: false))
            #expect(try device.snapshot().notice == .sessionEnded)
            try device.write(.completeSwitch(to: account(), clearNotice: true))
            #expect(try device.snapshot().notice == nil)
        }

        @Test("revocations are removed one by one and their ids are never used again")
        func revocations() throws {
            let place = try Place()
            let device = try place.openGuest()
            try device.write(.abandonSwitch(account(token: "1")))
            let first = try #require(try device.snapshot().revocations.first)
            try device.removeRevocation(first.id)
            #expect(try device.snapshot().revocations.isEmpty)
            try device.write(.abandonSwitch(account(token: "2")))
            let second = try #require(try device.snapshot().revocations.first)
            #expect(second.id != first.id && second.refreshToken == "r-2")
        }

        @Test("while another connection writes, every write is busy and changes nothing; reads go on")
        func busy() throws {
            let place = try Place()
            let device = try place.openGuest()
            let before = try device.snapshot()
            let other = try Connection(path: place.path("folio.sqlite"), busyTimeout: 0)
            try other.execute("BEGIN IMMEDIATE")
            #expect(throws: DeviceError.busy) { try device.write(.setIntent(.signOut)) }
            #expect(throws: DeviceError.busy) { try device.clearNotice() }
            #expect(throws: DeviceError.busy) { try device.removeRevocation(1) }
            #expect(throws: DeviceError.busy) { _ = try device.carryOverBatch(account: "guest-1", decide: newestWins) }
            #expect(throws: DeviceError.busy) { _ = try device.removeDeadBatch() }
            #expect(try !device.truncateWal())
            #expect(try device.snapshot() == before)
            #expect(device.commits == 1)
            try other.execute("ROLLBACK")
            try device.write(.setIntent(.signOut))
            #expect(try device.truncateWal())
        }

        @Test("on a full disk a write fails as full, the old session stays, and later writes succeed")
        func full() async {
            await #expect(processExitsWith: .success) {
                let place = try Place()
                let device = try place.openGuest()
                let before = try device.snapshot()
                #expect(try device.truncateWal())
                let found = withFileSizeLimit(1_024) { reason { try device.write(.renewTokens(tokens("new"))) } }
                #expect(found == .full)
                #expect(try device.snapshot() == before)
                #expect(try place.open().snapshot() == before)
                try device.write(.renewTokens(tokens("new")))
                #expect(try place.open().snapshot().session == guest(token: "new"))
            }
        }

        @Test("no sealed token of an ended session is in any file once the WAL is truncated")
        func noOldTokens() throws {
            let place = try Place()
            let device = try place.openGuest()
            let long = String(repeating: "x", count: 65_536)
            try device.write(.completeSwitch(to: account(token: long), clearNotice: true))
            let state = try query(place, "SELECT state FROM device")
            let revocation = try query(place, "SELECT token FROM revocation")
            // Pieces from within, as a page boundary may cut the whole.
            let secrets = [state[30..<60], state[(state.count / 2)..<(state.count / 2 + 30)], revocation[0..<30]].map(Array.init)
            #expect(secrets.allSatisfy { found($0, in: place) })
            try device.removeRevocation(try #require(try device.snapshot().revocations.first).id)
            try device.write(.endSession(intent: .createGuest(requestId: "r2"), notice: nil, vaultIsDead: false))
            #expect(try device.truncateWal())
            #expect(!secrets.contains { found($0, in: place) })
            #expect(place.files()["folio.sqlite-wal"] == [])
        }

        private func found(_ secret: [UInt8], in place: Place) -> Bool {
            place.files().values.contains { contains($0, secret) }
        }

        @Test("no token stands in a file in the clear")
        func sealed() throws {
            let place = try Place()
            let device = try place.openGuest()
            try device.write(.setIntent(.switchSession(to: account())))
            try device.write(.completeSwitch(to: account(), clearNotice: true))
            for token in ["guest-token", "account-token"] { #expect(!found(Array(token.utf8), in: place)) }
        }

        @Test("a closed device file gives a typed error")
        func closed() throws {
            let place = try Place()
            let device = try place.openGuest()
            device.close()
            #expect(reason { _ = try device.snapshot() } == .unavailable)
        }
    }
}
