/// Why a sign-in did not go on.
public struct AuthError: Error, Hashable, Sendable {
    /// Raw values are the `FOLIO_ERROR_KIND_…` constants.
    public enum Kind: Int32, Sendable, CaseIterable {
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

    public let kind: Kind
    /// The HTTP status of the service's answer, 0 when there was none.
    public let status: UInt16
    /// The service's own code, empty when there was none.
    public let code: String
    /// One line: what happened and what to do. Never holds a secret.
    public let message: String
    /// Milliseconds to wait before the next try; 0 when nothing was told.
    public let retryAfter: Int64

    public init(kind: Kind, status: UInt16 = 0, code: String = "", message: String, retryAfter: Int64 = 0) {
        self.kind = kind
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }
}

/// Where the sign-in ceremony stands; what AuthStore reports. Times are milliseconds on the clock that counts sleep.
public enum AuthState: Hashable, Sendable {
    case idle
    case sending(email: String)
    case awaitingCode(AwaitingCode)
    case verifying(email: String)
    /// `email` is empty when the action that failed named none.
    case failed(email: String, error: AuthError)

    public struct AwaitingCode: Hashable, Sendable {
        public var email: String
        public var expiresAt: Int64
        public var resendAt: Int64
        public var triesLeft: Int32
        public var error: AuthError?

        public init(email: String, expiresAt: Int64, resendAt: Int64, triesLeft: Int32, error: AuthError? = nil) {
            self.email = email
            self.expiresAt = expiresAt
            self.resendAt = resendAt
            self.triesLeft = triesLeft
            self.error = error
        }
    }
}

public enum AuthAction: Hashable, Sendable {
    case signIn(email: String)
    case submitCode(String)
    case resendCode
    case cancel
}
