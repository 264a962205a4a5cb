/// The identity the runtime acts for (RuntimeIdentity).
public enum Identity: Hashable, Sendable, Codable {
    /// Not read yet, or signed out without a new guest.
    case unresolved
    /// A guest, or a guest account a person signed in to.
    case transient(userId: String)
    /// An account a person signed in to.
    case authenticated(userId: String, email: String)

    /// The user id, `nil` while unresolved.
    public var userId: String? {
        switch self {
        case .unresolved: nil
        case .transient(let userId), .authenticated(let userId, _): userId
        }
    }

    /// The address of an account, `nil` otherwise.
    public var email: String? {
        guard case .authenticated(_, let email) = self else { return nil }
        return email
    }

    public var isAccount: Bool {
        guard case .authenticated = self else { return false }
        return true
    }
}
