import FolioModel
import FolioWire
import Testing

private let renewal = ServiceRequest.renew(refreshToken: "r", renewalId: "i")
private let guest = ServiceRequest.createGuest(deviceId: "d", requestId: "q", endedToken: nil)
private let start = ServiceRequest.startCeremony(email: "a@b")
private let verify = ServiceRequest.verifyCode(ceremonyId: "c", code: "1", deviceId: "d")
private let everyRequest = [renewal, guest, start, verify, ServiceRequest.revoke(refreshToken: "r")]

private func response(_ status: UInt16, _ body: String, _ headers: [(String, String)] = []) -> WireResponse {
    WireResponse(status: status, headers: headers, body: Array(body.utf8))
}

private func failure(_ response: WireResponse, for request: ServiceRequest) -> ServiceFailure? {
    guard case .failure(let failure) = ClientCodec.decode(response, for: request) else { return nil }
    return failure
}

private func grant(_ body: String) -> Grant? {
    guard case .success(.granted(let grant)) = ClientCodec.decode(response(200, body), for: renewal) else { return nil }
    return grant
}

private func tokenBody(
    type: String = "account", email: String = #""ana@example.com""#, extra: String = #","expires_in":60"#
) -> String {
    #"{"access_token":"a","token_type":"bearer","refresh_token":"r","user":{"type":"\#(type)","user_id":"u","email":\#(email)}\#(extra)}"#
}

private let strangeBodies: [[UInt8]] = [
    [], Array("<html><h1>Bad gateway</h1></html>".utf8), Array("null".utf8), Array("[]".utf8), Array("{}".utf8),
    Array("\"text\"".utf8), Array("NaN".utf8), Array(#"{"expires_in":NaN}"#.utf8),
    [UInt8](repeating: UInt8(ascii: " "), count: 10 << 20),
    Array(("\"" + String(repeating: "x", count: 10 << 20) + "\"").utf8),
    [UInt8](repeating: UInt8(ascii: "["), count: 100_000),
    Array((String(repeating: #"{"a":"#, count: 100_000) + "1" + String(repeating: "}", count: 100_000)).utf8),
    Array((#"{"error":"invalid_grant","x":"# + String(repeating: "[", count: 100_000)).utf8),
    [0xFF, 0xFE], Array(#"{"error":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8),
    Array(#"{"error":"\ud800","code":"\udfff"}"#.utf8), Array(#"{"access_token":"\ud800"}"#.utf8),
    Array(#"{"access_token":1,"token_type":[],"refresh_token":{},"user":7,"error":5,"code":null}"#.utf8),
    Array(#"{"user":{"type":1,"user_id":2}}"#.utf8), Array(#"{"a":1,"#.utf8), [0xEF, 0xBB, 0xBF],
    Array(#"{"error":"#.utf8), [0], Array("{\"a\":\"\u{0}\"}".utf8),
]

struct ClientDecoderTests {
    @Test("a good status with a body that is not Folio's is as good as no network", arguments: strangeBodies.indices)
    func strangeSuccess(index: Int) {
        for request in everyRequest.dropLast() {
            let failure = failure(WireResponse(status: 200, body: strangeBodies[index]), for: request)
            #expect(failure?.reason == .network)
            #expect(failure?.endsSession == false)
        }
    }

    @Test("a bad status with a strange body tells the status and ends nothing", arguments: strangeBodies.indices)
    func strangeFailure(index: Int) {
        for request in everyRequest {
            for status: UInt16 in [100, 302, 400, 401, 403, 404, 408, 410, 429, 500, 503, 530, 0, .max] {
                let failure = failure(WireResponse(status: status, body: strangeBodies[index]), for: request)
                #expect(failure?.reason == .refused(status: status, code: ""))
                #expect(failure?.endsSession == false)
            }
        }
    }

    @Test("only invalid_grant with 400 or 401 for a renewal ends a session")
    func endsSession() {
        for status: UInt16 in [200, 301, 400, 401, 403, 404, 408, 410, 429, 500, 503] {
            for error in ["invalid_grant", "invalid_request", "INVALID_GRANT", "invalid_grant ", "", "session_ended"] {
                for request in everyRequest {
                    let ends = failure(response(status, #"{"error":"\#(error)"}"#), for: request)?.endsSession ?? false
                    #expect(ends == (request == renewal && error == "invalid_grant" && [400, 401].contains(status)))
                }
            }
        }
        #expect(failure(response(400, #"{"code":"session_ended"}"#), for: renewal)?.endsSession == false)
        #expect(failure(response(400, #"{"message":"Project not specified."}"#), for: renewal)?.endsSession == false)
    }

    @Test("the cause of an ended session is session_ended unless account_deleted is told",
        arguments: [
            (#"{"error":"invalid_grant"}"#, "session_ended"),
            (#"{"error":"invalid_grant","code":"account_deleted"}"#, "account_deleted"),
            (#"{"error":"invalid_grant","code":"session_ended"}"#, "session_ended"),
            (#"{"error":"invalid_grant","code":7}"#, "session_ended"),
            (#"{"error":"invalid_grant","code":"other"}"#, "session_ended"),
        ])
    func cause(body: String, code: String) {
        #expect(failure(response(400, body), for: renewal)?.reason == .refused(status: 400, code: code))
    }

    @Test("a life is clamped to 1 second to 10 years, and an unknown one is an hour",
        arguments: [
            ("2592000", Int64(2_592_000)), ("1e12", 315_360_000), ("9223372036854775808", 315_360_000),
            ("9223372036854775807", 315_360_000), ("1e308", 315_360_000), ("0", 3_600), ("-1", 3_600), ("-1e300", 3_600),
            ("-9223372036854775808", 3_600), ("1.5", 2), ("0.2", 1), (#""3600""#, 3_600), (#""60""#, 60),
            (#""nan""#, 3_600), (#""soon""#, 3_600), ("null", 3_600), ("true", 3_600), ("[]", 3_600), ("{}", 3_600),
            ("3600", 3_600), ("1", 1),
        ])
    func life(text: String, seconds: Int64) {
        #expect(grant(tokenBody(extra: #","expires_in":\#(text)"#))?.expiresIn == seconds)
    }

    @Test("a missing life is an hour")
    func missingLife() {
        #expect(grant(tokenBody(extra: ""))?.expiresIn == 3_600)
    }

    @Test("keys given twice are read as one of them")
    func duplicates() {
        let seconds = grant(tokenBody(extra: #","expires_in":60,"expires_in":61"#))?.expiresIn
        #expect(seconds == 60 || seconds == 61)
    }

    @Test("guest and account are told apart, and a guest's address is ignored")
    func users() {
        #expect(grant(tokenBody())?.identity == .authenticated(userId: "u", email: "ana@example.com"))
        #expect(grant(tokenBody(type: "guest"))?.identity == .transient(userId: "u"))
        #expect(grant(tokenBody(type: "guest", email: "null"))?.identity == .transient(userId: "u"))
        #expect(grant(tokenBody(type: "robot")) == nil)
        #expect(grant(tokenBody(email: "null")) == nil)
        #expect(grant(tokenBody(email: #""a\nb""#)) == nil)
    }

    @Test("a token that could change a header is not taken",
        arguments: ["", "a b", "a\\nb", "a\\u0000", "é", String(repeating: "a", count: 5_000)])
    func unsafeToken(token: String) {
        let body = tokenBody().replacing(#""access_token":"a""#, with: #""access_token":"\#(token)""#)
        #expect(grant(body) == nil)
    }

    @Test("Retry-After is read in seconds, at most a day; anything else is none",
        arguments: [
            ("30", Int64(30_000)), (" 5 ", 5_000), ("0", 0), ("-1", 0), ("1e3", 0), ("99999999999999999999", 0),
            ("9223372036854775807", 86_400_000), ("Wed, 21 Oct 2026 07:28:00 GMT", 0), ("", 0),
        ])
    func retryAfter(text: String, milliseconds: Int64) {
        #expect(failure(response(429, "", [("retry-AFTER", text)]), for: start)?.retryAfter == milliseconds)
    }

    @Test("tries left are read when they are told")
    func tries() {
        let body = #"{"error":"wrong_code","code":"wrong_code","tries_left":3}"#
        #expect(failure(response(400, body), for: verify)?.triesLeft == 3)
        #expect(failure(response(400, #"{"tries_left":1e30}"#), for: verify)?.triesLeft == 1_000)
        #expect(failure(response(400, "{}"), for: verify)?.triesLeft == nil)
    }

    @Test("no text of the server reaches a message, and a code must look like one")
    func serverText() {
        let body = #"{"error":"a b","error_description":"SECRET","code":"evil\nline","message":"SECRET"}"#
        let failure = failure(response(400, body), for: verify)
        #expect(failure?.reason == .refused(status: 400, code: ""))
        #expect(failure?.message.contains("SECRET") == false)
        #expect(failure?.message.contains("\n") == false)
    }

    @Test("a revocation is done with any good status")
    func revoked() {
        for status: UInt16 in [200, 204] {
            #expect(ClientCodec.decode(response(status, "<html>"), for: .revoke(refreshToken: "r")) == .success(.revoked))
        }
    }

    @Test("a ceremony's missing numbers have safe values")
    func ceremony() {
        let expected = CeremonyStarted(ceremonyId: "c", expiresIn: 600, resendIn: 0, triesLeft: 5)
        #expect(
            ClientCodec.decode(response(201, #"{"ceremony_id":"c","resend_in":-4,"expires_in":"x"}"#), for: start)
                == .success(.ceremony(expected)))
    }
}
