import CSodium
import Synchronization

/// Authenticated encryption (XChaCha20-Poly1305): a sealed value is nonce, cipher text and tag. It opens only with the
/// same associated data, which says what the value is and where it belongs.
struct Seal: Sendable {
    static let nonceBytes = 24
    static let overhead = 40

    /// The places a sealed value can stand in; the first byte of its associated data.
    enum Purpose: UInt8 {
        case keyCheck = 1
        case deviceState
        case revocation
        case vaultOwner
        case carryOver
        case record
        case conflict
    }

    private static let isReady = sodium_init() >= 0
    let key: StorageKey

    static func randomBytes(_ count: Int) -> [UInt8] {
        _ = isReady
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            if let start = buffer.baseAddress { randombytes_buf(start, count) }
            filled = count
        }
    }

    /// The associated data of `purpose` over the parts, each with its length so that no two lists read alike.
    static func context(_ purpose: Purpose, _ parts: [UInt8]...) -> [UInt8] {
        var context = [purpose.rawValue]
        for part in parts {
            append(UInt64(part.count), to: &context)
            context += part
        }
        return context
    }

    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    static func bytes(of number: Int64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

    func seal(_ message: [UInt8], _ context: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: message.count + Self.overhead) { buffer, filled in
            message.withUnsafeBytes { seal($0, context, into: UnsafeMutableRawBufferPointer(buffer)) }
            filled = message.count + Self.overhead
        }
    }

    /// `sealed` must have room for `overhead` bytes more than `message`.
    func seal(_ message: UnsafeRawBufferPointer, _ context: [UInt8], into sealed: UnsafeMutableRawBufferPointer) {
        _ = Self.isReady
        guard let nonce = sealed.baseAddress, sealed.count >= message.count + Self.overhead else { return }
        Nonce.fill(nonce)
        crypto_aead_xchacha20poly1305_ietf_encrypt(
            nonce.assumingMemoryBound(to: UInt8.self) + Self.nonceBytes, nil,
            message.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(message.count),
            context, UInt64(context.count), nil, nonce.assumingMemoryBound(to: UInt8.self), key.bytes)
    }

    /// The message, `nil` when key, context or bytes do not fit.
    func open(_ sealed: UnsafeRawBufferPointer, _ context: [UInt8]) -> [UInt8]? {
        let count = sealed.count - Self.overhead
        guard count >= 0 else { return nil }
        var isGenuine = false
        let message = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            isGenuine = open(sealed, context, into: UnsafeMutableRawBufferPointer(buffer))
            filled = isGenuine ? count : 0
        }
        return isGenuine ? message : nil
    }

    func open(_ sealed: [UInt8], _ context: [UInt8]) -> [UInt8]? { sealed.withUnsafeBytes { open($0, context) } }

    /// Opens into `message`, which must be `overhead` bytes shorter than `sealed`.
    func open(
        _ sealed: UnsafeRawBufferPointer, _ context: [UInt8], into message: UnsafeMutableRawBufferPointer
    ) -> Bool {
        _ = Self.isReady
        guard let nonce = sealed.baseAddress?.assumingMemoryBound(to: UInt8.self),
            message.count == sealed.count - Self.overhead
        else { return false }
        return crypto_aead_xchacha20poly1305_ietf_decrypt(
            message.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, nil,
            nonce + Self.nonceBytes, UInt64(sealed.count - Self.nonceBytes),
            context, UInt64(context.count), nonce, key.bytes) == 0
    }
}

/// Nonces of this process: 16 random bytes of its own, then a count, so that none comes twice and none costs a system
/// call.
private enum Nonce {
    private static let prefix = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    private static let count = Atomic<UInt64>(0)

    static func fill(_ nonce: UnsafeMutableRawPointer) {
        nonce.storeBytes(of: prefix.0, as: UInt64.self)
        nonce.storeBytes(of: prefix.1, toByteOffset: 8, as: UInt64.self)
        nonce.storeBytes(of: count.add(1, ordering: .relaxed).newValue, toByteOffset: 16, as: UInt64.self)
    }
}
