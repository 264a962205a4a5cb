import Folio

/// A required text: NUL-terminated UTF-8, copied.
func text(_ pointer: UnsafePointer<CChar>?, named name: @autoclosure () -> String) throws(FolioError) -> String {
    guard let pointer else { throw .invalidArgument("\(name()) is NULL; pass a NUL-terminated UTF-8 string.") }
    guard let text = String(validatingCString: pointer) else {
        throw .invalidArgument("\(name()) is not valid UTF-8; pass a NUL-terminated UTF-8 string.")
    }
    return text
}

/// A text that may be NULL.
func optionalText(_ pointer: UnsafePointer<CChar>?, named name: @autoclosure () -> String) throws(FolioError) -> String? {
    pointer == nil ? nil : try text(pointer, named: name())
}

/// Bytes of the caller's, valid until the call returns.
func bytes(
    _ pointer: UnsafePointer<UInt8>?, _ length: Int, named name: @autoclosure () -> String
) throws(FolioError) -> UnsafeRawBufferPointer {
    // A size_t of more than half the address space arrives as a negative number.
    guard length >= 0, pointer != nil || length == 0 else {
        throw .invalidArgument("\(name()) is NULL or longer than memory can be; pass its bytes and their number.")
    }
    return UnsafeRawBufferPointer(start: pointer, count: length)
}
