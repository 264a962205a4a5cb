import FolioModel
import FolioWire

extension RequestHandler {
    /// The new tokens follow from the old one and the renewal id, so a lost answer can be given again though no token is
    /// stored.
    func renew(_ token: String, renewalId: String) throws(DatabaseError) -> Outcome {
        let oldHash = stored(token)
        let renewal = hashes.hash(.renewalId, renewalId)
        guard let row = try database.rows(
            """
            SELECT s.session_id, u.user_id, u.kind, u.email, u.deleted_at, s.ended, s.refresh_hash, t.renewal_hash,
                t.successor_hash
            FROM refresh_tokens t JOIN sessions s ON s.session_id = t.session_id JOIN users u ON u.user_id = s.user_id
            WHERE t.hash = $1
            """, [.text(oldHash)]
        ).first, let sessionId = row[0].text, let userId = row[1].text
        else { return .failure(.oauth(.sessionEnded)) }

        let tokens = Tokens(
            access: hashes.hash(.renewedAccess, token, renewalId), refresh: hashes.hash(.renewedRefresh, token, renewalId))
        switch TokenRules.verdict(
            userIsDeleted: row[4] != .null, sessionIsEnded: row[5] != .integer(0), tokenIsCurrent: row[6] == .text(oldHash),
            renewalIsSame: row[7] == .text(renewal), successorIsCurrent: row[8] == row[6])
        {
        case .renew:
            try database.run(
                "UPDATE refresh_tokens SET renewal_hash = $1, successor_hash = $2, rotated_at = $3 WHERE hash = $4",
                [.text(renewal), .text(stored(tokens.refresh)), .integer(now), .text(oldHash)])
            try insertRefreshToken(tokens.refresh, sessionId: sessionId)
            try database.run(
                "UPDATE sessions SET refresh_hash = $1, access_hash = $2, access_expires_at = $3 WHERE session_id = $4",
                [.text(stored(tokens.refresh)), .text(stored(tokens.access)), .integer(accessExpiry), .text(sessionId)])
            try database.run(
                "DELETE FROM refresh_tokens WHERE session_id = $1 AND rotated_at < $2",
                [.text(sessionId), .integer(now - TokenRules.memory)])
        case .sameAnswer(let isCurrent):
            if isCurrent { try extendAccess(ofSession: sessionId) }
        case .reuse:
            try removeSession(sessionId)
            return .failure(.oauth(.sessionEnded))
        case .refused(let reason):
            return .failure(.oauth(reason))
        }
        return .success(.granted(grant(identity(kind: row[2].text, userId: userId, email: row[3].text), tokens)))
    }

    /// Ends the session of any of its tokens; a token that is not known is as good as revoked.
    func revoke(_ token: String) throws(DatabaseError) -> Outcome {
        let hash = SqlValue.text(stored(token))
        let session = try database.rows(
            """
            SELECT session_id FROM refresh_tokens WHERE hash = $1
            UNION SELECT session_id FROM sessions WHERE access_hash = $1
            """, [hash]
        ).first?[0].text
        if let session { try removeSession(session) }
        return .success(.revoked)
    }

    private func removeSession(_ sessionId: String) throws(DatabaseError) {
        for table in ["guest_requests", "refresh_tokens", "sessions"] {
            try database.run("DELETE FROM \(table) WHERE session_id = $1", [.text(sessionId)])
        }
    }

    /// The user an access token acts for.
    func userInfo(_ accessToken: String) throws(DatabaseError) -> Identity? {
        let row = try database.rows(
            """
            SELECT u.user_id, u.kind, u.email FROM sessions s JOIN users u ON u.user_id = s.user_id
            WHERE s.access_hash = $1 AND s.access_expires_at > $2 AND s.ended = 0 AND u.deleted_at IS NULL
            """, [.text(stored(accessToken)), .integer(now)]
        ).first
        return row.flatMap { row in
            row[0].text.map { identity(kind: row[1].text, userId: $0, email: row[2].text) }
        }
    }
}
