import FolioModel
public import FolioWire

/// The Folio service over one file, `service.sqlite`. Any number of values and processes may use the same file.
/// May be used from any thread; no lock is held while host code runs.
public final class Service: Sendable {
    private let environment: ServiceEnvironment
    // Two connections: a host call that waits for the file must not make a request wait.
    private let answering: ServiceConnection
    private let hosting: ServiceConnection

    /// `path` is the directory of the file. Nothing is opened before the first request or call.
    public convenience init(directory path: String) {
        self.init(directory: path, environment: .system)
    }

    init(directory path: String, environment: ServiceEnvironment) {
        self.environment = environment
        answering = ServiceConnection(directory: path, busyTimeoutMs: 0, environment: environment)
        hosting = ServiceConnection(directory: path, busyTimeoutMs: 5_000, environment: environment)
    }

    /// Answers a request, whatever its bytes, with at most one commit. Never waits for another user of the file.
    /// `seconds` is the life of access tokens, taken as 1 second to 10 years.
    public func answer(
        _ request: WireRequest, tokenLife seconds: Int64, now: ServiceClock
    ) throws(ServiceBusy) -> WireResponse {
        let served: ServedRequest
        do {
            served = try ServerCodec.decode(request)
        } catch {
            return ServerCodec.encode(error)
        }
        let life = min(max(seconds, 1), TokenRules.maximumLife)
        do {
            return try answering.use { open throws(DatabaseError) in
                let handler = RequestHandler(
                    database: open.database, environment: environment, hashes: open.hashes,
                    now: now.milliseconds, tokenLife: life)
                switch served {
                case .service(let request):
                    let outcome = try open.database.transaction { () throws(DatabaseError) in
                        try handler.outcome(of: request)
                    }
                    switch outcome {
                    case .success(let answer): return ServerCodec.encode(answer)
                    case .failure(let refusal): return ServerCodec.encode(refusal)
                    }
                case .userInfo(let accessToken):
                    guard let accessToken, let identity = try handler.userInfo(accessToken) else {
                        return ServerCodec.encode(.problem(401, .invalidToken))
                    }
                    return ServerCodec.encode(userInfo: identity)
                }
            }
        } catch .busy {
            throw ServiceBusy()
        } catch {
            return ServerCodec.encode(.problem(503, .storageUnavailable))
        }
    }

    /// Takes the oldest message that this process may deliver, `nil` when there is none. A message belongs to the process
    /// whose request caused it; after 10 seconds, or when that process is gone, to anybody. Waits for the file up to 5 s.
    public func nextMessage(now: ServiceClock = .wall()) throws(ServiceHostError) -> Message? {
        try hosted { open throws(DatabaseError) in
            let me = environment.process()
            let waiting = try open.database.rows(
                "SELECT position, email, code, pid, process_start, queued_at FROM outbox ORDER BY position", [])
            for row in waiting {
                guard let email = row[1].text, let code = row[2].text, let pid = row[3].integer,
                    let start = row[4].integer, let queuedAt = row[5].integer,
                    OutboxRules.mayTake(
                        queuedAt: queuedAt, by: ProcessIdentity(pid: pid, start: start), now: now.milliseconds, taker: me,
                        isAlive: environment.isAlive),
                    // Whoever removes it has it.
                    try open.database.run(
                        "DELETE FROM outbox WHERE position = $1 AND code = $2 AND email = $3",
                        [row[0], row[2], row[1]]) == 1
                else { continue }
                return Message(email: email, code: code)
            }
            return nil
        }
    }

    /// Ends every session of a user; the user stays. Waits for the file up to 5 s.
    public func endSessions(userId: String) throws(ServiceHostError) {
        let isKnown = try hosted { open throws(DatabaseError) in
            try open.database.transaction { () throws(DatabaseError) in
                guard try !open.database.rows(
                    "SELECT user_id FROM users WHERE user_id = $1 AND deleted_at IS NULL", [.text(userId)]
                ).isEmpty else { return false }
                try open.database.run(
                    "UPDATE sessions SET ended = 1 WHERE user_id = $1 AND ended = 0", [.text(userId)])
                return true
            }
        }
        if !isKnown { throw .notFound }
    }

    /// Deletes a user, account or guest; its address is free for a new account with another id. Waits for the file up to
    /// 5 s.
    public func deleteAccount(userId: String, now: ServiceClock = .wall()) throws(ServiceHostError) {
        let changed = try hosted { open throws(DatabaseError) in
            try open.database.run(
                "UPDATE users SET deleted_at = $1, email = NULL WHERE user_id = $2 AND deleted_at IS NULL",
                [.integer(now.milliseconds), .text(userId)])
        }
        if changed == 0 { throw .notFound }
    }

    /// Makes the next sign-in with that address end on a guest identity, once. Waits for the file up to 5 s.
    public func setGuestAccount(email: String) throws(ServiceHostError) {
        guard let address = EmailNormaliser.normalised(email) else { throw .invalidEmail }
        _ = try hosted { open throws(DatabaseError) in
            try open.database.run(
                "INSERT INTO guest_accounts (email) VALUES ($1) ON CONFLICT (email) DO NOTHING", [.text(address)])
        }
    }

    /// Commits of this value's connections, for counting.
    var commits: Int { answering.commits + hosting.commits }

    private func hosted<Value: Sendable>(
        _ body: (ServiceConnection.Open) throws(DatabaseError) -> Value
    ) throws(ServiceHostError) -> Value {
        do {
            return try hosting.use(body)
        } catch {
            switch error {
            case .busy:
                throw .storage(StorageFailure(.locked, "Another process holds the service's file for too long; try again."))
            case .failed(let failure): throw .storage(failure)
            }
        }
    }
}
