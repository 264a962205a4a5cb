import FolioDevice
import FolioService
import FolioWire
import Synchronization

/// The embedded service of one data directory, shared in this process by its runtime and every handle.
final class EmbeddedServiceHost: Sendable {
    enum Outcome {
        case response(WireResponse)
        case unreachable
        case busy
    }

    private struct Entry {
        weak var host: EmbeddedServiceHost?
    }

    private static let hosts = Monitor([DirectoryIdentity: Entry]())

    let service: Service
    private let isReachable = Atomic<Bool>(true)
    private let directory: DirectoryIdentity

    private init(_ directory: DirectoryIdentity) {
        self.directory = directory
        service = Service(directory: directory.path)
    }

    deinit {
        Self.hosts.withLock { hosts in
            if hosts[directory]?.host == nil { hosts[directory] = nil }
        }
    }

    static func of(_ directory: DirectoryIdentity) -> EmbeddedServiceHost {
        hosts.withLock { hosts in
            if let host = hosts[directory]?.host { return host }
            let host = EmbeddedServiceHost(directory)
            hosts[directory] = Entry(host: host)
            return host
        }
    }

    func setReachable(_ reachable: Bool) { isReachable.store(reachable, ordering: .releasing) }

    /// Answers on the calling thread without waiting.
    func answer(_ request: WireRequest, tokenLife: Int64) -> Outcome {
        guard isReachable.load(ordering: .acquiring) else { return .unreachable }
        do {
            return .response(try service.answer(request, tokenLife: tokenLife, now: .wall()))
        } catch {
            return .busy
        }
    }
}

/// A message of the service for a person, for the host to deliver or show.
public struct ServiceMessage: Hashable, Sendable {
    public let email: String
    public let code: String
}

/// A handle to the embedded service: reads its outbox and provokes what a service can do. Closing it does not stop the
/// runtime's service; it stays usable after the runtime is gone. Calls block for SQLite, a write for its fsync and up to
/// 5 s for another writer.
public final class EmbeddedService: Sendable {
    private let host: EmbeddedServiceHost
    private let isClosed = Atomic<Bool>(false)

    init(_ host: EmbeddedServiceHost) { self.host = host }

    /// Takes the next message of the outbox, first those this process caused.
    /// - Returns: `nil` when none waits.
    public func nextMessage() throws(FolioError) -> ServiceMessage? {
        try call { (service) throws(ServiceHostError) in
            try service.nextMessage().map { ServiceMessage(email: $0.email, code: $0.code) }
        }
    }

    /// Ends every session of a user; the next renewal is refused. Throws `notFound` for an unknown user.
    public func endSessions(userId: String) throws(FolioError) {
        try call { (service) throws(ServiceHostError) in try service.endSessions(userId: userId) }
    }

    /// Deletes a user, guest or account, and ends its sessions. Throws `notFound` for an unknown user.
    public func deleteAccount(userId: String) throws(FolioError) {
        try call { (service) throws(ServiceHostError) in try service.deleteAccount(userId: userId) }
    }

    /// With `false`, every request of this process fails like an unreachable network until set back, or until the last
    /// handle and runtime of this service in the process are gone.
    public func setReachable(_ reachable: Bool) throws(FolioError) {
        try requireOpen()
        host.setReachable(reachable)
    }

    /// Makes the next sign-in with that address end on a guest identity.
    public func setGuestAccount(email: String) throws(FolioError) {
        try call { (service) throws(ServiceHostError) in try service.setGuestAccount(email: email) }
    }

    /// Later calls fail with `closed`; closing twice is harmless.
    public func close() { isClosed.store(true, ordering: .releasing) }

    private func requireOpen() throws(FolioError) {
        if Fork.isChild { throw .forked }
        if isClosed.load(ordering: .acquiring) {
            throw FolioError(.closed, "This handle to the service is closed; get a new one from the runtime.")
        }
    }

    private func call<Value>(_ body: (Service) throws(ServiceHostError) -> Value) throws(FolioError) -> Value {
        try requireOpen()
        do throws(ServiceHostError) {
            return try body(host.service)
        } catch {
            throw FolioError(error)
        }
    }
}

extension FolioError {
    fileprivate init(_ error: ServiceHostError) {
        switch error {
        case .notFound: self.init(.notFound, "The service has no such user; check the user id.")
        case .invalidEmail: self.init(.invalidArgument, "This is not an e-mail address; correct it and call again.")
        case .storage(let failure): self.init(failure)
        }
    }
}
