/// Why a session could not start; the error of create and of `SessionState.error`.
public struct SessionStartError: Error, Hashable, Sendable {
    public enum Kind: Int32, Sendable {
        case network = 1
        case service = 2
        case storage = 3
    }

    public let kind: Kind
    /// The HTTP status of the service's answer, 0 when there was none.
    public let status: UInt16
    /// The service's own code, or a code of Folio's such as `timed_out`; empty when there is none.
    public let code: String
    /// One line: what happened and what to do. Never holds a secret.
    public let message: String

    public init(kind: Kind, status: UInt16 = 0, code: String = "", message: String) {
        self.kind = kind
        self.status = status
        self.code = code
        self.message = message
    }

    public init(_ failure: ServiceFailure) {
        switch failure.reason {
        case .network: self.init(kind: .network, message: failure.message)
        case .refused(let status, let code): self.init(kind: .service, status: status, code: code, message: failure.message)
        }
    }

    public init(_ failure: StorageFailure) {
        self.init(kind: .storage, code: failure.reason.rawValue, message: failure.message)
    }
}
