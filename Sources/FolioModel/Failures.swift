/// Why a file of the device could not be used.
public struct StorageFailure: Error, Hashable, Sendable {
    /// Raw values are the stable codes shown with the error.
    public enum Reason: String, Sendable {
        /// The directory or file cannot be opened, read or written (permissions, missing folder, a file in its place).
        case unavailable = "storage_unavailable"
        /// The disk or the file size limit is reached.
        case full = "storage_full"
        /// The file is damaged; it was left as it is.
        case damaged = "storage_damaged"
        /// The storage key does not open the file.
        case wrongKey = "storage_wrong_key"
        /// Another process holds a lock for too long.
        case locked = "storage_locked"
        /// Another process changed the session meanwhile.
        case superseded = "storage_superseded"
        /// One record cannot be opened.
        case recordDamaged = "record_damaged"
    }

    public let reason: Reason
    /// One line: what happened and what to do. Never holds a secret.
    public let message: String

    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

/// Why the service did not do what it was asked.
public struct ServiceFailure: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The service could not be reached, or its answer could not be understood as Folio's.
        case network
        /// The service refused, with an HTTP status and its code (an OAuth `error` or a problem's `code`).
        case refused(status: UInt16, code: String)
    }

    public let reason: Reason
    /// One line: what happened and what to do. Never holds a secret.
    public let message: String
    /// Milliseconds to wait before the next try (Retry-After); 0 when nothing was told.
    public let retryAfter: Int64
    /// Tries left for the code, told with a refused code; `nil` otherwise.
    public let triesLeft: Int32?
    /// Whether an OAuth `invalid_grant` refused a renewal: the one definite word that ends a session. `code` then tells
    /// the cause: `session_ended` or `account_deleted`.
    public let endsSession: Bool

    public init(
        reason: Reason, message: String, retryAfter: Int64 = 0, triesLeft: Int32? = nil, endsSession: Bool = false
    ) {
        self.reason = reason
        self.message = message
        self.retryAfter = retryAfter
        self.triesLeft = triesLeft
        self.endsSession = endsSession
    }

    public static let unreachable = ServiceFailure(
        reason: .network, message: "Folio cannot be reached; check the network connection and try again.")
}
