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
    guard let status = FolioStatus(rawValue: status) else { return cString("FOLIO_STATUS_UNKNOWN") }
    return switch status {
    case .ok: cString("FOLIO_OK")
    case .nothingWaiting: cString("FOLIO_NOTHING_WAITING")
    case .invalidHandle: cString("FOLIO_ERROR_INVALID_HANDLE")
    case .invalidArgument: cString("FOLIO_ERROR_INVALID_ARGUMENT")
    case .busy: cString("FOLIO_ERROR_BUSY")
    case .closed: cString("FOLIO_ERROR_CLOSED")
    case .shutDown: cString("FOLIO_ERROR_SHUT_DOWN")
    case .notReady: cString("FOLIO_ERROR_NOT_READY")
    case .forked: cString("FOLIO_ERROR_FORKED")
    case .directoryInUse: cString("FOLIO_ERROR_DIRECTORY_IN_USE")
    case .notEmbedded: cString("FOLIO_ERROR_NOT_EMBEDDED")
    case .network: cString("FOLIO_ERROR_NETWORK")
    case .service: cString("FOLIO_ERROR_SERVICE")
    case .storage: cString("FOLIO_ERROR_STORAGE")
    case .notFound: cString("FOLIO_ERROR_NOT_FOUND")
    case .vaultNotRunning: cString("FOLIO_ERROR_VAULT_NOT_RUNNING")
    case .recordDamaged: cString("FOLIO_ERROR_RECORD_DAMAGED")
    case .cancelled: cString("FOLIO_ERROR_CANCELLED")
    case .internal: cString("FOLIO_ERROR_INTERNAL")
    }
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
