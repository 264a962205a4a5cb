import Glibc

/// The runtime's socketpair: one end is written when events begin to wait, duplicates of the other are watched by the
/// host. Guarded by the lock of the runtime's delivery.
struct EventSignal {
    private let readEnd: Int32
    private let writeEnd: Int32
    private var isRaised = false

    init() throws(FolioError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Self.noDescriptor }
        readEnd = ends[0]
        writeEnd = ends[1]
        Fork.add(readEnd)
        Fork.add(writeEnd)
    }

    private static let noDescriptor = FolioError(
        .internal, "No descriptor could be made; close files or raise the limit of open files and try again.")

    /// A close-on-exec duplicate of the read end, for the caller to own.
    func duplicate() throws(FolioError) -> Int32 {
        let descriptor = fcntl(readEnd, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw Self.noDescriptor }
        return descriptor
    }

    mutating func raise() {
        guard !isRaised else { return }
        isRaised = true
        var byte: UInt8 = 1
        _ = send(writeEnd, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// Empties the stream; a reader may already have taken the byte.
    mutating func lower() {
        guard isRaised else { return }
        isRaised = false
        var bytes: (UInt64, UInt64) = (0, 0)
        while read(readEnd, &bytes, 16) > 0 {}
    }

    /// The watchers' duplicates come to end-of-file.
    func close() {
        Fork.close(writeEnd)
        Fork.close(readEnd)
    }
}
