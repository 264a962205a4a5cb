/// A sign-in code: six digits.
public enum SignInCode {
    public static let digits = 6

    /// The six ASCII digits that the text stands for, or `nil`. White space anywhere is dropped, and decimal digits of
    /// every script are taken for the digit they are.
    public static func normalised(_ text: String) -> String? {
        var code = ""
        for scalar in text.unicodeScalars where !scalar.properties.isWhitespace {
            guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue,
                let digit = UInt8(exactly: value), digit < 10, code.utf8.count < digits
            else { return nil }
            code.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "0") + digit))
        }
        return code.utf8.count == digits ? code : nil
    }
}
