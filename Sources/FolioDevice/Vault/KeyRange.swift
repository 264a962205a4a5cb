/// The keys that begin with a prefix and stand after a cursor, in order of their bytes: `lower` <= key < `upper`.
struct KeyRange {
    let lower: [UInt8]
    let upper: [UInt8]

    init(prefix: String, after: String? = nil) {
        let prefix = Array(prefix.utf8)
        var lower = prefix
        if let after {
            // The first key after another one is that key and a zero byte.
            let next = Array(after.utf8) + [0]
            if prefix.lexicographicallyPrecedes(next) { lower = next }
        }
        self.lower = lower
        var upper = prefix
        while upper.last == 0xFF { upper.removeLast() }
        // UTF-8 has no byte 0xFF, so every key is below it.
        if let last = upper.popLast() { upper.append(last + 1) } else { upper = [0xFF] }
        self.upper = upper
    }
}
