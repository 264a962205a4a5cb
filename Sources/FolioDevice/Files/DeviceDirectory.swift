public import FolioModel
import Glibc

/// A data directory, the same one when device and inode are the same.
public struct DirectoryIdentity: Hashable, Sendable {
    /// The canonical path.
    public let path: String
    public let device: UInt64
    public let inode: UInt64

    public static func == (left: DirectoryIdentity, right: DirectoryIdentity) -> Bool {
        left.device == right.device && left.inode == right.inode
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(inode)
    }

    func path(of name: String) -> String { path + "/" + name }
}

public enum DeviceDirectory {
    /// Makes the directory (and missing parents) with mode 0700 when it does not exist, and tells which one it is.
    /// Any thread. Fails with `.unavailable` or `.full`.
    public static func prepare(_ path: String) throws(StorageFailure) -> DirectoryIdentity {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StorageFailure(.unavailable, "The data directory has no valid path.")
        }
        try make(path[...])
        guard let resolved = realpath(path, nil) else {
            throw .fromErrno(errno, "The data directory cannot be used")
        }
        defer { free(resolved) }
        var status = stat()
        guard stat(resolved, &status) == 0 else { throw .fromErrno(errno, "The data directory cannot be used") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw StorageFailure(.unavailable, "The data directory is not a directory; choose another path.")
        }
        guard access(resolved, R_OK | W_OK | X_OK) == 0 else {
            throw .fromErrno(errno, "The data directory cannot be written")
        }
        return DirectoryIdentity(
            path: String(cString: resolved), device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    private static func make(_ path: Substring) throws(StorageFailure) {
        var status = stat()
        let text = String(path)
        if stat(text, &status) == 0 { return }
        guard errno == ENOENT else { throw .fromErrno(errno, "The data directory cannot be used") }
        var trimmed = path
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        let parent = trimmed.lastIndex(of: "/").map { $0 == trimmed.startIndex ? "/" : trimmed[..<$0] } ?? "."
        if parent != trimmed { try make(parent) }
        if mkdir(text, 0o700) == 0 {
            // Whatever the umask is.
            chmod(text, 0o700)
            try FileSystem.syncDirectory(String(parent))
        } else if errno != EEXIST {
            throw .fromErrno(errno, "The data directory cannot be made")
        }
    }
}
