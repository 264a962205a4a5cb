/// Where the carry-over of guests' records to the current account stands.
public enum CarryOverState: Hashable, Sendable {
    case none
    case running(moved: Int64, total: Int64)
    case finished
    /// `retrying` says whether it will be tried again by itself.
    case failed(moved: Int64, total: Int64, error: StorageFailure, retrying: Bool)
}

/// What VaultStore reports.
public struct VaultState: Hashable, Sendable {
    /// The identity whose vault runs, `nil` while no vault can be used.
    public var userId: String?
    public var recordCount: Int64 = 0
    /// The bytes of all values together.
    public var bytes: Int64 = 0
    public var conflictCount: Int64 = 0
    public var carryOver: CarryOverState = .none

    public init() {}
}

public enum VaultAction: Int32, Sendable {
    case retryCarryOver = 1
}

/// The limits of the vault.
public enum VaultLimits {
    public static let keyBytes = 1...1_024
    public static let valueBytes = 0...16_777_216
    /// A carry-over or removal batch ends at whichever comes first.
    public static let batchRecords = 256
    public static let batchBytes = 1_048_576
    public static let pageRecords = 1...1_000
}

/// What the device knows of a vault without opening values.
public struct VaultSummary: Hashable, Sendable {
    public var recordCount: Int64
    public var bytes: Int64
    public var conflictCount: Int64
    /// How many guests wait to be carried over to this vault.
    public var waitingGuests: Int64
    /// Records moved and records to move, added up over the waiting guests.
    public var moved: Int64
    public var total: Int64

    public init(
        recordCount: Int64 = 0, bytes: Int64 = 0, conflictCount: Int64 = 0,
        waitingGuests: Int64 = 0, moved: Int64 = 0, total: Int64 = 0
    ) {
        self.recordCount = recordCount
        self.bytes = bytes
        self.conflictCount = conflictCount
        self.waitingGuests = waitingGuests
        self.moved = moved
        self.total = total
    }
}

/// What is known of one key in a carry-over batch; the rules decide on this and never see a value.
public struct CarryOverRecord: Hashable, Sendable {
    public var key: String
    public var guestModifiedAt: Int64
    /// `nil` when the account has no such key.
    public var accountModifiedAt: Int64?
    /// Whether both values are the same bytes; false when the account has no such key.
    public var valuesAreEqual: Bool
    /// Whether the account deleted the key while the carry-over waited.
    public var deletedByAccount: Bool
    /// Whether the guest's value cannot be opened.
    public var isDamaged: Bool

    public init(
        key: String, guestModifiedAt: Int64, accountModifiedAt: Int64? = nil, valuesAreEqual: Bool = false,
        deletedByAccount: Bool = false, isDamaged: Bool = false
    ) {
        self.key = key
        self.guestModifiedAt = guestModifiedAt
        self.accountModifiedAt = accountModifiedAt
        self.valuesAreEqual = valuesAreEqual
        self.deletedByAccount = deletedByAccount
        self.isDamaged = isDamaged
    }
}

/// What becomes of one key in a carry-over batch.
public enum CarryOverDecision: Hashable, Sendable {
    /// The account gets the guest's value; there is nothing to keep beside it.
    case takeGuest
    /// The account gets the guest's value; its own becomes a conflict copy.
    case takeGuestKeepAccountCopy
    /// The account keeps what it has; the guest's value is the same.
    case keepAccount
    /// The account keeps what it has (or has no such key); the guest's value becomes a conflict copy.
    case keepAccountKeepGuestCopy
    /// The guest's record stays where it is: it cannot be opened.
    case leave
}

/// What one carry-over batch did.
public enum CarryOverStep: Hashable, Sendable {
    /// More batches follow.
    case more(VaultSummary)
    /// Every waiting guest of this account has been carried over and its copy removed.
    case finished(VaultSummary)
    /// Everything that can be opened has been moved; the rest stays with the guest.
    case damaged(VaultSummary)
    /// The account is no longer the current identity.
    case notCurrent
}
