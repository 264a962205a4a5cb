/// The tables of folio.sqlite. `format` is stored as `user_version`; another one is not opened.
enum DeviceSchema {
    static let format: Int64 = 1

    // Small columns stand before sealed ones, so that they are read without the pages of a long value.
    // Keys are blobs: they compare as bytes. Ids that other rows or hosts keep are never used again (AUTOINCREMENT).
    static let tables = """
        CREATE TABLE device (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            device_id TEXT NOT NULL,
            key_check BLOB NOT NULL,
            generation INTEGER NOT NULL,
            user_id TEXT,
            state BLOB NOT NULL
        );
        CREATE TABLE revocation (id INTEGER PRIMARY KEY AUTOINCREMENT, token BLOB NOT NULL);
        CREATE TABLE vault (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            vault_id BLOB NOT NULL,
            owner TEXT NOT NULL,
            owner_tag BLOB NOT NULL,
            record_count INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0,
            conflict_count INTEGER NOT NULL DEFAULT 0,
            dead INTEGER NOT NULL DEFAULT 0
        );
        CREATE UNIQUE INDEX vault_of_owner ON vault (owner) WHERE dead = 0;
        CREATE TABLE record (
            vault INTEGER NOT NULL,
            key BLOB NOT NULL,
            modified_at INTEGER NOT NULL,
            size INTEGER NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (vault, key)
        ) WITHOUT ROWID;
        CREATE TABLE conflict (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            vault INTEGER NOT NULL,
            carry_over INTEGER NOT NULL,
            key BLOB NOT NULL,
            modified_at INTEGER NOT NULL,
            size INTEGER NOT NULL,
            value BLOB NOT NULL
        );
        CREATE INDEX conflict_of_vault ON conflict (vault);
        CREATE INDEX conflict_of_key ON conflict (vault, key);
        CREATE TABLE carry_over (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            guest_vault INTEGER NOT NULL UNIQUE,
            account TEXT NOT NULL,
            tag BLOB NOT NULL,
            phase INTEGER NOT NULL DEFAULT 0,
            cursor,
            moved INTEGER NOT NULL DEFAULT 0,
            total INTEGER NOT NULL,
            damaged INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE deletion (vault INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (vault, key)) WITHOUT ROWID;
        CREATE TABLE left_record (vault INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (vault, key)) WITHOUT ROWID;
        """
}
