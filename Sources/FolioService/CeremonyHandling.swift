import FolioModel
import FolioWire

extension RequestHandler {
    func startCeremony(_ text: String) throws(DatabaseError) -> Outcome {
        guard let email = EmailNormaliser.normalised(text) else { return .failure(.problem(400, .invalidEmail)) }
        var starts = try recentStarts(email)
        let wait = CeremonyRules.wait(afterStarts: starts, now: now)
        guard wait == 0 else {
            return .failure(.problem(429, .rateLimited, retryAfter: CeremonyRules.seconds(wait)))
        }
        try database.run(
            "DELETE FROM ceremonies WHERE created_at < $1", [.integer(now - CeremonyRules.memory)])
        try database.run("DELETE FROM outbox WHERE queued_at < $1", [.integer(now - CeremonyRules.memory)])
        try database.run(
            "UPDATE ceremonies SET state = $1 WHERE email = $2 AND state = $3",
            [.text(CeremonyRules.State.replaced.rawValue), .text(email), .text(CeremonyRules.State.open.rawValue)])

        let ceremonyId = environment.newId()
        let code = environment.newCode()
        try database.run(
            """
            INSERT INTO ceremonies (ceremony_id, email, code_hash, state, created_at, tries)
            VALUES ($1, $2, $3, $4, $5, 0)
            """,
            [
                .text(ceremonyId), .text(email), .text(hashes.hash(.code, ceremonyId, code)),
                .text(CeremonyRules.State.open.rawValue), .integer(now),
            ])
        try queue(Message(email: email, code: code))
        starts.append(now)
        return .success(
            .ceremony(
                CeremonyStarted(
                    ceremonyId: ceremonyId, expiresIn: CeremonyRules.seconds(CeremonyRules.codeLife),
                    resendIn: CeremonyRules.seconds(CeremonyRules.wait(afterStarts: starts, now: now)),
                    triesLeft: Int32(CeremonyRules.maximumTries))))
    }

    func verifyCode(ceremonyId: String, code: String, deviceId: String) throws(DatabaseError) -> Outcome {
        guard let code = SignInCode.normalised(code) else { return .failure(.oauth(.invalidCode)) }
        guard let row = try database.rows(
            "SELECT email, code_hash, state, created_at, tries FROM ceremonies WHERE ceremony_id = $1",
            [.text(ceremonyId)]
        ).first, let email = row[0].text, let codeHash = row[1].text,
            let state = row[2].text.flatMap(CeremonyRules.State.init), let createdAt = row[3].integer,
            let tries = row[4].integer
        else { return .failure(.oauth(.codeExpired)) }
        let matches = ServiceHashes.areEqual(codeHash, hashes.hash(.code, ceremonyId, code))
        switch CeremonyRules.verdict(state: state, createdAt: createdAt, tries: tries, codeMatches: matches, now: now) {
        case .accepted:
            try setState(.used, of: ceremonyId)
            return .success(.granted(try signIn(email, deviceId: deviceId)))
        case .wrong(let triesLeft):
            try database.run("UPDATE ceremonies SET tries = tries + 1 WHERE ceremony_id = $1", [.text(ceremonyId)])
            return .failure(.oauth(.wrongCode, triesLeft: Int32(clamping: triesLeft)))
        case .blocked:
            try setState(.blocked, of: ceremonyId)
            return .failure(try tooManyTries(email))
        case .refused(.tooManyTries):
            return .failure(try tooManyTries(email))
        case .refused(let reason):
            return .failure(.oauth(reason))
        }
    }

    private func tooManyTries(_ email: String) throws(DatabaseError) -> ServiceRefusal {
        let wait = CeremonyRules.wait(afterStarts: try recentStarts(email), now: now)
        return .oauth(.tooManyTries, retryAfter: CeremonyRules.seconds(wait), triesLeft: 0)
    }

    private func setState(_ state: CeremonyRules.State, of ceremonyId: String) throws(DatabaseError) {
        try database.run(
            "UPDATE ceremonies SET state = $1 WHERE ceremony_id = $2", [.text(state.rawValue), .text(ceremonyId)])
    }

    /// When codes were asked for lately; a ceremony that ended in a sign-in does not count.
    private func recentStarts(_ email: String) throws(DatabaseError) -> [Int64] {
        try database.rows(
            "SELECT created_at FROM ceremonies WHERE email = $1 AND created_at > $2 AND state <> $3",
            [.text(email), .integer(now - CeremonyRules.window), .text(CeremonyRules.State.used.rawValue)]
        ).compactMap { $0[0].integer }
    }

    private func queue(_ message: Message) throws(DatabaseError) {
        let owner = environment.process()
        try database.run(
            """
            INSERT INTO outbox (position, email, code, pid, process_start, queued_at)
            SELECT COALESCE(MAX(position), 0) + 1, $1, $2, $3, $4, $5 FROM outbox
            """,
            [.text(message.email), .text(message.code), .integer(owner.pid), .integer(owner.start), .integer(now)])
    }

    private func signIn(_ email: String, deviceId: String) throws(DatabaseError) -> Grant {
        let identity: Identity
        if try database.run("DELETE FROM guest_accounts WHERE email = $1", [.text(email)]) > 0 {
            identity = .transient(userId: try insertUser(kind: "guest", email: nil))
        } else if let userId = try database.rows("SELECT user_id FROM users WHERE email = $1", [.text(email)]).first?[0].text {
            identity = .authenticated(userId: userId, email: email)
        } else {
            identity = .authenticated(userId: try insertUser(kind: "account", email: email), email: email)
        }
        let tokens = Tokens(access: environment.newToken(), refresh: environment.newToken())
        try insertSession(environment.newId(), userId: identity.userId ?? "", deviceId: deviceId, tokens)
        return grant(identity, tokens)
    }
}
