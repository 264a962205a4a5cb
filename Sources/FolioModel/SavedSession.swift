/// The tokens of a session, with what is needed to count their life on this device.
public struct SessionTokens: Hashable, Sendable, Codable {
    public var accessToken: String
    public var refreshToken: String
    /// Life in milliseconds, counted from `receivedAt`.
    public var life: Int64
    /// When they were received: milliseconds on the clock that counts sleep.
    public var receivedAt: Int64
    /// The boot that clock belongs to; after another boot the age is unknown.
    public var bootId: String
    /// The id of the renewal that will replace them, stored with them so that a lost answer can be asked for again.
    public var renewalId: String

    public init(accessToken: String, refreshToken: String, life: Int64, receivedAt: Int64, bootId: String, renewalId: String) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.life = life
        self.receivedAt = receivedAt
        self.bootId = bootId
        self.renewalId = renewalId
    }
}

/// The session as it is saved on the device. `identity` is never `.unresolved`; `tokens` are `nil` while a guest's
/// ended session is being replaced.
public struct SavedSession: Hashable, Sendable, Codable {
    public var identity: Identity
    public var tokens: SessionTokens?

    public init(identity: Identity, tokens: SessionTokens?) {
        self.identity = identity
        self.tokens = tokens
    }
}

/// What a procedure wrote down before its first step, so that a process that dies is followed by one that goes on.
public enum Intent: Hashable, Sendable, Codable {
    /// No session: a guest is to be created with this request id.
    case createGuest(requestId: String)
    /// The saved session is to be signed out.
    case signOut
    /// The new session is to become the current one.
    case switchSession(to: SavedSession)
    /// The saved guest needs a new session; `endedToken` proves to the service which guest it was.
    case replaceGuest(requestId: String, endedToken: String)
}

/// The tokens of a session that is over on this device and still to be revoked at the service.
public struct Revocation: Hashable, Sendable {
    public let id: Int64
    public let refreshToken: String

    public init(id: Int64, refreshToken: String) {
        self.id = id
        self.refreshToken = refreshToken
    }
}

/// What the device file says, read in one piece.
public struct DeviceSnapshot: Hashable, Sendable {
    public var deviceId: String
    /// Grows with every change of session, tokens or intent; a write gives up when it is not the expected one.
    public var generation: Int64
    public var notice: SessionNoticeReason?
    public var session: SavedSession?
    public var intent: Intent?
    public var revocations: [Revocation]
    /// Vaults marked dead whose records are still to be removed.
    public var hasDeadVaults: Bool

    public init(
        deviceId: String, generation: Int64, notice: SessionNoticeReason?, session: SavedSession?, intent: Intent?,
        revocations: [Revocation], hasDeadVaults: Bool
    ) {
        self.deviceId = deviceId
        self.generation = generation
        self.notice = notice
        self.session = session
        self.intent = intent
        self.revocations = revocations
        self.hasDeadVaults = hasDeadVaults
    }
}

/// One commit of the device file. Each is atomic and checks the generation it began with.
public enum DeviceWrite: Hashable, Sendable {
    /// Writes down an intent and changes nothing else.
    case setIntent(Intent)
    /// Ends the saved session: session and tokens go, `intent` (always a guest creation) takes the place of the old
    /// intent, and the notice becomes `notice` when that is not `nil`.
    /// The vault: of an account it stays, unless `vaultIsDead`; of a guest it is marked dead unless a carry-over of it waits.
    case endSession(intent: Intent, notice: SessionNoticeReason?, vaultIsDead: Bool)
    /// A guest's ended tokens go, the identity stays, the intent is written.
    case beginReplaceGuest(Intent)
    /// A first guest, or the guest after a sign-out, becomes the saved session; its vault is made; the intent goes.
    case adoptGuest(SavedSession)
    /// The guest's new session is saved; with another user id the guest's vault changes owner; the intent goes.
    case replaceGuest(SavedSession)
    /// The new session becomes current; its vault is made when missing; when the saved identity is a guest and another
    /// user, a carry-over of its vault is written; the saved session moves to the revocations; the intent goes.
    /// `clearNotice` when the new identity is an account.
    case completeSwitch(to: SavedSession, clearNotice: Bool)
    /// The new session of the switch moves to the revocations; the intent goes; the saved session stays.
    case abandonSwitch(SavedSession)
    /// Renewed tokens take the place of the old ones.
    case renewTokens(SessionTokens)

    /// Whether tokens leave the file, so that the WAL must be truncated after the commit.
    public var removesTokens: Bool {
        switch self {
        case .setIntent: false
        case .endSession, .beginReplaceGuest, .adoptGuest, .replaceGuest, .completeSwitch, .abandonSwitch, .renewTokens: true
        }
    }
}
