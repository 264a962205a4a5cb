import Glibc
import Synchronization

/// What holds in a child of `fork`: a runtime's threads are gone there, so nothing of it may be used.
///
/// The handlers are registered with the first runtime; a process that forked before is not affected.
public enum Fork {
    private static let flag = Atomic<Bool>(false)
    private static let isInstalled = Atomic<Bool>(false)
    /// Descriptors the child must not keep: the process locks and the event sockets.
    private static let descriptors = Monitor(Set<Int32>())
    /// Locks that functions which work in the child use; taken before `descriptors`.
    private static let registeredLocks = Monitor([(lock: @Sendable () -> Void, unlock: @Sendable () -> Void)]())

    /// Whether this process is a forked child of one that had made a runtime. Any thread; one relaxed load.
    public static var isChild: Bool { flag.load(ordering: .relaxed) }

    /// Registers a lock that is taken around every `fork`, so that the child finds it free. `lock` and `unlock` are
    /// kept for the life of the process.
    public static func registerLock(lock: @escaping @Sendable () -> Void, unlock: @escaping @Sendable () -> Void) {
        registeredLocks.withLock { $0.append((lock, unlock)) }
    }

    static func install() {
        guard !isInstalled.exchange(true, ordering: .relaxed) else { return }
        pthread_atfork({ Fork.prepare() }, { Fork.release() }, { Fork.enterChild() })
    }

    static func add(_ descriptor: Int32) { _ = descriptors.withLock { $0.insert(descriptor) } }

    /// Closes a descriptor that was added; in one step, so that no child closes another file of the same number.
    static func close(_ descriptor: Int32) {
        descriptors.withLock {
            $0.remove(descriptor)
            _ = Glibc.close(descriptor)
        }
    }

    private static func prepare() {
        registeredLocks.lock()
        forEachRegisteredLock { $0.lock() }
        descriptors.lock()
    }

    private static func release() {
        descriptors.unlock()
        forEachRegisteredLock { $0.unlock() }
        registeredLocks.unlock()
    }

    private static func enterChild() {
        flag.store(true, ordering: .relaxed)
        // Closing the child's copies leaves the parent's locks in place: flock belongs to the open file.
        descriptors.withHeldLock { held in
            for descriptor in held { _ = Glibc.close(descriptor) }
            held.removeAll()
        }
        release()
    }

    private static func forEachRegisteredLock(_ body: ((lock: @Sendable () -> Void, unlock: @Sendable () -> Void)) -> Void) {
        registeredLocks.withHeldLock { $0.forEach(body) }
    }
}
