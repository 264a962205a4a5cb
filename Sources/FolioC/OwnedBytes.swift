/// Bytes at a fixed address, freed with their owner; the address is never NULL.
///
/// `@unchecked Sendable`: the bytes are written once, before anybody else sees the pointer.
struct OwnedBytes: ~Copyable, @unchecked Sendable {
    let pointer: UnsafePointer<UInt8>
    let count: Int

    init(_ bytes: [UInt8]) {
        count = bytes.count
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(count, 1))
        UnsafeMutableRawBufferPointer(start: copy, count: count).copyBytes(from: bytes)
        pointer = UnsafePointer(copy)
    }

    deinit {
        pointer.deallocate()
    }
}
