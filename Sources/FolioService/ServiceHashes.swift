import CSodium

/// The keyed hashes of one service. Equal texts have equal hashes only for the same purpose.
struct ServiceHashes: Sendable {
    let key: String

    enum Purpose: String {
        case stored, renewalId, guestRequest, code
        case renewedAccess, renewedRefresh, guestAccess, guestRefresh
    }

    /// 256 bits as hexadecimal text: what is stored of a secret, or a token that can be made again and not be guessed.
    func hash(_ purpose: Purpose, _ parts: String...) -> String {
        var input: [UInt8] = []
        // With its length before it, no part can pass for a piece of another.
        for part in [purpose.rawValue] + parts {
            withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { input.append(contentsOf: $0) }
            input.append(contentsOf: part.utf8)
        }
        let keyBytes = Array(key.utf8)
        var output = [UInt8](repeating: 0, count: 32)
        crypto_generichash(&output, output.count, input, UInt64(input.count), keyBytes, keyBytes.count)
        return Hex.encode(output)
    }

    /// Compares in a time that tells nothing of the texts.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        let left = Array(left.utf8)
        let right = Array(right.utf8)
        return left.count == right.count && sodium_memcmp(left, right, left.count) == 0
    }
}
