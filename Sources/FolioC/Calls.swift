import CFolio
import Folio

/// Where a call leaves its error and its outs.
typealias ErrorOut = UnsafeMutablePointer<OpaquePointer?>?
typealias HandleOut = UnsafeMutablePointer<OpaquePointer?>?

extension FolioError {
    static let forked = FolioError(
        .forked, "Folio cannot be used in a forked child; start children by spawn, or make the runtime after the fork.")

    static func invalidHandle(_ kind: HandleKind) -> FolioError {
        FolioError(
            .invalidHandle,
            "The handle is not a valid \(kind.typeName) (NULL, released or of another type); pass one you own.")
    }

    static func invalidArgument(_ message: String) -> FolioError {
        FolioError(.invalidArgument, message)
    }

    static let noHandles = FolioError(
        .internal, "All 16,777,216 handles are in use; release those that are no longer needed.")
}

/// Runs one call of the interface: what it throws becomes its status and an owned error. In a forked child it does not
/// run at all.
func call(_ error: ErrorOut, _ body: () throws(FolioError) -> FolioStatus) -> folio_status_t {
    error?.pointee = nil
    do throws(FolioError) {
        guard !Fork.isChild else { throw .forked }
        return try body().rawValue
    } catch let failure {
        error?.pointee = handles.insert(ErrorBox(failure))
        return failure.status.rawValue
    }
}

/// Runs a call that gives nothing.
func perform(_ error: ErrorOut, _ body: () throws(FolioError) -> Void) -> folio_status_t {
    call(error) { () throws(FolioError) in
        try body()
        return .ok
    }
}

/// Runs a call that gives a new handle. `nil` means there is none to give, which is `whenNone`.
func give<Object: Handled>(
    _ out: HandleOut, named name: String, _ error: ErrorOut, whenNone: FolioStatus = .ok,
    _ body: () throws(FolioError) -> Object?
) -> folio_status_t {
    out?.pointee = nil
    return call(error) { () throws(FolioError) in
        guard let out else { throw missing(name) }
        guard let object = try body() else { return whenNone }
        out.pointee = try own(object)
        return .ok
    }
}

/// A new handle to `object`.
func own<Object: Handled>(_ object: Object) throws(FolioError) -> OpaquePointer {
    guard let handle = handles.insert(object) else { throw .noHandles }
    return handle
}

/// Runs a call that gives a number; it may not want to hear it.
func giveNumber<Number: FixedWidthInteger>(
    _ out: UnsafeMutablePointer<Number>?, _ error: ErrorOut, _ body: () throws(FolioError) -> Number
) -> folio_status_t {
    out?.pointee = 0
    return perform(error) { () throws(FolioError) in
        let number = try body()
        out?.pointee = number
    }
}

/// What a required handle stands for.
func require<Object: Handled>(_ handle: OpaquePointer?, _ type: Object.Type) throws(FolioError) -> Object {
    guard let object = handles.object(handle, type) else { throw .invalidHandle(Object.kind) }
    return object
}

let missingCallback = FolioError.invalidArgument("callback is NULL; pass the function to call.")

/// A required out parameter that is NULL.
func missing(_ name: String) -> FolioError {
    .invalidArgument("\(name) is NULL; pass the address of a variable that takes the result.")
}

/// Reads one fact of a snapshot; `absent` for any other handle and in a forked child.
@inline(__always)
func fact<Object: Handled, Value>(
    _ handle: OpaquePointer?, _ type: Object.Type, absent: Value, _ body: (Object) -> Value
) -> Value {
    Fork.isChild ? absent : handles.read(handle, type, body) ?? absent
}

/// A second handle to the same object; NULL for any other handle.
func retained<Object: Handled>(_ handle: OpaquePointer?, _ type: Object.Type) -> OpaquePointer? {
    Fork.isChild ? nil : handles.object(handle, type).flatMap { handles.insert($0) }
}

/// Ends a handle; harmless for any other handle. Nothing is freed in a forked child.
func release<Object: Handled>(_ handle: OpaquePointer?, _ type: Object.Type) {
    guard !Fork.isChild else { return }
    _ = handles.remove(handle, type)
}
