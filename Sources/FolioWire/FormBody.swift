/// Bodies of type `application/x-www-form-urlencoded`.
enum FormBody {
    static let maximumBytes = 65_536

    static func encode(_ fields: [(String, String)]) -> [UInt8] {
        var body: [UInt8] = []
        for (name, value) in fields {
            if !body.isEmpty { body.append(UInt8(ascii: "&")) }
            append(name, to: &body)
            body.append(UInt8(ascii: "="))
            append(value, to: &body)
        }
        return body
    }

    /// The fields, or `nil` when the body is no form: bad escapes, bytes that are not UTF-8, a name given twice, too long.
    static func decode(_ body: [UInt8]) -> [String: String]? {
        guard body.count <= maximumBytes else { return nil }
        var fields: [String: String] = [:]
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let rawName = parts.first, let name = unescaped(rawName),
                let value = parts.count > 1 ? unescaped(parts[1]) : "",
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return fields
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func append(_ text: String, to body: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "*"):
                body.append(byte)
            case UInt8(ascii: " "):
                body.append(UInt8(ascii: "+"))
            default:
                body.append(UInt8(ascii: "%"))
                body.append(hexDigits[Int(byte >> 4)])
                body.append(hexDigits[Int(byte & 15)])
            }
        }
    }

    private static func unescaped(_ text: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue)
                else { return nil }
                bytes.append(high << 4 | low)
            default:
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
