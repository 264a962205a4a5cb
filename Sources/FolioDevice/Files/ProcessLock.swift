public import FolioModel
import Glibc

/// The lock of a data directory between processes. The kernel releases it when its holder dies.
///
/// Used by one thread. `flock` belongs to the open file: a forked child must close its copy of `descriptor`.
public final class ProcessLock {
    private let path: String
    private let opened: (Int32) -> Void
    private let closing: (Int32) -> Void
    /// The open lock file, `nil` before the first try.
    public private(set) var descriptor: Int32?
    public private(set) var isHeld = false

    /// `registerDescriptor` is told of the descriptor when it has been opened; `closeDescriptor` must close it (by default it
    /// is just closed).
    public init(
        directory: DirectoryIdentity,
        registerDescriptor: @escaping (Int32) -> Void = { _ in },
        closeDescriptor: ((Int32) -> Void)? = nil
    ) {
        path = directory.path(of: "folio.lock")
        opened = registerDescriptor
        closing = closeDescriptor ?? { close($0) }
    }

    deinit {
        if let descriptor { closing(descriptor) }
    }

    /// Whether this object holds the lock now. Never waits.
    public func tryLock() throws(StorageFailure) -> Bool {
        if isHeld { return true }
        let descriptor = try openedDescriptor()
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw .fromErrno(errno, "The data directory cannot be locked") }
        }
        isHeld = true
        return true
    }

    public func unlock() {
        guard isHeld, let descriptor else { return }
        flock(descriptor, LOCK_UN)
        isHeld = false
    }

    private func openedDescriptor() throws(StorageFailure) -> Int32 {
        if let descriptor { return descriptor }
        let new = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard new >= 0 else { throw .fromErrno(errno, "folio.lock cannot be opened") }
        fchmod(new, 0o600)
        descriptor = new
        opened(new)
        return new
    }
}
