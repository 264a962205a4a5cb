import Glibc

/// A write beyond RLIMIT_FSIZE raises SIGXFSZ, which would end the host; here it is an error like a full disk.
enum FileSizeSignal {
    static func blocked<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        var signals = sigset_t()
        var before = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        // A host that blocks it itself keeps what is pending.
        guard sigismember(&before, SIGXFSZ) == 0 else { return try body() }
        defer {
            var pending = sigset_t()
            if sigpending(&pending) == 0, sigismember(&pending, SIGXFSZ) == 1 {
                var atOnce = timespec()
                sigtimedwait(&signals, nil, &atOnce)
            }
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        return try body()
    }
}
