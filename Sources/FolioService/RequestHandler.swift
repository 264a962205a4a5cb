import FolioModel
import FolioWire

/// Carries out requests inside one transaction of the database. A refusal is committed as well: it may have counted a try.
struct RequestHandler {
    typealias Outcome = Result<ServiceAnswer, ServiceRefusal>

    let database: any ServiceDatabase
    let environment: ServiceEnvironment
    let hashes: ServiceHashes
    /// Wall clock milliseconds.
    let now: Int64
    /// Seconds an access token lives.
    let tokenLife: Int64

    func outcome(of request: ServiceRequest) throws(DatabaseError) -> Outcome {
        switch request {
        case .createGuest(let deviceId, let requestId, let endedToken):
            .success(.granted(try createGuest(deviceId: deviceId, requestId: requestId, endedToken: endedToken)))
        case .startCeremony(let email): try startCeremony(email)
        case .verifyCode(let ceremonyId, let code, let deviceId):
            try verifyCode(ceremonyId: ceremonyId, code: code, deviceId: deviceId)
        case .renew(let refreshToken, let renewalId): try renew(refreshToken, renewalId: renewalId)
        case .revoke(let token): try revoke(token)
        }
    }

    /// A token pair and what is stored of it.
    struct Tokens {
        let access: String
        let refresh: String
    }

    func stored(_ token: String) -> String { hashes.hash(.stored, token) }

    var accessExpiry: Int64 { now.addingClamped(tokenLife.multipliedClamped(by: 1_000)) }

    func grant(_ identity: Identity, _ tokens: Tokens) -> Grant {
        Grant(identity: identity, accessToken: tokens.access, refreshToken: tokens.refresh, expiresIn: tokenLife)
    }

    func insertSession(_ sessionId: String, userId: String, deviceId: String, _ tokens: Tokens) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO sessions (session_id, user_id, device_id, refresh_hash, access_hash, access_expires_at, ended, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, 0, $7)
            """,
            [
                .text(sessionId), .text(userId), .text(deviceId), .text(stored(tokens.refresh)),
                .text(stored(tokens.access)), .integer(accessExpiry), .integer(now),
            ])
        try insertRefreshToken(tokens.refresh, sessionId: sessionId)
    }

    func insertRefreshToken(_ token: String, sessionId: String) throws(DatabaseError) {
        try database.run(
            "INSERT INTO refresh_tokens (hash, session_id) VALUES ($1, $2)", [.text(stored(token)), .text(sessionId)])
    }

    func insertUser(kind: String, email: String?) throws(DatabaseError) -> String {
        let userId = environment.newId()
        try database.run(
            "INSERT INTO users (user_id, kind, email, created_at) VALUES ($1, $2, $3, $4)",
            [.text(userId), .text(kind), email.map(SqlValue.text) ?? .null, .integer(now)])
        return userId
    }

    func identity(kind: String?, userId: String, email: String?) -> Identity {
        kind == "account" ? .authenticated(userId: userId, email: email ?? "") : .transient(userId: userId)
    }
}
