import FolioModel

extension RequestHandler {
    /// Asked again with the same ids it answers the same, while that session lives.
    func createGuest(deviceId: String, requestId: String, endedToken: String?) throws(DatabaseError) -> Grant {
        let request = hashes.hash(.guestRequest, deviceId, requestId)
        var userId: String?
        if let earlier = try database.rows(
            """
            SELECT s.session_id, s.user_id, s.ended, s.refresh_hash FROM guest_requests r
            JOIN sessions s ON s.session_id = r.session_id JOIN users u ON u.user_id = s.user_id
            WHERE r.request_hash = $1 AND u.deleted_at IS NULL
            """, [.text(request)]
        ).first, let sessionId = earlier[0].text, let earlierUser = earlier[1].text {
            if earlier[2] == .integer(0) {
                let tokens = guestTokens(request, sessionId)
                if earlier[3].text == stored(tokens.refresh) { try extendAccess(ofSession: sessionId) }
                return grant(.transient(userId: earlierUser), tokens)
            }
            userId = earlierUser
        }
        if userId == nil, let endedToken { userId = try guest(ofEndedToken: endedToken) }
        let guestId: String
        if let userId { guestId = userId } else { guestId = try insertUser(kind: "guest", email: nil) }
        let sessionId = environment.newId()
        let tokens = guestTokens(request, sessionId)
        try insertSession(sessionId, userId: guestId, deviceId: deviceId, tokens)
        try database.run(
            """
            INSERT INTO guest_requests (request_hash, session_id) VALUES ($1, $2)
            ON CONFLICT (request_hash) DO UPDATE SET session_id = excluded.session_id
            """, [.text(request), .text(sessionId)])
        return grant(.transient(userId: guestId), tokens)
    }

    func extendAccess(ofSession sessionId: String) throws(DatabaseError) {
        try database.run(
            "UPDATE sessions SET access_expires_at = $1 WHERE session_id = $2", [.integer(accessExpiry), .text(sessionId)])
    }

    private func guestTokens(_ request: String, _ sessionId: String) -> Tokens {
        Tokens(
            access: hashes.hash(.guestAccess, request, sessionId), refresh: hashes.hash(.guestRefresh, request, sessionId))
    }

    /// The guest whose session the host ended, proved by its last token or, since an answer may have been lost, the one
    /// before. A session ended by reuse has no row, so its tokens prove nothing.
    private func guest(ofEndedToken token: String) throws(DatabaseError) -> String? {
        try database.rows(
            """
            SELECT u.user_id FROM refresh_tokens t
            JOIN sessions s ON s.session_id = t.session_id JOIN users u ON u.user_id = s.user_id
            WHERE t.hash = $1 AND (t.hash = s.refresh_hash OR t.successor_hash = s.refresh_hash)
                AND s.ended = 1 AND u.kind = 'guest' AND u.deleted_at IS NULL
            """, [.text(stored(token))]
        ).first?.first?.text
    }
}
