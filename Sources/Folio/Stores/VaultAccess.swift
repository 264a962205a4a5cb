import FolioDevice
import FolioModel

/// The vault connection of one runtime, made at the first call. Calls run on the callers' threads.
final class VaultAccess: Sendable {
    private let directory: DirectoryIdentity
    private let storageKey: [UInt8]?
    private let change: VaultChange
    private let file = Monitor<VaultFile?>(nil)

    init(_ directory: DirectoryIdentity, _ storageKey: [UInt8]?, _ change: VaultChange) {
        self.directory = directory
        self.storageKey = storageKey
        self.change = change
    }

    func read<Value>(_ body: (VaultFile) throws(VaultFailure) -> Value) throws(FolioError) -> Value {
        do throws(VaultFailure) { return try body(open()) } catch { throw FolioError(error) }
    }

    /// As `read`, and the counts are reported again.
    func write<Value>(_ body: (VaultFile) throws(VaultFailure) -> Value) throws(FolioError) -> Value {
        let value = try read(body)
        change.report()
        return value
    }

    /// A call in progress ends on its own connection.
    func close() { file.withLock { $0 = nil } }

    private func open() -> VaultFile {
        file.withLock { file in
            if let file { return file }
            let opened = VaultFile(directory: directory, hostKey: storageKey)
            file = opened
            return opened
        }
    }
}

extension FolioError {
    static let vaultNotRunning = FolioError(
        .vaultNotRunning, "The vault of this identity does not run; wait for the state that says it does and try again.")

    init(_ failure: VaultFailure) {
        switch failure {
        case .notRunning: self = .vaultNotRunning
        case .invalid(let message): self.init(.invalidArgument, message)
        case .notFound: self.init(.notFound, "There is no such conflict copy; list them again.")
        case .recordDamaged(let failure), .storage(let failure): self.init(failure)
        }
    }
}
