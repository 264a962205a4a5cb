/// A request to the service, as the rules ask for it.
public enum ServiceRequest: Hashable, Sendable {
    /// A session for a guest of this device. `requestId` is client-chosen and makes it safe to ask again. With
    /// `endedToken`, the refresh token of the guest's ended session, the same user is asked for again.
    case createGuest(deviceId: String, requestId: String, endedToken: String?)
    /// Starts the e-mail-code ceremony; the service sends a code.
    case startCeremony(email: String)
    /// Answers the ceremony's code; grants a session.
    case verifyCode(ceremonyId: String, code: String, deviceId: String)
    /// Renews a session's tokens; asked again with the same id it answers the same.
    case renew(refreshToken: String, renewalId: String)
    /// Ends a session.
    case revoke(refreshToken: String)
}

/// What the service answered.
public enum ServiceAnswer: Hashable, Sendable {
    case granted(Grant)
    case ceremony(CeremonyStarted)
    case revoked
}

/// A session as the service grants it.
public struct Grant: Hashable, Sendable {
    public var identity: Identity
    public var accessToken: String
    public var refreshToken: String
    /// Seconds; 0 or less and absent are taken as unknown and given as 3,600 by the decoder.
    public var expiresIn: Int64

    public init(identity: Identity, accessToken: String, refreshToken: String, expiresIn: Int64) {
        self.identity = identity
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
    }
}

/// A ceremony the service has started.
public struct CeremonyStarted: Hashable, Sendable {
    public var ceremonyId: String
    /// Seconds until the code expires.
    public var expiresIn: Int64
    /// Seconds until a new code may be asked for.
    public var resendIn: Int64
    public var triesLeft: Int32

    public init(ceremonyId: String, expiresIn: Int64, resendIn: Int64, triesLeft: Int32) {
        self.ceremonyId = ceremonyId
        self.expiresIn = expiresIn
        self.resendIn = resendIn
        self.triesLeft = triesLeft
    }
}
