public import FolioModel

/// Why a vault call was not done. Nothing was changed.
public enum VaultFailure: Error, Hashable, Sendable {
    /// The caller's identity is not the current one.
    case notRunning
    /// A key, value, limit or cursor is outside of its range; says which.
    case invalid(String)
    /// This record cannot be opened; others can.
    case recordDamaged(StorageFailure)
    case storage(StorageFailure)
    /// There is no such conflict copy.
    case notFound
}

/// An opened value, which owns its bytes.
public final class VaultValue: @unchecked Sendable {
    // Written only before the first other reference exists; never changed afterwards.
    private let buffer: UnsafeMutableRawBufferPointer
    /// When the record was written: milliseconds since 1970 UTC.
    public let modifiedAt: Int64

    init(count: Int, modifiedAt: Int64) {
        buffer = .allocate(byteCount: max(count, 1), alignment: 16)
        self.count = count
        self.modifiedAt = modifiedAt
    }

    /// A value of the caller's own, copied; for the reads of a transaction that has written it.
    public convenience init(copying bytes: UnsafeRawBufferPointer, modifiedAt: Int64 = 0) {
        self.init(count: bytes.count, modifiedAt: modifiedAt)
        buffer.copyMemory(from: bytes)
    }

    deinit { buffer.deallocate() }

    public let count: Int

    /// The bytes, at an address that is never null. For owners of the value such as a handle: they are gone with the
    /// last reference, which Swift may drop right after this; otherwise use `withBytes`.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

    /// Runs `body` with the bytes, which stay as long as it runs.
    public func withBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { withExtendedLifetime(self) {} }
        return try body(bytes)
    }

    var writable: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]) }
}

/// A record as it is listed, without its value.
public struct VaultEntry: Hashable, Sendable {
    public let key: String
    /// Milliseconds since 1970 UTC.
    public let modifiedAt: Int64
    /// The bytes of the value.
    public let size: Int64
}

/// A value that lost to another one of the same key in a carry-over.
public struct VaultConflict: Hashable, Sendable {
    public let id: Int64
    public let key: String
    /// When the losing value was written: milliseconds since 1970 UTC.
    public let modifiedAt: Int64
    public let size: Int64
}

/// One change of a transaction.
public enum VaultOperation: Sendable {
    case put(key: String, value: VaultValue)
    case delete(key: String)
}
