import Synchronization

/// Tells the loop that vault calls have changed records, once until it has read the counts.
final class VaultChange: Sendable {
    private let isReported = Atomic<Bool>(false)
    private let id: RuntimeId

    init(_ id: RuntimeId) { self.id = id }

    func report() {
        guard !isReported.load(ordering: .relaxed), !isReported.exchange(true, ordering: .acquiringAndReleasing) else {
            return
        }
        Loop.shared.send(.event(id, .vaultChanged))
    }

    /// Called before the counts are read, so that a later change is reported again.
    func reportIsRead() { isReported.store(false, ordering: .releasing) }
}
