/// The tables of the service.
enum ServiceSchema {
    static let version: Int64 = 1

    static let statements = [
        // The key of every keyed hash; made with the tables, never changed.
        "CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
        // A deleted user keeps its row, so that its sessions can tell why they ended.
        """
        CREATE TABLE users (user_id TEXT PRIMARY KEY, kind TEXT NOT NULL, email TEXT UNIQUE,
            created_at BIGINT NOT NULL, deleted_at BIGINT)
        """,
        // A revoked or reused session has no row. `ended` is 1 when the host ended it.
        """
        CREATE TABLE sessions (session_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, device_id TEXT NOT NULL,
            refresh_hash TEXT NOT NULL, access_hash TEXT NOT NULL, access_expires_at BIGINT NOT NULL,
            ended BIGINT NOT NULL, created_at BIGINT NOT NULL)
        """,
        "CREATE INDEX sessions_of_user ON sessions (user_id)",
        "CREATE UNIQUE INDEX session_of_access_token ON sessions (access_hash)",
        // Every refresh token of a session; a rotated one knows its renewal and its successor.
        """
        CREATE TABLE refresh_tokens (hash TEXT PRIMARY KEY, session_id TEXT NOT NULL, renewal_hash TEXT,
            successor_hash TEXT, rotated_at BIGINT)
        """,
        "CREATE INDEX tokens_of_session ON refresh_tokens (session_id)",
        "CREATE TABLE guest_requests (request_hash TEXT PRIMARY KEY, session_id TEXT NOT NULL)",
        "CREATE INDEX request_of_session ON guest_requests (session_id)",
        """
        CREATE TABLE ceremonies (ceremony_id TEXT PRIMARY KEY, email TEXT NOT NULL, code_hash TEXT NOT NULL,
            state TEXT NOT NULL, created_at BIGINT NOT NULL, tries BIGINT NOT NULL)
        """,
        "CREATE INDEX ceremonies_of_address ON ceremonies (email)",
        """
        CREATE TABLE outbox (position BIGINT PRIMARY KEY, email TEXT NOT NULL, code TEXT NOT NULL, pid BIGINT NOT NULL,
            process_start BIGINT NOT NULL, queued_at BIGINT NOT NULL)
        """,
        "CREATE TABLE guest_accounts (email TEXT PRIMARY KEY)",
    ]

    static let insertSecret = "INSERT INTO secrets (name, value) VALUES ('hash_key', $1)"
    static let selectSecret = "SELECT value FROM secrets WHERE name = 'hash_key'"
}
