import FolioModel
@testable import FolioService
import FolioWire
import Glibc
import Synchronization
import Testing

final class ServiceFileTests {
    let world = TestWorld()
    deinit { world.removeFiles() }

    private var path: String { world.directory + "/service.sqlite" }

    private func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<count { group.addTask { body(index) } }
        }
    }

    @Test("the file appears with the first request and belongs to its owner alone")
    func lazy() throws {
        #expect(access(path, F_OK) != 0)
        _ = try world.guest()
        for suffix in ["", "-wal", "-shm"] {
            var status = stat()
            #expect(stat(path + suffix, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    @Test("a request while another writes is busy and changes nothing; it succeeds afterwards")
    func busy() throws {
        let guest = try world.guest()
        let other = try SqliteDatabase(directory: world.directory, busyTimeoutMs: 0, newSecret: "")
        let request = ClientCodec.encode(.renew(refreshToken: guest.refreshToken, renewalId: "1"), accessToken: nil)
        _ = try other.transaction { () throws(DatabaseError) in
            #expect(throws: ServiceBusy()) {
                try self.world.service.answer(request, tokenLife: 60, now: self.world.now)
            }
        }
        _ = try world.renew(guest.refreshToken, "2")
    }

    @Test("a transaction that fails undoes all")
    func undoes() throws {
        _ = try world.guest()
        let database = try SqliteDatabase(directory: world.directory, busyTimeoutMs: 0, newSecret: "")
        #expect(throws: DatabaseError.self) {
            try database.transaction { () throws(DatabaseError) in
                try database.run("INSERT INTO guest_accounts (email) VALUES ($1)", [.text("x")])
                throw .busy
            }
        }
        #expect(try database.rows("SELECT * FROM guest_accounts", []).isEmpty)
    }

    @Test("services that make the file at the same time share it")
    func madeTogether() async throws {
        let directory = world.directory
        let grants = Mutex<[Grant]>([])
        await concurrently(4) { _ in
            if let grant = try? TestWorld(directory: directory).guest() { grants.withLock { $0.append(grant) } }
        }
        let all = grants.withLock { $0 }
        #expect(all.count == 4 && Set(all).count == 1)
    }

    @Test("a right code submitted at once through two services succeeds once and is used for the other")
    func doubleSubmit() async throws {
        let other = TestWorld(directory: world.directory)
        for round in 0..<5 {
            let (ceremonyId, code) = try world.begin("ana\(round)@example.com")
            let results = Mutex<[Result<ServiceAnswer, ServiceFailure>]>([])
            let worlds = [world, other]
            await concurrently(2) { index in
                let result = worlds[index].ask(.verifyCode(ceremonyId: ceremonyId, code: code, deviceId: "d"))
                results.withLock { $0.append(result) }
            }
            let codes = results.withLock { $0 }.map { result in
                guard case .failure(let failure) = result, case .refused(_, let code) = failure.reason else { return "granted" }
                return code
            }
            #expect(codes.sorted() == ["code_used", "granted"])
        }
    }

    @Test("one renewal asked through two services at once gives both the same tokens")
    func renewalTogether() async throws {
        let other = TestWorld(directory: world.directory)
        var token = try world.guest().refreshToken
        for round in 0..<10 {
            let grants = Mutex<[Grant]>([])
            let worlds = [world, other]
            let asked = token
            await concurrently(2) { index in
                if let grant = try? worlds[index].renew(asked, "\(round)") { grants.withLock { $0.append(grant) } }
            }
            let all = grants.withLock { $0 }
            #expect(all.count == 2 && Set(all).count == 1)
            token = all.first?.refreshToken ?? ""
        }
    }

    @Test("a message is handed to one taker only")
    func oneTaker() async throws {
        for index in 0..<6 { _ = try world.start("a\(index)@example.com") }
        let other = TestWorld(directory: world.directory)
        let worlds = [world, other]
        let emails = Mutex<[String]>([])
        await concurrently(2) { index in
            while let message = try? worlds[index].service.nextMessage(now: worlds[index].now) {
                emails.withLock { $0.append(message.email) }
            }
        }
        #expect(emails.withLock { $0.sorted() } == (0..<6).map { "a\($0)@example.com" })
    }

    @Test("a damaged file is told as such, left as it is, and a request is answered with 503")
    func damaged() throws {
        let file = fopen(path, "w")
        fputs(String(repeating: "not a database ", count: 100), file)
        fclose(file)
        #expect(world.wire(ClientCodec.encode(.startCeremony(email: "a@b"), accessToken: nil)).status == 503)
        do {
            _ = try world.service.nextMessage(now: world.now)
            Issue.record("a damaged file was used")
        } catch .storage(let failure) {
            #expect(failure.reason == .damaged)
        }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size == 1_500)
    }

    @Test("a directory that cannot be made is a storage failure")
    func noDirectory() {
        let service = Service(directory: "/proc/none/folio")
        #expect(throws: ServiceHostError.self) { try service.nextMessage() }
    }

    @Test("any request is answered",
        arguments: [
            ("", ""), ("GET", ""), ("POST", "/oauth/token"), ("post", "/oauth/token"), ("POST", "//oauth/token"),
            ("DELETE", "/oauth/revoke"), ("POST", "/oauth/revoke"), ("POST", "/ceremonies"), ("POST", "/\u{0}"),
            ("GET", "/oauth/userinfo"), ("GET", String(repeating: "/", count: 100_000)),
        ])
    func anyRequest(method: String, path: String) {
        for body in [[], [0xFF, 0xFE], Array("null".utf8), [UInt8](repeating: UInt8(ascii: "["), count: 100_000)] as [[UInt8]] {
            let headers = [("Authorization", ""), ("authorization", "Bearer"), ("\u{0}", "\r\n")]
            let status = world.wire(WireRequest(method: method, path: path, headers: headers, body: body)).status
            #expect([400, 401, 404, 405].contains(status))
        }
    }

    @Test("a request without a valid bearer token is told by the field's header")
    func bearerError() {
        let response = world.wire(WireRequest(method: "GET", path: "/oauth/userinfo"))
        #expect(response.status == 401)
        #expect(response.header("WWW-Authenticate") == #"Bearer error="invalid_token""#)
    }
}
