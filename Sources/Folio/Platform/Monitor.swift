import Glibc

/// State behind a mutex, with a condition variable to wait on. Host code never runs while it is held.
///
/// Lock order of the process, outermost first: the handle table of the C interface, `Fork.descriptors`,
/// `DirectoryRegistry`, a runtime's `Delivery`, the `Loop`'s mailbox. A thread takes a lock only when it holds none that
/// stands after it.
///
/// `@unchecked Sendable`: `state` is reached only between `pthread_mutex_lock` and `pthread_mutex_unlock` of `mutex`.
final class Monitor<State>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    init(_ state: sending State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Takes the lock without a scope: only for the handlers around `fork`.
    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }

    /// Reaches the state while the calling thread holds the lock by `lock()`.
    func withHeldLock(_ body: (inout State) -> Void) { body(&state) }

    /// Wakes every thread in `wait`.
    func wakeAll() { pthread_cond_broadcast(condition) }

    /// Runs `body` under the lock until it gives a value, waiting in between; `nil` when `deadline` (milliseconds of
    /// `Clock.monotonic`, `nil` for none) has passed.
    func wait<Result>(until deadline: Int64?, _ body: (inout State) -> Result?) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            guard let deadline else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            guard Clock.monotonic() < deadline else { return nil }
            var time = timespec(tv_sec: Int(deadline / 1_000), tv_nsec: Int(deadline % 1_000) * 1_000_000)
            pthread_cond_timedwait(condition, mutex, &time)
        }
    }
}
