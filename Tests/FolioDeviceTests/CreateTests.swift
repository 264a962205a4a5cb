import FolioModel
import Glibc
import Testing

@testable import FolioDevice

extension DeviceTests {
    @Suite(.serialized) struct Creating {
        @Test("a new device file holds the device id and the first intent")
        func newFile() throws {
            let place = try Place()
            #expect(try !DeviceFile.exists(in: place.directory))
            try place.create()
            #expect(try DeviceFile.exists(in: place.directory))
            let snapshot = try place.open().snapshot()
            #expect(snapshot.deviceId == "device-1")
            #expect(snapshot.intent == .createGuest(requestId: "r1"))
            #expect(snapshot.session == nil)
            #expect(snapshot.generation == 1)
            #expect(snapshot.revocations.isEmpty && !snapshot.hasDeadVaults && snapshot.notice == nil)
        }

        @Test("the directory is 0700 and files are 0600 whatever the umask is", arguments: [mode_t(0), 0o777])
        func modes(mask: mode_t) throws {
            let before = umask(mask)
            defer { umask(before) }
            let place = try Place()
            place.hostKey = nil
            let device = try place.openGuest()
            let lock = ProcessLock(directory: place.directory)
            #expect(try lock.tryLock())
            #expect(mode(place.directory.path) == 0o700)
            let names = names(place.directory.path)
            #expect(names == ["folio.key", "folio.lock", "folio.sqlite", "folio.sqlite-shm", "folio.sqlite-wal"])
            for name in names { #expect(mode(place.path(name)) == 0o600, "\(name)") }
            device.close()
        }

        @Test("leftovers of an interrupted create are removed, and its key file is used")
        func leftovers() throws {
            let place = try Place()
            place.hostKey = nil
            _ = try StorageKey.create(place.directory, hostKey: nil)
            let key = bytes(place.path("folio.key"))
            for name in ["folio.sqlite.new", "folio.sqlite.new-wal", "folio.sqlite.new-shm", "folio.key.new", "folio.sqlite-shm"] {
                overwrite(place.path(name), [1, 2, 3])
            }
            try place.create()
            #expect(names(place.directory.path) == ["folio.key", "folio.sqlite"])
            #expect(bytes(place.path("folio.key")) == key)
            _ = try place.open().snapshot()
        }

        @Test("a create that fails leaves no database")
        func full() async {
            await #expect(processExitsWith: .success) {
                for limit in [UInt(0), 16, 4_096, 20_000] {
                    let place = try Place()
                    place.hostKey = nil
                    let found = withFileSizeLimit(limit) { reason { try place.create() } }
                    #expect(found == .full)
                    #expect(names(place.directory.path).allSatisfy { $0 == "folio.key" })
                    try place.create()
                    _ = try place.open().snapshot()
                }
            }
        }

        @Test("a second create does not replace the database")
        func second() throws {
            let place = try Place()
            try place.create()
            let before = place.files()
            #expect(reason { try place.create() } == .superseded)
            #expect(place.files() == before)
        }

        @Test("a WAL with content beside no database is damage and nothing is made")
        func walAlone() throws {
            let place = try Place()
            overwrite(place.path("folio.sqlite-wal"), [1, 2, 3])
            #expect(try DeviceFile.exists(in: place.directory))
            #expect(reason { _ = try place.open() } == .damaged)
            #expect(reason { try place.create() } == .superseded)
            #expect(names(place.directory.path) == ["folio.sqlite-wal"])
        }

        @Test("missing parents of the directory are made; the same directory has the same identity")
        func directories() throws {
            let place = try Place()
            let deep = try DeviceDirectory.prepare(place.root + "/a/b//c/")
            #expect(mode(place.root + "/a") == 0o700 && mode(place.root + "/a/b/c") == 0o700)
            symlink(place.root + "/a/b", place.root + "/link")
            let same = try DeviceDirectory.prepare(place.root + "/link/c")
            #expect(deep == same && deep.path == same.path)
            #expect(deep != place.directory)
        }

        @Test("a path that is no directory, lies below a file, cannot be made or has no text is refused")
        func badDirectories() throws {
            let place = try Place()
            overwrite(place.root + "/file", [1])
            for path in [place.root + "/file", place.root + "/file/below", "/proc/folio", "", "a\0b"] {
                #expect(reason { _ = try DeviceDirectory.prepare(path) } == .unavailable, "\(path)")
            }
        }

        @Test("a storage key that has not 32 bytes is refused", arguments: [0, 31, 33])
        func keyLength(count: Int) throws {
            let place = try Place()
            place.hostKey = [UInt8](repeating: 1, count: count)
            #expect(reason { try place.create() } == .wrongKey)
            #expect(names(place.directory.path).isEmpty)
        }
    }

    @Suite(.serialized) struct Locking {
        @Test("one holder at a time; unlocking or dropping lets the next one in")
        func oneHolder() throws {
            let place = try Place()
            var opened: [Int32] = []
            let first = ProcessLock(directory: place.directory, registerDescriptor: { opened.append($0) })
            #expect(first.descriptor == nil)
            #expect(try first.tryLock())
            #expect(try first.tryLock())
            #expect(opened == [first.descriptor])
            do {
                let second = ProcessLock(directory: place.directory)
                #expect(try !second.tryLock())
                first.unlock()
                #expect(try second.tryLock())
                #expect(try !first.tryLock())
            }
            #expect(try first.tryLock())
        }

        @Test("the lock's descriptor is closed by whoever registered it")
        func closing() throws {
            let place = try Place()
            var closed: [Int32] = []
            var expected: Int32?
            do {
                let lock = ProcessLock(directory: place.directory, closeDescriptor: { closed.append($0); close($0) })
                #expect(try lock.tryLock())
                expected = lock.descriptor
            }
            #expect(closed == [expected])
        }
    }
}
