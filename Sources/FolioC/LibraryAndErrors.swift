public import CFolio
import Folio
import FolioModel

// Unlike the rest these work in a forked child too.

final class ErrorBox: Handled {
    static let kind = HandleKind.error

    let error: FolioError
    let serviceCode: OwnedCString
    let message: OwnedCString

    init(_ error: FolioError) {
        self.error = error
        serviceCode = OwnedCString(error.serviceCode.isEmpty ? nil : error.serviceCode)
        message = OwnedCString(error.message)
    }
}

private func cString(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// In the order of `FolioStatus.allCases`.
private let statusNames = OwnedCStrings(FolioStatus.allCases.map(\.name))

@implementation @_cdecl("folio_version_string")
public func folio_version_string() -> UnsafePointer<CChar>? {
    cString("0.1.0")
}

@implementation @_cdecl("folio_abi_version")
public func folio_abi_version() -> Int32 {
    1
}

@implementation @_cdecl("folio_status_get_name")
public func folio_status_get_name(_ status: folio_status_t) -> UnsafePointer<CChar>? {
    let index = FolioStatus.allCases.firstIndex { $0.rawValue == status }
    return index.flatMap { statusNames.pointer(at: Int32($0)) } ?? cString("FOLIO_STATUS_UNKNOWN")
}

@implementation @_cdecl("folio_error_get_code")
public func folio_error_get_code(_ error: OpaquePointer?) -> folio_status_t {
    handles.read(error, ErrorBox.self) { $0.error.status.rawValue } ?? 0
}

@implementation @_cdecl("folio_error_get_kind")
public func folio_error_get_kind(_ error: OpaquePointer?) -> Int32 {
    handles.read(error, ErrorBox.self) { $0.error.kind.rawValue } ?? 0
}

@implementation @_cdecl("folio_error_get_http_status")
public func folio_error_get_http_status(_ error: OpaquePointer?) -> Int32 {
    handles.read(error, ErrorBox.self) { Int32($0.error.httpStatus) } ?? 0
}

@implementation @_cdecl("folio_error_get_service_code")
public func folio_error_get_service_code(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
    handles.read(error, ErrorBox.self) { $0.serviceCode.pointer } ?? nil
}

@implementation @_cdecl("folio_error_get_message")
public func folio_error_get_message(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
    handles.read(error, ErrorBox.self) { $0.message.pointer } ?? nil
}

@implementation @_cdecl("folio_error_get_retry_after_ms")
public func folio_error_get_retry_after_ms(_ error: OpaquePointer?) -> Int64 {
    handles.read(error, ErrorBox.self) { $0.error.retryAfter } ?? 0
}

@implementation @_cdecl("folio_error_release")
public func folio_error_release(_ error: OpaquePointer?) {
    _ = handles.remove(error, ErrorBox.self)
}
