import FolioModel
import Glibc
import Testing

@testable import FolioDevice

extension DeviceTests {
    @Suite(.serialized) struct Damage {
        /// A closed database with a saved account, and what a snapshot of it says.
        private func saved() throws -> (Place, DeviceSnapshot, [UInt8]) {
            let place = try Place()
            let device = try place.openGuest()
            try device.write(.completeSwitch(to: account(), clearNotice: true))
            let snapshot = try device.snapshot()
            device.close()
            return (place, snapshot, bytes(place.path("folio.sqlite")))
        }

        @Test("a file cut off anywhere is refused as damaged, or the same session is found, and it is left as it is")
        func cut() throws {
            let (place, expected, whole) = try saved()
            for length in Array(stride(from: 0, to: whole.count, by: 509)) + [1, 16, 99, 100, 4_095, 4_096, whole.count - 1] {
                let cut = Array(whole[..<length])
                overwrite(place.path("folio.sqlite"), cut)
                // Part of the last page may go without a loss of what a snapshot reads.
                let isOnlyPadding = length > whole.count - 4_096
                let found = reason {
                    let snapshot = try place.open().snapshot()
                    #expect(snapshot == expected, "cut at \(length)")
                }
                #expect(found == .damaged || (found == nil && isOnlyPadding), "cut at \(length)")
                #expect(bytes(place.path("folio.sqlite")) == cut, "cut at \(length)")
            }
        }

        @Test("a file of zero bytes, of NUL bytes or of text is refused as damaged and left as it is")
        func noDatabase() throws {
            let (place, _, whole) = try saved()
            for content in [[], [UInt8](repeating: 0, count: whole.count), [UInt8](repeating: 65, count: 5_000)] {
                overwrite(place.path("folio.sqlite"), content)
                #expect(reason { _ = try place.open() } == .damaged)
                #expect(bytes(place.path("folio.sqlite")) == content)
            }
        }

        @Test("a flipped byte anywhere gives a typed error or the same session, and the file is left as it is")
        func flipped() throws {
            let (place, expected, whole) = try saved()
            // Free and vault pages are many alike; the header page is taken whole, the others at a prime distance.
            for offset in Array(0..<200) + Array(stride(from: 200, to: whole.count, by: 23)) {
                var flipped = whole
                flipped[offset] ^= 0xFF
                overwrite(place.path("folio.sqlite"), flipped)
                do {
                    let device = try place.open()
                    let snapshot = try device.snapshot()
                    #expect(snapshot.session == expected.session && snapshot.deviceId == expected.deviceId, "byte \(offset)")
                    #expect(snapshot.intent == expected.intent && snapshot.generation == expected.generation, "byte \(offset)")
                    device.close()
                } catch let error as DeviceError {
                    guard case .failed(let failure) = error else {
                        Issue.record("byte \(offset): \(error)")
                        continue
                    }
                    #expect([.damaged, .wrongKey, .unavailable].contains(failure.reason), "byte \(offset): \(failure)")
                }
                #expect(bytes(place.path("folio.sqlite")) == flipped, "byte \(offset)")
                for suffix in ["-wal", "-shm", "-journal"] { unlink(place.path("folio.sqlite" + suffix)) }
            }
        }

        @Test("another key is refused, changes nothing, and the right one opens the same session")
        func wrongKey() throws {
            let (place, expected, whole) = try saved()
            place.hostKey = [UInt8](repeating: 8, count: 32)
            #expect(reason { _ = try place.open() } == .wrongKey)
            #expect(bytes(place.path("folio.sqlite")) == whole)
            place.hostKey = Place.key
            #expect(try place.open().snapshot() == expected)
        }

        @Test("a database whose last process died is not folded together with its WAL by a refused open")
        func refusedWithWal() throws {
            let place = try Place()
            let device = try place.openGuest()
            let expected = try device.snapshot()
            // What a killed process leaves behind: the files as they are while it runs.
            let left = place.files().filter { $0.key != "folio.sqlite-shm" }
            device.close()
            for (name, content) in left { overwrite(place.path(name), content) }
            #expect(left["folio.sqlite-wal"]?.isEmpty == false)
            place.hostKey = [UInt8](repeating: 8, count: 32)
            #expect(reason { _ = try place.open() } == .wrongKey)
            #expect(place.files().filter { $0.key != "folio.sqlite-shm" } == left)
            place.hostKey = Place.key
            #expect(try place.open().snapshot() == expected)
        }

        @Test("a replaced, missing, cut or long key file is refused and never made anew")
        func keyFile() throws {
            let place = try Place()
            place.hostKey = nil
            let device = try place.openGuest()
            let expected = try device.snapshot()
            device.close()
            let key = bytes(place.path("folio.key"))
            let contents: [([UInt8]?, StorageFailure.Reason)] = [
                ([UInt8](repeating: 1, count: 32), .wrongKey), (nil, .wrongKey), ([], .damaged),
                (Array(key.dropLast()), .damaged), (key + [0], .damaged),
            ]
            for (content, expected) in contents {
                unlink(place.path("folio.key"))
                if let content { overwrite(place.path("folio.key"), content) }
                let before = place.files()["folio.sqlite"]
                #expect(reason { _ = try place.open() } == expected)
                #expect(place.files()["folio.sqlite"] == before)
                #expect((content ?? []) == bytes(place.path("folio.key")))
            }
            overwrite(place.path("folio.key"), key)
            #expect(try place.open().snapshot() == expected)
        }

        @Test("a directory or a missing file in the database's place is an error")
        func misplaced() throws {
            let place = try Place()
            #expect(reason { _ = try place.open() } == .damaged)
            mkdir(place.path("folio.sqlite"), 0o700)
            #expect(reason { _ = try DeviceFile.exists(in: place.directory) } == .unavailable)
            #expect(reason { _ = try place.open() } == .unavailable)
        }

        @Test("a missing device row, another format or a session of another user id is damage")
        func changedByHand() throws {
            for change in [
                "DELETE FROM device", "PRAGMA user_version=2", "UPDATE device SET user_id = 'other'",
                "UPDATE device SET user_id = NULL", "UPDATE device SET generation = 99", "UPDATE device SET state = x''",
                "DROP TABLE vault",
            ] {
                let (place, _, _) = try saved()
                try sql(place, change)
                #expect(reason { _ = try place.open() } == .damaged, "\(change)")
            }
        }

        @Test("an older state put back beside a newer generation is damage")
        func olderState() throws {
            let place = try Place()
            let device = try place.openGuest()
            let old = try query(place, "SELECT hex(state) FROM device")
            try device.write(.renewTokens(tokens("new")))
            device.close()
            try sql(place, "UPDATE device SET state = x'\(String(decoding: old, as: UTF8.self))'")
            #expect(reason { _ = try place.open() } == .damaged)
        }

        @Test("a revocation that cannot be read keeps nobody out")
        func damagedRevocation() throws {
            let (place, expected, _) = try saved()
            #expect(expected.revocations.count == 1)
            try sql(place, "UPDATE revocation SET token = x'00'")
            let snapshot = try place.open().snapshot()
            #expect(snapshot.revocations.isEmpty && snapshot.session == expected.session)
        }
    }
}
