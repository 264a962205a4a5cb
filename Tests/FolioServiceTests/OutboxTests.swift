import FolioModel
@testable import FolioService
import Glibc
import Testing

final class OutboxTests {
    let world = TestWorld(process: ProcessIdentity(pid: 1, start: 1))
    deinit { world.removeFiles() }

    @Test("messages come oldest first, each once, with the normalised address")
    func order() throws {
        let first = try world.start("ANA@example.com")
        _ = try world.start("bob@example.com")
        let message = try world.service.nextMessage(now: world.now)
        #expect(message?.email == "ana@example.com")
        _ = try world.grant(.verifyCode(ceremonyId: first.ceremonyId, code: message?.code ?? "", deviceId: "d"))
        #expect(try world.service.nextMessage(now: world.now)?.email == "bob@example.com")
        #expect(try world.service.nextMessage(now: world.now) == nil)
    }

    @Test("another process gets a message only after ten seconds")
    func afterTenSeconds() throws {
        let other = TestWorld(directory: world.directory, process: ProcessIdentity(pid: 2, start: 1))
        _ = try world.start("ana@example.com")
        #expect(try other.service.nextMessage(now: other.now) == nil)
        other.advance(seconds: 10)
        #expect(try other.service.nextMessage(now: other.now) == nil)
        other.advance(seconds: 1)
        #expect(try other.service.nextMessage(now: other.now)?.email == "ana@example.com")
        #expect(try world.service.nextMessage(now: world.now) == nil)
    }

    @Test("a message of a process that is gone is anybody's, also when its number was given again")
    func ownerGone() throws {
        _ = try world.start("ana@example.com")
        let sameNumber = TestWorld(directory: world.directory, process: ProcessIdentity(pid: 1, start: 2))
        #expect(try sameNumber.service.nextMessage(now: sameNumber.now) == nil)
        let other = TestWorld(directory: world.directory, process: ProcessIdentity(pid: 2, start: 1), alive: false)
        #expect(try other.service.nextMessage(now: other.now)?.email == "ana@example.com")
    }

    @Test("a foreign message does not hide a later own one")
    func ownBehindForeign() throws {
        let other = TestWorld(directory: world.directory, process: ProcessIdentity(pid: 2, start: 1))
        _ = try world.start("ana@example.com")
        _ = try other.start("bob@example.com")
        #expect(try other.service.nextMessage(now: other.now)?.email == "bob@example.com")
    }

    @Test("a refused start queues nothing")
    func refused() throws {
        _ = world.ask(.startCeremony(email: "nobody"))
        #expect(try world.service.nextMessage(now: world.now) == nil)
    }

    @Test("this process is alive with its start; no process has another start")
    func identity() {
        let me = ProcessIdentity.current()
        #expect(me.pid == Int64(getpid()) && me.start > 0)
        #expect(ProcessIdentity.isAlive(me))
        #expect(!ProcessIdentity.isAlive(ProcessIdentity(pid: me.pid, start: me.start + 1)))
        #expect(!ProcessIdentity.isAlive(ProcessIdentity(pid: Int64(Int32.max), start: 1)))
    }
}
