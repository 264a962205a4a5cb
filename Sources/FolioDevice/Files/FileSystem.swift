import FolioModel
import Glibc

/// Small steps on files that are not open in SQLite.
enum FileSystem {
    /// The size of a regular file, `nil` when there is none. Only `stat`: closing a descriptor of a database file would
    /// drop SQLite's locks on it.
    static func size(of path: String) throws(StorageFailure) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .fromErrno(errno, "\(name(path)) cannot be examined")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StorageFailure(.unavailable, "\(name(path)) in the data directory is not a file; remove it and try again.")
        }
        return Int64(status.st_size)
    }

    /// Makes a new file with mode 0600, whatever the umask is, holding `bytes` on the disk.
    static func create(_ path: String, holding bytes: [UInt8] = []) throws(StorageFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .fromErrno(errno, "\(name(path)) cannot be made") }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw .fromErrno(errno, "\(name(path)) cannot be made") }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .fromErrno(errno, "\(name(path)) cannot be written")
            }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw .fromErrno(errno, "\(name(path)) cannot be written") }
    }

    /// The content of a small file, `nil` when there is none; reads at most `limit` bytes.
    static func read(_ path: String, limit: Int) throws(StorageFailure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .fromErrno(errno, "\(name(path)) cannot be opened")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            let count = bytes[filled...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw .fromErrno(errno, "\(name(path)) cannot be read")
            }
            filled += count
        }
        return Array(bytes[..<filled])
    }

    /// Brings a file that no connection has open to the disk.
    static func syncFile(_ path: String) throws(StorageFailure) { try sync(path, O_RDWR) }

    static func syncDirectory(_ path: String) throws(StorageFailure) { try sync(path, O_RDONLY | O_DIRECTORY) }

    static func rename(_ from: String, to: String) throws(StorageFailure) {
        guard Glibc.rename(from, to) == 0 else { throw .fromErrno(errno, "\(name(to)) cannot be put in place") }
    }

    static func remove(_ path: String) throws(StorageFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .fromErrno(errno, "\(name(path)) cannot be removed") }
    }

    private static func sync(_ path: String, _ flags: Int32) throws(StorageFailure) {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw .fromErrno(errno, "\(name(path)) cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .fromErrno(errno, "\(name(path)) cannot be written") }
    }

    private static func name(_ path: String) -> Substring { path.split(separator: "/").last ?? path[...] }
}

extension StorageFailure {
    static func fromErrno(_ code: Int32, _ what: String) -> StorageFailure {
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            StorageFailure(.full, "\(what): the disk or a file size limit is full. Make room and try again.")
        default:
            StorageFailure(.unavailable, "\(what): \(String(cString: strerror(code))).")
        }
    }
}
