/// Copies of texts as C reads them, one after the other in one block, freed with their owner.
///
/// `@unchecked Sendable`: the bytes are written once, before anybody else sees a pointer.
struct OwnedCStrings: ~Copyable, @unchecked Sendable {
    private let block: UnsafeMutableBufferPointer<CChar>
    private let offsets: [Int]

    init(_ texts: [String]) {
        block = .allocate(capacity: texts.reduce(0) { $0 + $1.utf8.count + 1 })
        var offsets: [Int] = []
        var next = 0
        for text in texts {
            offsets.append(next)
            for byte in text.utf8 {
                block.initializeElement(at: next, to: CChar(bitPattern: byte))
                next += 1
            }
            block.initializeElement(at: next, to: 0)
            next += 1
        }
        self.offsets = offsets
    }

    deinit {
        block.deallocate()
    }

    /// NULL outside of the list.
    func pointer(at index: Int32) -> UnsafePointer<CChar>? {
        guard offsets.indices.contains(Int(index)), let start = block.baseAddress else { return nil }
        return UnsafePointer(start + offsets[Int(index)])
    }
}
