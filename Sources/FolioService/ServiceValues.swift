public import FolioModel
import Glibc

/// The wall clock's time as the service takes it: one instant a request.
public struct ServiceClock: Hashable, Sendable {
    /// Since 1970.
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Now, as the machine's wall clock has it.
    public static func wall() -> ServiceClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return ServiceClock(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// A message that the service's host is to deliver.
public struct Message: Hashable, Sendable {
    /// The normalised address.
    public let email: String
    /// Six digits.
    public let code: String

    public init(email: String, code: String) {
        self.email = email
        self.code = code
    }
}

/// The service's file is in use right now; nothing changed, try again shortly.
public struct ServiceBusy: Error, Hashable, Sendable {
    public init() {}
}

/// Why a call of the service's host failed.
public enum ServiceHostError: Error, Hashable, Sendable {
    /// There is no such user, or it was deleted.
    case notFound
    case invalidEmail
    case storage(StorageFailure)
}
