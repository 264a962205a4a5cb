public import CFolio
import Folio

extension EmbeddedService: Handled {
    static let kind = HandleKind.service
}

final class MessageBox: Handled {
    static let kind = HandleKind.message

    let email: OwnedCString
    let code: OwnedCString

    init(_ message: ServiceMessage) {
        email = OwnedCString(message.email)
        code = OwnedCString(message.code)
    }
}

@implementation @_cdecl("folio_service_next_message")
public func folio_service_next_message(
    _ service: OpaquePointer?, _ message: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(message, named: "message", error, whenNone: .nothingWaiting) { () throws(FolioError) in
        try require(service, EmbeddedService.self).nextMessage().map(MessageBox.init)
    }
}

@implementation @_cdecl("folio_message_get_email")
public func folio_message_get_email(_ message: OpaquePointer?) -> UnsafePointer<CChar>? {
    fact(message, MessageBox.self, absent: nil) { $0.email.pointer }
}

@implementation @_cdecl("folio_message_get_code")
public func folio_message_get_code(_ message: OpaquePointer?) -> UnsafePointer<CChar>? {
    fact(message, MessageBox.self, absent: nil) { $0.code.pointer }
}

@implementation @_cdecl("folio_message_release")
public func folio_message_release(_ message: OpaquePointer?) {
    release(message, MessageBox.self)
}

@implementation @_cdecl("folio_service_end_sessions")
public func folio_service_end_sessions(
    _ service: OpaquePointer?, _ user_id: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(service, EmbeddedService.self).endSessions(userId: text(user_id, named: "user_id"))
    }
}

@implementation @_cdecl("folio_service_delete_account")
public func folio_service_delete_account(
    _ service: OpaquePointer?, _ user_id: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(service, EmbeddedService.self).deleteAccount(userId: text(user_id, named: "user_id"))
    }
}

@implementation @_cdecl("folio_service_set_reachable")
public func folio_service_set_reachable(
    _ service: OpaquePointer?, _ reachable: Int32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(service, EmbeddedService.self).setReachable(reachable != 0)
    }
}

@implementation @_cdecl("folio_service_set_guest_account")
public func folio_service_set_guest_account(
    _ service: OpaquePointer?, _ email: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(service, EmbeddedService.self).setGuestAccount(email: text(email, named: "email"))
    }
}

@implementation @_cdecl("folio_service_close")
public func folio_service_close(
    _ service: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(service, EmbeddedService.self).close()
    }
}

@implementation @_cdecl("folio_service_release")
public func folio_service_release(_ service: OpaquePointer?) {
    release(service, EmbeddedService.self)
}
