/// Whether a core is gone, for those who wait for it.
final class Closing: Sendable {
    private let isFinished = Monitor(false)

    func finish() {
        isFinished.withLock { $0 = true }
        isFinished.wakeAll()
    }

    func wait() { _ = isFinished.wait(until: nil) { $0 ? true : nil } }
}
