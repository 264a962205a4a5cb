public import FolioModel

/// The stable results of the interface; raw values are those of `FOLIO_…`.
public enum FolioStatus: Int32, Sendable, CaseIterable {
    case ok = 0
    case nothingWaiting = 1
    case invalidHandle = -1
    case invalidArgument = -2
    case busy = -3
    case closed = -4
    case shutDown = -5
    case notReady = -6
    case forked = -7
    case directoryInUse = -8
    case notEmbedded = -9
    case network = -10
    case service = -11
    case storage = -12
    case notFound = -13
    case vaultNotRunning = -14
    case recordDamaged = -15
    case cancelled = -16
    case `internal` = -17

    /// The name of the constant in the C header.
    public var name: String {
        switch self {
        case .ok: "FOLIO_OK"
        case .nothingWaiting: "FOLIO_NOTHING_WAITING"
        case .invalidHandle: "FOLIO_ERROR_INVALID_HANDLE"
        case .invalidArgument: "FOLIO_ERROR_INVALID_ARGUMENT"
        case .busy: "FOLIO_ERROR_BUSY"
        case .closed: "FOLIO_ERROR_CLOSED"
        case .shutDown: "FOLIO_ERROR_SHUT_DOWN"
        case .notReady: "FOLIO_ERROR_NOT_READY"
        case .forked: "FOLIO_ERROR_FORKED"
        case .directoryInUse: "FOLIO_ERROR_DIRECTORY_IN_USE"
        case .notEmbedded: "FOLIO_ERROR_NOT_EMBEDDED"
        case .network: "FOLIO_ERROR_NETWORK"
        case .service: "FOLIO_ERROR_SERVICE"
        case .storage: "FOLIO_ERROR_STORAGE"
        case .notFound: "FOLIO_ERROR_NOT_FOUND"
        case .vaultNotRunning: "FOLIO_ERROR_VAULT_NOT_RUNNING"
        case .recordDamaged: "FOLIO_ERROR_RECORD_DAMAGED"
        case .cancelled: "FOLIO_ERROR_CANCELLED"
        case .internal: "FOLIO_ERROR_INTERNAL"
        }
    }
}

/// What every call of the runtime throws, and what states carry to the C interface.
public struct FolioError: Error, Hashable, Sendable {
    /// The type of a SessionStartError or AuthError; `none` for the others. Raw values are `FOLIO_ERROR_KIND_…`.
    public enum Kind: Int32, Sendable, CaseIterable {
        case none = 0
        case network = 1
        case service = 2
        case storage = 3
        case invalidEmail = 4
        case invalidCode = 5
        case wrongCode = 6
        case codeExpired = 7
        case codeUsed = 8
        case tooManyTries = 9
        case rateLimited = 10
        case busy = 11
    }

    public let status: FolioStatus
    public let kind: Kind
    /// The HTTP status of the service's answer, 0 when there was none.
    public let httpStatus: UInt16
    /// The service's own code, empty when there was none.
    public let serviceCode: String
    /// One line: what happened and what to do. Never holds a secret.
    public let message: String
    /// Milliseconds to wait before the next try; 0 when nothing was told.
    public let retryAfter: Int64

    public init(
        _ status: FolioStatus, _ message: String, kind: Kind = .none, httpStatus: UInt16 = 0, serviceCode: String = "",
        retryAfter: Int64 = 0
    ) {
        self.status = status
        self.kind = kind
        self.httpStatus = httpStatus
        self.serviceCode = serviceCode
        self.message = message
        self.retryAfter = retryAfter
    }

    public init(_ error: SessionStartError) {
        let status: FolioStatus =
            switch error.kind {
            case .network: .network
            case .service: .service
            case .storage: .storage
            }
        self.init(
            status, error.message, kind: Kind(rawValue: error.kind.rawValue) ?? .none, httpStatus: error.status,
            serviceCode: error.code)
    }

    public init(_ error: AuthError) {
        let status: FolioStatus =
            switch error.kind {
            case .network: .network
            case .storage: .storage
            case .busy: .busy
            case .invalidEmail, .invalidCode: .invalidArgument
            case .service, .wrongCode, .codeExpired, .codeUsed, .tooManyTries, .rateLimited: .service
            }
        self.init(
            status, error.message, kind: Kind(rawValue: error.kind.rawValue) ?? .none, httpStatus: error.status,
            serviceCode: error.code, retryAfter: error.retryAfter)
    }

    public init(_ failure: StorageFailure) {
        self.init(
            failure.reason == .recordDamaged ? .recordDamaged : .storage, failure.message, kind: .storage,
            serviceCode: failure.reason.rawValue)
    }

    static let forked = FolioError(
        .forked, "This runtime belongs to the parent process; start children by spawn, or create it after the fork.")
    static let shutDown = FolioError(.shutDown, "The runtime was shut down; create a new one.")
    static let notReady = FolioError(.notReady, "The runtime has not started; wait for the completion of its start.")
    static let closed = FolioError(.closed, "The store is closed; mount a new one.")
    static let insideCallback = FolioError(
        .busy, "This call is not allowed inside a callback; make it after the callback has returned.")
    static let concurrentDispatch = FolioError(
        .busy, "Another thread dispatches this runtime; dispatch from one thread at a time.")
}
