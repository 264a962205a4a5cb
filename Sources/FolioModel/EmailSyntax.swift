/// The shape of an e-mail address, checked alike before it is sent and where it is normalised.
public enum EmailSyntax {
    public static let maximumBytes = 254

    /// The address without surrounding white space.
    public static func trimmed(_ text: String) -> String {
        var scalars = Substring(text).unicodeScalars
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(Substring(scalars))
    }

    /// Whether a trimmed address can be one: one `@` (or full-width at sign) with text on both sides, a domain without
    /// empty labels, no white space or control characters, at most 254 bytes.
    public static func isPlausible(_ address: String) -> Bool {
        guard address.utf8.count <= maximumBytes else { return false }
        var atSigns = 0
        var local = String.UnicodeScalarView()
        var domain = String.UnicodeScalarView()
        for scalar in address.unicodeScalars {
            if scalar.properties.isWhitespace || scalar.properties.generalCategory == .control { return false }
            if scalar == "@" || scalar == "\u{FF20}" {
                atSigns += 1
            } else if atSigns == 0 {
                local.append(scalar)
            } else {
                domain.append(scalar)
            }
        }
        guard atSigns == 1, !local.isEmpty, !domain.isEmpty else { return false }
        return domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }
}
