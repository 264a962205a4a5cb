import FolioModel
import Testing

struct EmailSyntaxTests {
    @Test("white space around an address is trimmed, also a no-break space")
    func trims() {
        #expect(EmailSyntax.trimmed(" \u{a0}ana@example.com\t\n\u{3000}") == "ana@example.com")
        #expect(EmailSyntax.trimmed(" \n").isEmpty)
    }

    @Test("an address has one at sign with text on both sides and no empty label",
        arguments: ["a@b", "ana@example.com", "josé@exámple.com", "a.b+c@d.e.f", "ana\u{FF20}example.com"])
    func plausible(address: String) {
        #expect(EmailSyntax.isPlausible(address))
    }

    @Test("what cannot be an address is told apart",
        arguments: [
            "", "@", "ana", "ana@", "@b", "a@b@c", "a@b..c", "a@.b", "a@b.", "a b@c", "a@b\u{0}", "a\u{FF20}b@c",
            "a\u{2003}@b", String(repeating: "a", count: 253) + "@b",
        ])
    func implausible(address: String) {
        #expect(!EmailSyntax.isPlausible(address))
    }

    @Test("the longest address has 254 bytes")
    func longest() {
        #expect(EmailSyntax.isPlausible(String(repeating: "a", count: 252) + "@b"))
    }
}
