import FolioModel
import FolioWire

/// The rules of renewing a session.
enum TokenRules {
    /// Ten years in seconds, so that no life overflows a clock.
    static let maximumLife: Int64 = 315_360_000
    /// Rotated tokens are remembered this long, in milliseconds, to notice that one is used again.
    static let memory: Int64 = 90 * 86_400_000

    enum Verdict: Equatable {
        case renew
        /// The same request once more: the same answer. `isCurrent` while nothing came after it.
        case sameAnswer(isCurrent: Bool)
        /// A rotated token in another renewal: the session ends.
        case reuse
        case refused(ServiceCode)
    }

    static func verdict(
        userIsDeleted: Bool, sessionIsEnded: Bool, tokenIsCurrent: Bool, renewalIsSame: Bool, successorIsCurrent: Bool
    ) -> Verdict {
        if userIsDeleted { return .refused(.accountDeleted) }
        if sessionIsEnded { return .refused(.sessionEnded) }
        if tokenIsCurrent { return .renew }
        return renewalIsSame ? .sameAnswer(isCurrent: successorIsCurrent) : .reuse
    }
}

/// The rules of the outbox.
enum OutboxRules {
    /// Milliseconds after which a message is anybody's.
    static let ownersTime: Int64 = 10_000

    static func mayTake(
        queuedAt: Int64, by owner: ProcessIdentity, now: Int64, taker: ProcessIdentity, isAlive: (ProcessIdentity) -> Bool
    ) -> Bool {
        // A message from ahead of the clock has waited for an unknown time.
        owner == taker || now.subtractingClamped(queuedAt) > ownersTime || queuedAt.subtractingClamped(now) > ownersTime || !isAlive(owner)
    }
}
