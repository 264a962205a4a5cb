import FolioMachine
import Glibc

/// The clocks and the randomness that the machines are lent.
enum Clock {
    /// Milliseconds that count sleep; what the life of a token is counted on.
    static func now() -> Int64 { milliseconds(CLOCK_BOOTTIME) }

    /// Milliseconds that do not count sleep; what threads wait on.
    static func monotonic() -> Int64 { milliseconds(CLOCK_MONOTONIC) }

    /// Milliseconds since 1970 UTC.
    static func wall() -> Int64 { milliseconds(CLOCK_REALTIME) }

    /// The id of this boot of the machine; empty when the system does not tell.
    static let bootId: String = readLine(of: "/proc/sys/kernel/random/boot_id")

    static func moment() -> Moment {
        Moment(now: now(), bootId: bootId, publicId: randomHex(words: 2), secretId: randomHex(words: 4))
    }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Random bits of the operating system, 64 a word, as hexadecimal digits.
    private static func randomHex(words: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return String(unsafeUninitializedCapacity: words * 16) { buffer in
            for word in 0..<words {
                var bits = generator.next()
                for digit in 0..<16 {
                    let value = UInt8(truncatingIfNeeded: bits & 15)
                    buffer[word * 16 + digit] = value < 10 ? 48 + value : 87 + value
                    bits >>= 4
                }
            }
            return words * 16
        }
    }

    private static func readLine(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return "" }
        return String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self)
    }
}
