import CFolio
import Folio

/// The context of a callback, with the function that frees it.
///
/// `@unchecked Sendable`: the library never follows the pointer; it hands it back to the host's functions, on the
/// threads the header names.
struct HostContext: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
    let destroy: folio_destroy_callback_t?

    init(_ pointer: UnsafeMutableRawPointer?, _ destroy: folio_destroy_callback_t?) {
        self.pointer = pointer
        self.destroy = destroy
    }

    /// The end of the registration. Never in a forked child: what the context points to is the parent's.
    func end() {
        guard !Fork.isChild else { return }
        destroy?(pointer)
    }
}

/// Runs a registration that gives a new handle. `prepare` finds what to register with; when that fails, or there is no
/// place for the handle, the context ends here. `register` hands the context over: from then on its end is Folio's.
func register<Target, Object: Handled>(
    _ context: HostContext, _ out: HandleOut, named name: String, _ error: ErrorOut,
    prepare: () throws(FolioError) -> Target, register: (Target) throws(FolioError) -> Object
) -> folio_status_t {
    var isHandedOver = false
    defer { if !isHandedOver { context.end() } }
    return give(out, named: name, error) { () throws(FolioError) -> Object? in
        let target = try prepare()
        isHandedOver = true
        return try register(target)
    }
}

/// A state handle shared by all subscribers of one delivery; it ends with the delivery.
final class LentHandle<Box: Handled>: Sendable {
    private let bits: UInt

    init(_ box: Box) {
        bits = UInt(bitPattern: handles.insert(box, isLent: true))
    }

    var handle: OpaquePointer? { OpaquePointer(bitPattern: bits) }

    deinit {
        guard !Fork.isChild else { return }
        _ = handles.remove(handle, Box.self, isLent: true)
    }
}
