import Glibc
import Testing

/// CrashSubject, the executable beside this test.
enum Subject {
    /// - Returns: Whether the procedure finished; `false` when it was killed at the fault point. 0 has no fault.
    static func run(_ directory: String, _ procedure: String, _ faultPoint: Int, counting effect: String? = nil) throws -> Bool {
        try wait(try start(directory, procedure, faultPoint, counting: effect))
    }

    static func start(_ directory: String, _ procedure: String, _ faultPoint: Int, counting effect: String? = nil) throws -> pid_t {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let own = String(decoding: buffer[..<max(length, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = (own.split(separator: "/", omittingEmptySubsequences: false).dropLast() + ["CrashSubject"])
            .joined(separator: "/")
        let arguments = [path, directory, procedure, String(faultPoint)] + (effect.map { [$0] } ?? [])
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var child = pid_t()
        try #require(posix_spawn(&child, path, &actions, nil, &pointers, environ) == 0)
        return child
    }

    static func wait(_ child: pid_t) throws -> Bool {
        var status: Int32 = 0
        try #require(waitpid(child, &status, 0) == child)
        let signal = status & 0x7f
        if signal == SIGKILL { return false }
        try #require(signal == 0 && (status >> 8) & 0xff == 0)
        return true
    }
}
