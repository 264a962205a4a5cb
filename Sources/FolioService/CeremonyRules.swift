import FolioModel
import FolioWire

/// The rules of sign-in codes. Times are wall clock milliseconds.
enum CeremonyRules {
    static let codeLife: Int64 = 600_000
    static let maximumTries: Int64 = 5
    static let startsPerWindow = 3
    static let window: Int64 = 60_000
    /// Ceremonies are kept this long to tell a used code from an expired one.
    static let memory: Int64 = 86_400_000

    /// How long to wait before the next code may be asked for, given when those of an address were, completed
    /// sign-ins left out. Starts ahead of a clock that was set back count for one window at most.
    static func wait(afterStarts starts: [Int64], now: Int64) -> Int64 {
        let recent = starts.filter { $0 > now.subtractingClamped(window) && $0 < now.addingClamped(window) }.sorted(by: >)
        guard recent.count >= startsPerWindow else { return 0 }
        return recent[startsPerWindow - 1].addingClamped(window).subtractingClamped(now)
    }

    /// Whole seconds that are not shorter.
    static func seconds(_ milliseconds: Int64) -> Int64 { max(milliseconds, 0).addingClamped(999) / 1_000 }

    enum State: String {
        case open, used, blocked
        /// A newer code was sent to the address.
        case replaced
    }

    enum Verdict: Equatable {
        case accepted
        case wrong(triesLeft: Int64)
        /// This was the last try.
        case blocked
        /// Decided before; no try is counted.
        case refused(ServiceCode)
    }

    static func verdict(state: State, createdAt: Int64, tries: Int64, codeMatches: Bool, now: Int64) -> Verdict {
        switch state {
        case .used: return .refused(.codeUsed)
        case .blocked: return .refused(.tooManyTries)
        case .replaced: return .refused(.codeExpired)
        case .open: break
        }
        // A clock that was set back must not make a code live on.
        guard now < createdAt.addingClamped(codeLife), now > createdAt.subtractingClamped(window) else { return .refused(.codeExpired) }
        if codeMatches { return .accepted }
        let left = (maximumTries - 1).subtractingClamped(tries)
        return left > 0 ? .wrong(triesLeft: left) : .blocked
    }
}
