public import FolioModel

/// The client's side of the wire: requests out, answers in.
public enum ClientCodec {
    /// Life in seconds of a token whose answer does not tell it.
    static let unknownLife: Int64 = 3_600

    /// The request as HTTP. An access token is sent along as a bearer token.
    public static func encode(_ request: ServiceRequest, accessToken: String?) -> WireRequest {
        var wire: WireRequest
        switch request {
        case .createGuest(let deviceId, let requestId, let endedToken):
            var fields = [("grant_type", WireNames.guestGrant), ("device_id", deviceId), ("request_id", requestId)]
            if let endedToken { fields.append(("ended_token", endedToken)) }
            wire = form(WireNames.tokenPath, fields)
        case .startCeremony(let email):
            wire = WireRequest(
                method: "POST", path: WireNames.ceremoniesPath, headers: [("Content-Type", WireNames.jsonType)],
                body: JsonBody.encode(StartBody(email: email)))
        case .verifyCode(let ceremonyId, let code, let deviceId):
            wire = form(
                WireNames.tokenPath,
                [
                    ("grant_type", WireNames.emailCodeGrant), ("ceremony_id", ceremonyId), ("code", code),
                    ("device_id", deviceId),
                ])
        case .renew(let refreshToken, let renewalId):
            wire = form(
                WireNames.tokenPath,
                [("grant_type", WireNames.refreshGrant), ("refresh_token", refreshToken), ("renewal_id", renewalId)])
        case .revoke(let refreshToken):
            wire = form(WireNames.revokePath, [("token", refreshToken), ("token_type_hint", "refresh_token")])
        }
        wire.headers.append(("Accept", "\(WireNames.jsonType), \(WireNames.problemType)"))
        if let accessToken { wire.headers.append(("Authorization", "Bearer \(accessToken)")) }
        return wire
    }

    /// What an answer means. Any bytes are fine: what is not understood is a failure that ends nothing.
    public static func decode(_ response: WireResponse, for request: ServiceRequest) -> Result<ServiceAnswer, ServiceFailure> {
        guard (200..<300).contains(response.status) else { return .failure(failure(response, for: request)) }
        if case .revoke = request { return .success(.revoked) }
        guard let body = JsonBody.decode(AnswerBody.self, from: response.body) else { return .failure(notUnderstood) }
        switch request {
        case .createGuest, .verifyCode, .renew: return grant(body).map(Result.success) ?? .failure(notUnderstood)
        case .startCeremony: return ceremony(body).map(Result.success) ?? .failure(notUnderstood)
        case .revoke: return .success(.revoked)
        }
    }

    static let notUnderstood = ServiceFailure(
        reason: .network, message: "The answer is not one of a Folio service; check the service URL and try again.")

    private static func form(_ path: String, _ fields: [(String, String)]) -> WireRequest {
        WireRequest(
            method: "POST", path: path, headers: [("Content-Type", WireNames.formType)], body: FormBody.encode(fields))
    }

    private static func grant(_ body: AnswerBody) -> ServiceAnswer? {
        guard let accessToken = body.accessToken, isToken(accessToken),
            let refreshToken = body.refreshToken, isToken(refreshToken),
            body.tokenType?.lowercased() == "bearer",
            let user = body.user, isPlain(user.userId)
        else { return nil }
        let identity: Identity
        switch (user.type, user.email) {
        case ("guest", _): identity = .transient(userId: user.userId)
        case ("account", let email?) where isPlain(email): identity = .authenticated(userId: user.userId, email: email)
        default: return nil
        }
        return .granted(
            Grant(
                identity: identity, accessToken: accessToken, refreshToken: refreshToken,
                expiresIn: positive(body.expiresIn) ?? unknownLife))
    }

    private static func ceremony(_ body: AnswerBody) -> ServiceAnswer? {
        guard let ceremonyId = body.ceremonyId, isPlain(ceremonyId) else { return nil }
        return .ceremony(
            CeremonyStarted(
                ceremonyId: ceremonyId, expiresIn: positive(body.expiresIn) ?? 600, resendIn: positive(body.resendIn) ?? 0,
                triesLeft: tries(body.triesLeft) ?? 5))
    }

    private static func failure(_ response: WireResponse, for request: ServiceRequest) -> ServiceFailure {
        let body = JsonBody.decode(AnswerBody.self, from: response.body)
        let error = body?.error.flatMap(codeName)
        var code = body?.code.flatMap(codeName) ?? error ?? ""
        // The one definite word: nothing but an OAuth refusal of this very renewal.
        var endsSession = false
        if case .renew = request, response.status == 400 || response.status == 401, error == WireNames.invalidGrant {
            endsSession = true
            if code != ServiceCode.accountDeleted.rawValue { code = ServiceCode.sessionEnded.rawValue }
        }
        return ServiceFailure(
            reason: .refused(status: response.status, code: code),
            message: ServiceCode(rawValue: code)?.message
                ?? "The service did not do what was asked (HTTP status \(response.status)); try again later.",
            retryAfter: retryAfter(response), triesLeft: tries(body?.triesLeft), endsSession: endsSession)
    }

    private static func positive(_ seconds: Seconds?) -> Int64? {
        guard let value = seconds?.value, value > 0 else { return nil }
        return value
    }

    private static func tries(_ count: Seconds?) -> Int32? {
        guard let value = count?.value else { return nil }
        return Int32(min(max(value, 0), 1_000))
    }

    /// Milliseconds, at most a day; a date is not taken, since the local clock may be wrong.
    private static func retryAfter(_ response: WireResponse) -> Int64 {
        guard let text = response.header("Retry-After"), let seconds = Int64(text.filter { $0 != " " }), seconds > 0
        else { return 0 }
        return min(seconds, 86_400) * 1_000
    }

    /// A token that is safe in a header and a form: visible ASCII.
    private static func isToken(_ text: String) -> Bool {
        (1...4_096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// One short line without control characters.
    private static func isPlain(_ text: String) -> Bool {
        (1...1_024).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Codes are shown to hosts, so only text in the shape of a code passes.
    private static func codeName(_ text: String) -> String? {
        let fits = (1...64).contains(text.utf8.count) && text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return fits ? text : nil
    }
}

struct StartBody: Codable {
    var email: String
}
