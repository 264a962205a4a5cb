import FolioModel
import Glibc
import Testing

@testable import FolioDevice

extension DeviceTests {
    @Suite(.serialized) struct Records {
        private let owner = "guest-1"

        @Test("put, get, delete and the counters")
        func records() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault(now: { 1_234 })
            #expect(try vault.get("k", owner: owner) == nil)
            try vault.put("k", "one", owner: owner)
            try vault.put("empty", "", owner: owner)
            try vault.put("k", "three", owner: owner)
            let value = try #require(try vault.get("k", owner: owner))
            #expect(value.text == "three")
            #expect(value.modifiedAt == 1_234)
            #expect(try vault.get("empty", owner: owner)?.count == 0)
            #expect(try device.vaultSummary(for: guest().identity) == VaultSummary(recordCount: 2, bytes: 5))
            #expect(try vault.delete("k", owner: owner))
            #expect(try !vault.delete("k", owner: owner))
            #expect(try vault.count(owner: owner) == 1)
            #expect(try device.vaultSummary(for: guest().identity) == VaultSummary(recordCount: 1, bytes: 0))
        }

        @Test("keys have 1 to 1,024 bytes and values up to 16 MiB; outside of that nothing changes")
        func limits() throws {
            let place = try Place()
            _ = try place.openGuest()
            let vault = place.vault()
            let longest = String(repeating: "é", count: 512)
            try vault.put(longest, "v", owner: owner)
            #expect(try vault.text(longest, owner: owner) == "v")
            func isInvalid(_ body: () throws -> Void) -> Bool {
                do { try body() } catch VaultFailure.invalid { return true } catch {}
                return false
            }
            for key in ["", longest + "a"] {
                #expect(isInvalid { try vault.put(key, "v", owner: owner) })
                #expect(isInvalid { _ = try vault.get(key, owner: owner) })
                #expect(isInvalid { _ = try vault.delete(key, owner: owner) })
                #expect(isInvalid { try vault.apply([.put(key: "a", value: value("")), .delete(key: key)], owner: owner) })
            }
            for limit in [0, -1, 1_001] {
                #expect(isInvalid { _ = try vault.list(limit: limit, owner: owner) })
                #expect(isInvalid { _ = try vault.conflicts(limit: limit, owner: owner) })
            }
            let big = [UInt8](repeating: 5, count: VaultLimits.valueBytes.upperBound + 1)
            try big.withUnsafeBytes { big in
                #expect(isInvalid { try vault.put("big", big, owner: owner) })
                let most = UnsafeRawBufferPointer(rebasing: big[1...])
                try vault.put("most", most, owner: owner)
                #expect(try vault.get("most", owner: owner)?.withBytes { $0.elementsEqual(most) } == true)
            }
            #expect(try vault.count(owner: owner) == 2)
        }

        @Test("keys are bytes: differently composed letters, letter case and zero bytes make different keys")
        func keysAreBytes() throws {
            let place = try Place()
            _ = try place.openGuest()
            let vault = place.vault()
            let keys = ["\u{E9}", "e\u{301}", "E\u{301}", "a", "a\0", "a\0b"]
            for (index, key) in keys.enumerated() { try vault.put(key, "\(index)", owner: owner) }
            for (index, key) in keys.enumerated() { #expect(try vault.text(key, owner: owner) == "\(index)") }
            #expect(try vault.list(limit: 10, owner: owner).map { Array($0.key.utf8) } == [
                Array("E\u{301}".utf8), [97], [97, 0], [97, 0, 98], Array("e\u{301}".utf8), Array("\u{E9}".utf8),
            ])
        }

        @Test("a list is ordered by bytes, begins with the prefix, and goes on after the cursor")
        func lists() throws {
            let place = try Place()
            _ = try place.openGuest()
            let vault = place.vault(now: { 9 })
            for key in ["a", "b", "b/1", "b/2", "b/\u{10FFFF}", "b0", "c"] { try vault.put(key, key, owner: owner) }
            func keys(_ prefix: String, _ after: String?, _ limit: Int = 10) throws -> [String] {
                try vault.list(prefix: prefix, after: after, limit: limit, owner: owner).map(\.key)
            }
            #expect(try keys("", nil) == ["a", "b", "b/1", "b/2", "b/\u{10FFFF}", "b0", "c"])
            #expect(try keys("b/", nil) == ["b/1", "b/2", "b/\u{10FFFF}"])
            #expect(try keys("b/", "b/1", 1) == ["b/2"])
            #expect(try keys("b/", "a") == ["b/1", "b/2", "b/\u{10FFFF}"])
            #expect(try keys("b/", "c") == [])
            #expect(try keys("b", "b") == ["b/1", "b/2", "b/\u{10FFFF}", "b0"])
            #expect(try keys("\u{10FFFF}", nil) == [])
            #expect(try vault.count(prefix: "b/", owner: owner) == 3)
            #expect(try vault.count(prefix: "x", owner: owner) == 0)
            #expect(try vault.list(prefix: "c", limit: 1, owner: owner) == [VaultEntry(key: "c", modifiedAt: 9, size: 1)])
        }

        @Test("many records, or the operations of a transaction, are one commit: all or none")
        func atomic() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            let texts = (0..<500).map { Array("value \($0)".utf8) }
            let pointers = texts.map { bytes in bytes.withUnsafeBytes { source in
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
                copy.copyMemory(from: source)
                return UnsafeRawBufferPointer(copy)
            } }
            defer { pointers.forEach { $0.deallocate() } }
            try vault.putMany(pointers.enumerated().map { ("k\($0.offset % 400)", $0.element) }, owner: owner)
            #expect(try vault.count(owner: owner) == 400)
            #expect(try vault.text("k99", owner: owner) == "value 499")
            let before = try device.vaultSummary(for: guest().identity)
            let listed = try vault.list(limit: 1_000, owner: owner)
            #expect(before.bytes == listed.reduce(0) { $0 + $1.size })
            try vault.apply([.delete(key: "k0"), .put(key: "k0", value: value("again")), .delete(key: "k1")], owner: owner)
            #expect(try vault.text("k0", owner: owner) == "again")
            #expect(try vault.count(owner: owner) == 399)
            let whole = try device.vaultSummary(for: guest().identity)
            #expect(whole.recordCount == 399)
        }

        @Test("counters of any size in the file do not trap", arguments: ["9223372036854775807", "-9223372036854775808"])
        func damagedCounters(number: String) throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.put("k", "v", owner: owner)
            let other = try Connection(path: place.path("folio.sqlite"), busyTimeout: 1_000)
            try other.execute("UPDATE vault SET record_count = \(number), bytes = \(number), conflict_count = \(number)")
            try vault.put("k", "longer", owner: owner)
            try vault.put("l", "v", owner: owner)
            _ = try vault.delete("k", owner: owner)
            _ = try device.vaultSummary(for: guest().identity)
            #expect(try vault.text("l", owner: owner) == "v")
        }

        @Test("a batch that does not fit on the disk fails whole, and fits later")
        func full() async {
            await #expect(processExitsWith: .success) {
                let owner = guest().identity.userId ?? ""
                let place = try Place()
                let device = try place.openGuest()
                let vault = place.vault()
                try vault.put("k", "v", owner: owner)
                let before = try device.vaultSummary(for: guest().identity)
                #expect(try device.truncateWal())
                let found = withFileSizeLimit(30_000) { reason { try vault.putNumbered("n", 1_000, owner: owner) } }
                #expect(found == .full)
                #expect(try device.vaultSummary(for: guest().identity) == before)
                #expect(try vault.list(prefix: "n", limit: 1, owner: owner).isEmpty)
                try vault.putNumbered("n", 1_000, owner: owner)
                #expect(try vault.count(owner: owner) == 1_001)
            }
        }

        @Test("a caller whose identity is not the saved one gets notRunning and changes nothing")
        func notRunning() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.put("k", "v", owner: owner)
            try device.write(.setIntent(.signOut))
            try vault.put("k2", "v", owner: owner)
            try device.write(.completeSwitch(to: account(), clearNotice: true))
            try device.write(.endSession(intent: .createGuest(requestId: "r"), notice: nil, vaultIsDead: false))
            for caller in [owner, "account-1", "nobody", ""] {
                #expect(throws: VaultFailure.notRunning) { _ = try vault.get("k", owner: caller) }
                #expect(throws: VaultFailure.notRunning) { try vault.put("k", "other", owner: caller) }
                #expect(throws: VaultFailure.notRunning) { _ = try vault.delete("k", owner: caller) }
                #expect(throws: VaultFailure.notRunning) { try vault.apply([.delete(key: "k")], owner: caller) }
                #expect(throws: VaultFailure.notRunning) { _ = try vault.count(owner: caller) }
                #expect(throws: VaultFailure.notRunning) { _ = try vault.list(limit: 1, owner: caller) }
                #expect(throws: VaultFailure.notRunning) { _ = try vault.conflicts(owner: caller) }
                #expect(throws: VaultFailure.notRunning) { try vault.dropConflict(1, owner: caller) }
            }
        }

        @Test("an account's vault stays on the device over a sign-out")
        func signOut() throws {
            let place = try Place()
            let device = try place.openGuest()
            try device.write(.completeSwitch(to: account(), clearNotice: true))
            let vault = place.vault()
            try vault.put("k", "v", owner: "account-1")
            try device.write(.endSession(intent: .createGuest(requestId: "r"), notice: nil, vaultIsDead: false))
            try device.write(.adoptGuest(guest("guest-2")))
            #expect(try vault.get("k", owner: "guest-2") == nil)
            try device.write(.completeSwitch(to: account(), clearNotice: true))
            #expect(try vault.text("k", owner: "account-1") == "v")
        }

        @Test("a guest known by another user id keeps its vault, in the same commit")
        func changedOwner() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.put("k", "v", owner: owner)
            try device.write(.replaceGuest(guest("guest-9")))
            #expect(try vault.text("k", owner: "guest-9") == "v")
            #expect(throws: VaultFailure.notRunning) { _ = try vault.get("k", owner: owner) }
            vault.close()
            #expect(try vault.text("k", owner: "guest-9") == "v")
        }

        @Test("a flipped bit, another key, vault or time in the file is damage of that record alone")
        func damagedRecords() throws {
            for change in [
                "UPDATE record SET value = zeroblob(length(value)) WHERE key = x'61'",
                "UPDATE record SET value = x'' WHERE key = x'61'",
                "UPDATE record SET modified_at = modified_at + 1 WHERE key = x'61'",
                "UPDATE record SET value = (SELECT value FROM record WHERE key = x'62') WHERE key = x'61'",
            ] {
                let place = try Place()
                let device = try place.openGuest()
                // Equal times: only the key tells the two records apart.
                let vault = place.vault(now: { 5 })
                try vault.put("a", "one", owner: owner)
                try vault.put("b", "two", owner: owner)
                try sql(place, change)
                #expect(reason { _ = try vault.get("a", owner: owner) } == .recordDamaged, "\(change)")
                #expect(try vault.text("b", owner: owner) == "two")
                try vault.put("a", "new", owner: owner)
                #expect(try vault.text("a", owner: owner) == "new")
                #expect(try device.vaultSummary(for: guest().identity) == VaultSummary(recordCount: 2, bytes: 6))
            }
        }

        @Test("a record moved to another vault does not open, nor does a vault given to another identity")
        func movedVault() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.put("k", "guest's", owner: owner)
            try device.write(.completeSwitch(to: account(), clearNotice: true))
            try sql(place, "UPDATE record SET vault = (SELECT id FROM vault WHERE owner = 'account-1')")
            #expect(reason { _ = try vault.get("k", owner: "account-1") } == .recordDamaged)
            try sql(place, "DELETE FROM vault WHERE owner = 'account-1'; UPDATE vault SET owner = 'account-1'")
            #expect(reason { _ = try vault.get("k", owner: "account-1") } == .damaged)
            #expect(reason { try vault.put("k", "v", owner: "account-1") } == .damaged)
            #expect(reason { _ = try device.vaultSummary(for: account().identity) } == .damaged)
        }

        @Test("the missing vault of the saved identity is damage; of a new identity it is empty")
        func missingVault() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.put("k", "v", owner: owner)
            #expect(try device.vaultSummary(for: account().identity) == VaultSummary())
            try sql(place, "UPDATE vault SET owner = 'guest-2'")
            #expect(reason { _ = try vault.get("k", owner: owner) } == .damaged)
            #expect(reason { _ = try device.vaultSummary(for: guest().identity) } == .damaged)
            #expect(reason { _ = try device.vaultSummary(for: account().identity) } == .damaged)
            #expect(reason { try device.write(.completeSwitch(to: account(), clearNotice: true)) } == .damaged)
        }

        @Test("two vault files and eight threads write a thousand records each, and all are there")
        func manyWriters() async throws {
            let place = try Place()
            let device = try place.openGuest()
            let vaults = [place.vault(), place.vault()]
            let owner = owner
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    let vault = vaults[writer % 2]
                    group.addTask {
                        for index in 0..<250 { try vault.put("w\(writer)-\(index)", "\(writer) \(index)", owner: owner) }
                        for batch in 0..<5 { try vault.putNumbered("b\(writer)-\(batch)-", 50, owner: owner) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try vaults[0].count(owner: owner) == 2_000)
            #expect(try vaults[1].count(prefix: "w", owner: owner) == 1_000)
            for writer in 0..<4 { #expect(try vaults[0].text("w\(writer)-249", owner: owner) == "\(writer) 249") }
            #expect(try device.vaultSummary(for: guest().identity).recordCount == 2_000)
        }

        @Test("no value stands in a file in the clear, and a deleted one is gone once the WAL is truncated")
        func sealedValues() throws {
            let place = try Place()
            let device = try place.openGuest()
            let vault = place.vault()
            try vault.put("k", String(repeating: "plain text ", count: 1_000), owner: owner)
            let sealed = Array(try query(place, "SELECT value FROM record")[40..<80])
            func found(_ secret: [UInt8]) -> Bool {
                place.files().values.contains { contains($0, secret) }
            }
            #expect(found(sealed) && !found(Array("plain text".utf8)))
            _ = try vault.delete("k", owner: owner)
            #expect(try device.truncateWal())
            #expect(!found(sealed))
        }
    }
}
