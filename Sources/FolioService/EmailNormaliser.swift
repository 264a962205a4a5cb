import CUtf8proc
import FolioModel
import Glibc

/// The one form of an e-mail address: trimmed, NFC, case-folded, with an ASCII at sign.
enum EmailNormaliser {
    /// `nil` when the text is no e-mail address.
    static func normalised(_ text: String) -> String? {
        // Trimmed text of more bytes than this cannot fold to an address; it is not worth the work.
        guard text.utf8.count <= 4 * EmailSyntax.maximumBytes else { return nil }
        let trimmed = EmailSyntax.trimmed(text)
        guard EmailSyntax.isPlausible(trimmed), let folded = folded(trimmed) else { return nil }
        var address = String.UnicodeScalarView()
        address.append(contentsOf: folded.unicodeScalars.map { $0 == "\u{FF20}" ? "@" : $0 })
        let normalised = String(address)
        return EmailSyntax.isPlausible(normalised) ? normalised : nil
    }

    private static func folded(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        var output: UnsafeMutablePointer<UInt8>?
        let options = UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_CASEFOLD.rawValue
        let count = utf8proc_map(bytes, bytes.count, &output, utf8proc_option_t(rawValue: options))
        defer { free(output) }
        guard count >= 0, let output else { return nil }
        return String(validating: UnsafeBufferPointer(start: output, count: count), as: UTF8.self)
    }
}
