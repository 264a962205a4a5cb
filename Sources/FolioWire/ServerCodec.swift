public import FolioModel

/// What the service does not do, with all that its answer tells.
public struct ServiceRefusal: Error, Hashable, Sendable {
    public var status: UInt16
    public var code: ServiceCode
    /// The OAuth `error` of a token endpoint's answer; equal to `code` unless the grant itself is refused. `nil` for a
    /// problem details answer.
    public var oauthError: String?
    /// Seconds to wait, told by Retry-After; 0 for none.
    public var retryAfter: Int64
    public var triesLeft: Int32?

    public init(status: UInt16, code: ServiceCode, oauthError: String?, retryAfter: Int64 = 0, triesLeft: Int32? = nil) {
        self.status = status
        self.code = code
        self.oauthError = oauthError
        self.retryAfter = retryAfter
        self.triesLeft = triesLeft
    }

    /// A refusal of the OAuth endpoints. Codes of the ceremony are errors of their own (RFC 6749, 8.5), so that
    /// `invalid_grant` stays the word for an ended session alone.
    public static func oauth(_ code: ServiceCode, retryAfter: Int64 = 0, triesLeft: Int32? = nil) -> ServiceRefusal {
        let error =
            switch code {
            case .sessionEnded, .accountDeleted: WireNames.invalidGrant
            default: code.rawValue
            }
        return ServiceRefusal(status: 400, code: code, oauthError: error, retryAfter: retryAfter, triesLeft: triesLeft)
    }

    public static func problem(_ status: UInt16, _ code: ServiceCode, retryAfter: Int64 = 0) -> ServiceRefusal {
        ServiceRefusal(status: status, code: code, oauthError: nil, retryAfter: retryAfter)
    }
}

/// A request that has reached the service.
public enum ServedRequest: Hashable, Sendable {
    case service(ServiceRequest)
    /// Which user a bearer token acts for; `nil` when none was sent.
    case userInfo(accessToken: String?)
}

/// The service's side of the wire: requests in, answers out.
public enum ServerCodec {
    /// Longest id or token that is taken, in bytes.
    static let maximumField = 512

    public static func decode(_ wire: WireRequest) throws(ServiceRefusal) -> ServedRequest {
        switch wire.path.prefix(while: { $0 != "?" }) {
        case WireNames.tokenPath:
            try requireMethod("POST", wire)
            return .service(try tokenRequest(wire))
        case WireNames.revokePath:
            try requireMethod("POST", wire)
            return .service(.revoke(refreshToken: try field("token", of: fields(wire))))
        case WireNames.ceremoniesPath:
            try requireMethod("POST", wire)
            guard let body = JsonBody.decode(StartBody.self, from: wire.body) else {
                throw .problem(400, .invalidRequest)
            }
            return .service(.startCeremony(email: body.email))
        case WireNames.userInfoPath:
            try requireMethod("GET", wire)
            return .userInfo(accessToken: bearer(wire))
        default:
            throw .problem(404, .notFound)
        }
    }

    public static func encode(_ answer: ServiceAnswer) -> WireResponse {
        switch answer {
        case .granted(let grant):
            return json(
                200,
                TokenBody(
                    access_token: grant.accessToken, token_type: "Bearer", expires_in: grant.expiresIn,
                    refresh_token: grant.refreshToken, user: user(grant.identity)))
        case .ceremony(let started):
            return json(
                201,
                CeremonyBody(
                    ceremony_id: started.ceremonyId, expires_in: started.expiresIn, resend_in: started.resendIn,
                    tries_left: started.triesLeft))
        case .revoked:
            return WireResponse(status: 200, headers: noStore)
        }
    }

    public static func encode(userInfo identity: Identity) -> WireResponse { json(200, user(identity)) }

    public static func encode(_ refusal: ServiceRefusal) -> WireResponse {
        let body = RefusalBody(
            error: refusal.oauthError, error_description: refusal.oauthError == nil ? nil : refusal.code.message,
            title: refusal.oauthError == nil ? refusal.code.message : nil, status: refusal.status,
            code: refusal.code.rawValue, message: refusal.code.message, tries_left: refusal.triesLeft)
        var response = json(refusal.status, body)
        if refusal.oauthError == nil { response.headers[0].1 = WireNames.problemType }
        if refusal.retryAfter > 0 { response.headers.append(("Retry-After", String(refusal.retryAfter))) }
        if refusal.status == 401 {
            response.headers.append(("WWW-Authenticate", "Bearer error=\"\(refusal.code.rawValue)\""))
        }
        return response
    }

    private static let noStore = [("Cache-Control", "no-store")]

    private static func json(_ status: UInt16, _ body: some Encodable) -> WireResponse {
        WireResponse(status: status, headers: [("Content-Type", WireNames.jsonType)] + noStore, body: JsonBody.encode(body))
    }

    private static func user(_ identity: Identity) -> UserBody {
        UserBody(type: identity.isAccount ? "account" : "guest", userId: identity.userId ?? "", email: identity.email)
    }

    private static func requireMethod(_ method: String, _ wire: WireRequest) throws(ServiceRefusal) {
        guard wire.method == method else { throw .problem(405, .methodNotAllowed) }
    }

    private static func tokenRequest(_ wire: WireRequest) throws(ServiceRefusal) -> ServiceRequest {
        let fields = try fields(wire)
        switch fields["grant_type"] {
        case WireNames.guestGrant:
            return .createGuest(
                deviceId: try field("device_id", of: fields), requestId: try field("request_id", of: fields),
                endedToken: fields["ended_token"] == nil ? nil : try field("ended_token", of: fields))
        case WireNames.emailCodeGrant:
            return .verifyCode(
                ceremonyId: try field("ceremony_id", of: fields), code: fields["code"] ?? "",
                deviceId: try field("device_id", of: fields))
        case WireNames.refreshGrant:
            return .renew(
                refreshToken: try field("refresh_token", of: fields), renewalId: try field("renewal_id", of: fields))
        case nil: throw .oauth(.invalidRequest)
        default: throw .oauth(.unsupportedGrantType)
        }
    }

    private static func fields(_ wire: WireRequest) throws(ServiceRefusal) -> [String: String] {
        guard let fields = FormBody.decode(wire.body) else { throw .oauth(.invalidRequest) }
        return fields
    }

    private static func field(_ name: String, of fields: [String: String]) throws(ServiceRefusal) -> String {
        guard let value = fields[name], (1...maximumField).contains(value.utf8.count) else { throw .oauth(.invalidRequest) }
        return value
    }

    private static func bearer(_ wire: WireRequest) -> String? {
        guard let parts = wire.header("Authorization")?.split(separator: " "), parts.count == 2,
            parts[0].lowercased() == "bearer"
        else { return nil }
        return String(parts[1])
    }
}

// Named as on the wire.
private struct TokenBody: Encodable {
    var access_token: String
    var token_type: String
    var expires_in: Int64
    var refresh_token: String
    var user: UserBody
}

private struct CeremonyBody: Encodable {
    var ceremony_id: String
    var expires_in: Int64
    var resend_in: Int64
    var tries_left: Int32
}

private struct RefusalBody: Encodable {
    var error: String?
    var error_description: String?
    var title: String?
    var status: UInt16
    var code: String
    var message: String
    var tries_left: Int32?
}
