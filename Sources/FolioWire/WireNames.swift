/// The names both sides of the wire agree on.
public enum WireNames {
    public static let tokenPath = "/oauth/token"
    public static let revokePath = "/oauth/revoke"
    public static let userInfoPath = "/oauth/userinfo"
    public static let ceremoniesPath = "/ceremonies"

    public static let refreshGrant = "refresh_token"
    public static let guestGrant = "urn:folio:params:oauth:grant-type:guest"
    public static let emailCodeGrant = "urn:folio:params:oauth:grant-type:email-code"

    public static let formType = "application/x-www-form-urlencoded"
    public static let jsonType = "application/json"
    public static let problemType = "application/problem+json"

    /// The OAuth error that ends a session when it refuses a renewal.
    public static let invalidGrant = "invalid_grant"
}

/// The codes a Folio service tells beside its HTTP status.
public enum ServiceCode: String, Sendable, CaseIterable {
    case sessionEnded = "session_ended"
    case accountDeleted = "account_deleted"
    case invalidEmail = "invalid_email"
    case invalidCode = "invalid_code"
    case wrongCode = "wrong_code"
    case codeExpired = "code_expired"
    case codeUsed = "code_used"
    case tooManyTries = "too_many_tries"
    case rateLimited = "rate_limited"
    case invalidRequest = "invalid_request"
    case invalidToken = "invalid_token"
    case unsupportedGrantType = "unsupported_grant_type"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case storageUnavailable = "storage_unavailable"

    /// One line: what happened and what to do.
    public var message: String {
        switch self {
        case .sessionEnded: "The session has ended; sign in again."
        case .accountDeleted: "The account was deleted; sign in with another one."
        case .invalidEmail: "This is not an e-mail address; correct it and try again."
        case .invalidCode: "A code is six digits; enter it again."
        case .wrongCode: "The code is wrong; enter it again."
        case .codeExpired: "The code is no longer valid; ask for a new one."
        case .codeUsed: "The code was already used; ask for a new one."
        case .tooManyTries: "The code was entered wrongly too often; ask for a new one."
        case .rateLimited: "Too many codes were asked for; wait and try again."
        case .invalidRequest: "The service could not understand the request; update the application."
        case .invalidToken: "The access token is not valid; renew the session."
        case .unsupportedGrantType: "The service does not know this kind of grant; update the application."
        case .notFound: "The service knows no such address; check the service URL."
        case .methodNotAllowed: "The service does not take this method here; update the application."
        case .storageUnavailable: "The service cannot use its storage; check its disk and try again."
        }
    }
}
