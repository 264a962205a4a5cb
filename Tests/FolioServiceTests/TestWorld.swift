import FolioModel
@testable import FolioService
import FolioWire
import Glibc
import Synchronization
import Testing

/// A service on its own directory with a clock that tests move and a process that tests choose.
final class TestWorld: Sendable {
    static let start: Int64 = 1_800_000_000_000

    let directory: String
    let service: Service
    private let clock = Mutex(TestWorld.start)

    init(directory: String? = nil, process: ProcessIdentity = ProcessIdentity(pid: 1, start: 1), alive: Bool = true) {
        var template = Array("/tmp/folio-service-XXXXXX".utf8CString)
        self.directory = directory ?? (mkdtemp(&template).map { String(cString: $0) } ?? "/tmp")
        var environment = ServiceEnvironment.system
        environment.process = { process }
        environment.isAlive = { _ in alive }
        service = Service(directory: self.directory, environment: environment)
    }

    func removeFiles() {
        for name in ["service.sqlite", "service.sqlite-wal", "service.sqlite-shm"] { unlink(directory + "/" + name) }
        rmdir(directory)
    }

    var now: ServiceClock { ServiceClock(milliseconds: clock.withLock { $0 }) }

    func advance(seconds: Int64) { clock.withLock { $0 += seconds * 1_000 } }

    func wire(_ request: WireRequest, life: Int64 = 3_600) -> WireResponse {
        while true {
            if let response = try? service.answer(request, tokenLife: life, now: now) { return response }
            sched_yield()
        }
    }

    func ask(_ request: ServiceRequest, life: Int64 = 3_600) -> Result<ServiceAnswer, ServiceFailure> {
        ClientCodec.decode(wire(ClientCodec.encode(request, accessToken: nil), life: life), for: request)
    }

    func grant(_ request: ServiceRequest, life: Int64 = 3_600) throws -> Grant {
        guard case .granted(let grant) = try ask(request, life: life).get() else { throw Unexpected() }
        return grant
    }

    func failure(_ request: ServiceRequest) throws -> ServiceFailure {
        guard case .failure(let failure) = ask(request) else { throw Unexpected() }
        return failure
    }

    func code(_ request: ServiceRequest) throws -> String {
        guard case .refused(_, let code) = try failure(request).reason else { throw Unexpected() }
        return code
    }

    func start(_ email: String) throws -> CeremonyStarted {
        guard case .ceremony(let started) = try ask(.startCeremony(email: email)).get() else { throw Unexpected() }
        return started
    }

    func takeCode() throws -> String {
        guard let message = try service.nextMessage(now: now) else { throw Unexpected() }
        return message.code
    }

    func begin(_ email: String) throws -> (ceremonyId: String, code: String) {
        (try start(email).ceremonyId, try takeCode())
    }

    func signIn(_ email: String) throws -> Grant {
        let (ceremonyId, code) = try begin(email)
        return try grant(.verifyCode(ceremonyId: ceremonyId, code: code, deviceId: "device"))
    }

    func guest(_ requestId: String = "request", endedToken: String? = nil) throws -> Grant {
        try grant(.createGuest(deviceId: "device", requestId: requestId, endedToken: endedToken))
    }

    func renew(_ token: String, _ id: String) throws -> Grant { try grant(.renew(refreshToken: token, renewalId: id)) }

    func userInfo(_ accessToken: String) -> UInt16 {
        wire(WireRequest(method: "GET", path: "/oauth/userinfo", headers: [("Authorization", "Bearer \(accessToken)")])).status
    }

    struct Unexpected: Error {}
}

func wrong(_ code: String) -> String { code == "111111" ? "222222" : "111111" }
