import FolioMachine
import Glibc

typealias RuntimeId = UInt64

/// The one thread that works for every runtime of the process. It owns their cores, waits for its mailbox and its timers
/// and for nothing else, blocks all signals, and never calls host code.
final class Loop: Sendable {
    static let shared = Loop()

    enum Message: Sendable {
        case open(RuntimeSeed)
        case event(RuntimeId, RuntimeEvent)
        case close(RuntimeId)
    }

    private struct Mailbox {
        var messages: [Message] = []
        var threadRuns = false
        var lastRuntime: RuntimeId = 0
    }

    private let mailbox = Monitor(Mailbox())

    /// A sleep is never longer, so that a timer that sleep of the machine made late is seen (milliseconds).
    private static let longestWait: Int64 = 60_000

    func newRuntimeId() -> RuntimeId {
        mailbox.withLock {
            $0.lastRuntime &+= 1
            return $0.lastRuntime
        }
    }

    /// Hands a message over, in order. Starts the thread at the first.
    func post(_ message: Message) throws(FolioError) {
        try mailbox.withLock { (mailbox) throws(FolioError) in
            if !mailbox.threadRuns {
                try startThread()
                mailbox.threadRuns = true
            }
            mailbox.messages.append(message)
        }
        mailbox.wakeAll()
    }

    /// As `post` where the thread runs already.
    func send(_ message: Message) { try? post(message) }

    private func startThread() throws(FolioError) {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // The new thread inherits the mask, so no signal handler of the host ever runs on it.
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let outcome = pthread_create(&thread, &attributes, { _ in
            Loop.shared.run()
            return nil
        }, nil)
        guard outcome == 0 else {
            throw FolioError(.internal, "No thread could be started; end other threads or raise the limit and try again.")
        }
    }

    private func run() {
        let agenda = Agenda()
        var cores: [RuntimeId: RuntimeCore] = [:]
        while true {
            for message in takeMessages(agenda) { agenda.turns.append(message) }
            agenda.fireTimers(upTo: Clock.now(), cores)
            // One turn, then another look at the mailbox, so that no runtime keeps the others waiting.
            guard let message = agenda.turns.popFirst() else { continue }
            switch message {
            case .open(let seed):
                let core = RuntimeCore(seed, agenda)
                cores[seed.id] = core
                core.begin()
            case .event(let id, let event): cores[id]?.take(event)
            case .close(let id): cores.removeValue(forKey: id)?.close()
            }
        }
    }

    /// Waits for messages unless a turn waits already.
    private func takeMessages(_ agenda: Agenda) -> [Message] {
        let hasTurns = !agenda.turns.isEmpty
        var deadline = Clock.monotonic() + Self.longestWait
        if hasTurns {
            deadline = .min
        } else if let next = agenda.nextTimer {
            let delay = min(max(next - Clock.now(), 0), Self.longestWait)
            deadline = Clock.monotonic() + delay
        }
        return mailbox.wait(until: deadline) { mailbox -> [Message]? in
            guard !mailbox.messages.isEmpty else { return nil }
            defer { mailbox.messages.removeAll(keepingCapacity: true) }
            return mailbox.messages
        } ?? []
    }
}

/// What the loop has to do next: turns of its runtimes, and timers. Only the loop thread has it.
final class Agenda {
    var turns = Queue<Loop.Message>()
    private var timers = TimerHeap()
    private var lastSequence: UInt64 = 0

    var nextTimer: Int64? { timers.next?.at }

    /// - Returns: The sequence that tells this setting of the timer from older ones.
    func setTimer(_ timer: CoreTimer, of runtime: RuntimeId, at: Int64) -> UInt64 {
        lastSequence &+= 1
        timers.insert(.init(at: at, sequence: lastSequence, runtime: runtime, timer: timer))
        return lastSequence
    }

    func fireTimers(upTo now: Int64, _ cores: [RuntimeId: RuntimeCore]) {
        while let next = timers.next, next.at <= now, let entry = timers.popFirst() {
            cores[entry.runtime]?.timerFired(entry.timer, sequence: entry.sequence)
        }
    }
}
