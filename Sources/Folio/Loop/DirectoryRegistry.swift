import FolioDevice

/// The data directories in use in this process, by device and inode.
final class DirectoryRegistry: Sendable {
    static let shared = DirectoryRegistry()

    private let inUse = Monitor(Set<DirectoryIdentity>())

    func claim(_ directory: DirectoryIdentity) throws(FolioError) {
        guard inUse.withLock({ $0.insert(directory).inserted }) else {
            throw FolioError(
                .directoryInUse,
                "A runtime of this process already uses the data directory; shut it down first or use another directory.")
        }
    }

    func release(_ directory: DirectoryIdentity) { inUse.withLock { _ = $0.remove(directory) } }
}
