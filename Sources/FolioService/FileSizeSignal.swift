import Glibc

/// Runs `body` with SIGXFSZ blocked on this thread: a write past the file size limit is then an error and no death.
func withFileSizeSignalBlocked<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    var signals = sigset_t()
    var before = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer {
        if sigismember(&before, SIGXFSZ) == 0 {
            // Taken before it is let through again.
            var noTime = timespec()
            sigtimedwait(&signals, nil, &noTime)
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
    }
    return try body()
}
