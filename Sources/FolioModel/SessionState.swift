/// Whether the services that belong to the identity run.
public enum SessionStatus: Int32, Sendable, Codable {
    case device = 1
    case activating = 2
    case active = 3
    case deactivating = 4
}

/// Why an account's session ended although the application did not sign out.
public enum SessionNoticeReason: Int32, Sendable, Codable {
    case sessionEnded = 1
}

/// What SessionStore reports (SessionUiModel). The initial value is the default before the first read.
public struct SessionState: Hashable, Sendable {
    public var identity: Identity = .unresolved
    public var status: SessionStatus = .device
    public var notice: SessionNoticeReason?
    /// Made once per data directory; survives a sign-out.
    public var deviceId: String?
    public var signingOut = false
    public var error: SessionStartError?

    public init() {}
}

public enum SessionAction: Int32, Sendable {
    case signOut = 1
    case dismissNotice = 2
}
