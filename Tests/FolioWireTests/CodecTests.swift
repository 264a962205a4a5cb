import FolioModel
import FolioWire
import Testing

private let strange = "a b&c=d+e%f/é\u{1F600}\r\n\"\\"

struct CodecTests {
    @Test("every request arrives as it was sent",
        arguments: [
            ServiceRequest.createGuest(deviceId: strange, requestId: "q", endedToken: nil),
            .createGuest(deviceId: "d", requestId: strange, endedToken: strange),
            .startCeremony(email: strange), .startCeremony(email: ""),
            .verifyCode(ceremonyId: strange, code: " 1 ", deviceId: "d"),
            .renew(refreshToken: strange, renewalId: strange), .revoke(refreshToken: strange),
        ])
    func requests(request: ServiceRequest) throws {
        #expect(try ServerCodec.decode(ClientCodec.encode(request, accessToken: nil)) == .service(request))
    }

    @Test("every answer arrives as it was given")
    func answers() {
        let grant = Grant(
            identity: .authenticated(userId: "u", email: "é@b"), accessToken: "a", refreshToken: "r", expiresIn: 60)
        let guest = Grant(identity: .transient(userId: "u"), accessToken: "a", refreshToken: "r", expiresIn: 1)
        let renewal = ServiceRequest.renew(refreshToken: "r", renewalId: "i")
        for answer in [ServiceAnswer.granted(grant), .granted(guest)] {
            #expect(ClientCodec.decode(ServerCodec.encode(answer), for: renewal) == .success(answer))
        }
        let started = ServiceAnswer.ceremony(
            CeremonyStarted(ceremonyId: "c", expiresIn: 600, resendIn: 7, triesLeft: 5))
        #expect(ClientCodec.decode(ServerCodec.encode(started), for: .startCeremony(email: "a@b")) == .success(started))
        #expect(ClientCodec.decode(ServerCodec.encode(.revoked), for: .revoke(refreshToken: "r")) == .success(.revoked))
    }

    @Test("every refusal arrives with its code, wait and tries", arguments: ServiceCode.allCases)
    func refusals(code: ServiceCode) {
        let refusal = ServiceRefusal.oauth(code, retryAfter: 7, triesLeft: 2)
        guard case .failure(let failure) = ClientCodec.decode(
            ServerCodec.encode(refusal), for: .verifyCode(ceremonyId: "c", code: "1", deviceId: "d"))
        else { return #expect(Bool(false)) }
        #expect(failure.reason == .refused(status: 400, code: code.rawValue))
        #expect(failure.retryAfter == 7_000)
        #expect(failure.triesLeft == 2)
        #expect(!failure.endsSession)
        #expect(failure.message == code.message)
    }

    @Test("only the codes of an ended session use invalid_grant, so a refused code never ends one",
        arguments: ServiceCode.allCases)
    func invalidGrant(code: ServiceCode) {
        let ends = code == .sessionEnded || code == .accountDeleted
        #expect((ServiceRefusal.oauth(code).oauthError == "invalid_grant") == ends)
    }

    @Test("OAuth endpoints answer with an OAuth error, others with problem details")
    func errorForms() {
        let oauth = ServerCodec.encode(.oauth(.sessionEnded))
        #expect(oauth.header("content-type") == "application/json")
        #expect(String(decoding: oauth.body, as: UTF8.self).contains(#""error":"invalid_grant""#))
        let problem = ServerCodec.encode(.problem(429, .rateLimited, retryAfter: 9))
        #expect(problem.header("content-type") == "application/problem+json")
        #expect(problem.header("Retry-After") == "9")
        let body = String(decoding: problem.body, as: UTF8.self)
        #expect(body.contains(#""status":429"#) && body.contains(#""code":"rate_limited""#) && body.contains(#""message":"#))
        #expect(!body.contains(#""error""#))
    }

    @Test("an access token is sent as a bearer token, and no header without one")
    func bearer() {
        #expect(ClientCodec.encode(.startCeremony(email: "a@b"), accessToken: "t").header("authorization") == "Bearer t")
        #expect(ClientCodec.encode(.startCeremony(email: "a@b"), accessToken: nil).header("authorization") == nil)
    }

    @Test("a form escapes all that is not plain")
    func form() {
        let body = ClientCodec.encode(.renew(refreshToken: "a+b c", renewalId: "é&="), accessToken: nil).body
        #expect(
            String(decoding: body, as: UTF8.self)
                == "grant_type=refresh_token&refresh_token=a%2Bb+c&renewal_id=%C3%A9%26%3D")
    }

    @Test("a body that is no form is an invalid request",
        arguments: [
            "", "%", "%zz", "grant_type=%ff", "grant_type=refresh_token&grant_type=refresh_token", "grant_type=refresh_token",
            "grant_type=refresh_token&refresh_token=&renewal_id=x", "=", "&&&",
            "grant_type=refresh_token&renewal_id=x&refresh_token=" + String(repeating: "a", count: 600),
            String(repeating: "a", count: 70_000), "{}",
        ])
    func badForms(body: String) {
        let request = WireRequest(method: "POST", path: "/oauth/token", body: Array(body.utf8))
        #expect(throws: ServiceRefusal.oauth(.invalidRequest)) { try ServerCodec.decode(request) }
    }

    @Test("a grant type the service does not know is told so")
    func unknownGrant() {
        let request = WireRequest(method: "POST", path: "/oauth/token", body: Array("grant_type=password".utf8))
        #expect(throws: ServiceRefusal.oauth(.unsupportedGrantType)) { try ServerCodec.decode(request) }
    }

    @Test("a wrong path is 404, a wrong method 405, a malformed ceremony 400")
    func routes() {
        #expect(throws: ServiceRefusal.problem(404, .notFound)) {
            try ServerCodec.decode(WireRequest(method: "GET", path: "/nothing"))
        }
        #expect(throws: ServiceRefusal.problem(405, .methodNotAllowed)) {
            try ServerCodec.decode(WireRequest(method: "GET", path: "/oauth/token?x=1"))
        }
        for body in ["", "[]", #"{"email":1}"#, "{", String(repeating: "[", count: 100_000)] {
            #expect(throws: ServiceRefusal.problem(400, .invalidRequest)) {
                try ServerCodec.decode(WireRequest(method: "POST", path: "/ceremonies", body: Array(body.utf8)))
            }
        }
    }
}
