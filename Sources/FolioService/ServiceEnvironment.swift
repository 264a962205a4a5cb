import CSodium
import Glibc

/// A process, told apart from a later one with the same number by its start.
struct ProcessIdentity: Hashable, Sendable {
    var pid: Int64
    /// Clock ticks since boot; 0 when unknown.
    var start: Int64

    static func current() -> ProcessIdentity {
        let pid = Int64(getpid())
        return running(pid) ?? ProcessIdentity(pid: pid, start: 0)
    }

    /// Whether the process is still there.
    static func isAlive(_ process: ProcessIdentity) -> Bool {
        running(process.pid).map { $0.start == process.start || process.start == 0 } ?? false
    }

    /// The process of that number, `nil` when there is none or it has ended and only waits for its parent.
    private static func running(_ pid: Int64) -> ProcessIdentity? {
        let descriptor = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = read(descriptor, &bytes, bytes.count)
        // The name in parentheses may hold anything; the fields follow its last parenthesis.
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, fields[0] != [UInt8(ascii: "Z")],
            let start = Int64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        return ProcessIdentity(pid: pid, start: start)
    }
}

/// What the service takes from the world beside the time; tests put their own in place.
struct ServiceEnvironment: Sendable {
    /// So many unpredictable bytes.
    var randomBytes: @Sendable (Int) -> [UInt8]
    var process: @Sendable () -> ProcessIdentity
    var isAlive: @Sendable (ProcessIdentity) -> Bool

    static let system = ServiceEnvironment(
        randomBytes: { count in
            var bytes = [UInt8](repeating: 0, count: count)
            randombytes_buf(&bytes, count)
            return bytes
        },
        process: ProcessIdentity.current, isAlive: ProcessIdentity.isAlive)

    /// 128 random bits, for ids that are never given twice.
    func newId() -> String { Hex.encode(randomBytes(16)) }

    /// 256 random bits.
    func newToken() -> String { Hex.encode(randomBytes(32)) }

    /// Six random digits; the remainder's bias is below 2⁻⁴⁴.
    func newCode() -> String {
        let number = randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
