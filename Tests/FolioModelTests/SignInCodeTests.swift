import FolioModel
import Testing

struct SignInCodeTests {
    @Test("white space in a code is dropped and digits of every script are read",
        arguments: [
            "123456", " 123 456\n", "１２３４５６", "١٢٣٤٥٦", "1２٣456", "\u{a0}123\u{2009}456",
        ])
    func reads(text: String) {
        #expect(SignInCode.normalised(text) == "123456")
    }

    @Test("leading zeros stay")
    func zeros() {
        #expect(SignInCode.normalised("000 001") == "000001")
    }

    @Test("what is not six digits is refused",
        arguments: ["", "12345", "1234567", "12345a", "12-3456", "½23456", "①23456", "一二三四五六", "12345\u{0}"])
    func refuses(text: String) {
        #expect(SignInCode.normalised(text) == nil)
    }
}
