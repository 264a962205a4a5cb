import Glibc

/// A copy of a text as C reads it, freed with its owner; NULL for `nil`.
///
/// `@unchecked Sendable`: the bytes are written once, before anybody else sees the pointer.
struct OwnedCString: ~Copyable, @unchecked Sendable {
    let pointer: UnsafePointer<CChar>?

    init(_ text: String?) {
        pointer = text.flatMap { UnsafePointer(strdup($0)) }
    }

    deinit {
        free(UnsafeMutablePointer(mutating: pointer))
    }
}
