import Glibc

/// Whether the calling thread is inside a dispatch, of whichever runtime: there nothing may block or dispatch again.
enum DispatchDepth {
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    static var isInside: Bool {
        guard let key else { return false }
        return pthread_getspecific(key) != nil
    }

    static func enter() {
        guard let key else { return }
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
    }

    static func leave() {
        guard let key else { return }
        pthread_setspecific(key, nil)
    }
}
