public import FolioModel

/// The rules of equal keys and deletions in a carry-over.
public enum CarryOverRules {
    /// The newest value wins, at equal times the account's; the losing value is kept unless both are the same. A key
    /// that the account deleted meanwhile is not brought back.
    public static func decide(_ record: CarryOverRecord) -> CarryOverDecision {
        if record.isDamaged { return .leave }
        guard let accountModifiedAt = record.accountModifiedAt else {
            return record.deletedByAccount ? .keepAccountKeepGuestCopy : .takeGuest
        }
        if record.valuesAreEqual { return record.guestModifiedAt > accountModifiedAt ? .takeGuest : .keepAccount }
        return record.guestModifiedAt > accountModifiedAt ? .takeGuestKeepAccountCopy : .keepAccountKeepGuestCopy
    }
}
