import FoundationEssentials

/// Bodies of type JSON, read without trust: whatever cannot be understood is `nil`.
enum JsonBody {
    static let maximumBytes = 1 << 20
    /// The parser recurses; Folio's own bodies are two levels deep.
    static let maximumDepth = 32

    static func decode<Value: Decodable>(_ type: Value.Type, from body: [UInt8]) -> Value? {
        guard body.count <= maximumBytes, depthIsSafe(body), String(validating: body, as: UTF8.self) != nil
        else { return nil }
        return try? JSONDecoder().decode(type, from: Data(body))
    }

    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Bodies hold strings and integers alone, which always encode.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("{}".utf8)
    }

    private static func depthIsSafe(_ body: [UInt8]) -> Bool {
        var depth = 0
        var inString = false
        var escaped = false
        for byte in body {
            if inString {
                if escaped {
                    escaped = false
                } else if byte == UInt8(ascii: "\\") {
                    escaped = true
                } else if byte == UInt8(ascii: "\"") {
                    inString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): inString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            if depth > maximumDepth { return false }
        }
        return true
    }
}
