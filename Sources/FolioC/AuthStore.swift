public import CFolio
import Folio
import FolioModel
import Glibc

extension AuthStore: Handled {
    static let kind = HandleKind.authStore
}

final class AuthStateBox: Handled {
    static let kind = HandleKind.authState

    let type: Int32
    let email: OwnedCString
    let awaitingCode: AuthState.AwaitingCode?
    let error: AuthError?

    init(_ state: AuthState) {
        let address: String?
        switch state {
        case .idle: (type, address, awaitingCode, error) = (Int32(FOLIO_AUTH_STATE_IDLE), nil, nil, nil)
        case .sending(let email): (type, address, awaitingCode, error) = (Int32(FOLIO_AUTH_STATE_SENDING), email, nil, nil)
        case .awaitingCode(let awaiting):
            (type, address, awaitingCode, error) =
                (Int32(FOLIO_AUTH_STATE_AWAITING_CODE), awaiting.email, awaiting, awaiting.error)
        case .verifying(let email):
            (type, address, awaitingCode, error) = (Int32(FOLIO_AUTH_STATE_VERIFYING), email, nil, nil)
        case .failed(let email, let failure):
            (type, address, awaitingCode, error) = (Int32(FOLIO_AUTH_STATE_FAILED), email, nil, failure)
        }
        self.email = OwnedCString(address)
    }

    /// Milliseconds from now until `time` of the clock that counts sleep; 0 when it is over.
    static func left(until time: Int64) -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let (left, overflow) = time.subtractingReportingOverflow(Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000)
        return overflow ? 0 : max(0, left)
    }
}

@implementation @_cdecl("folio_auth_store_mount")
public func folio_auth_store_mount(
    _ sdk: OpaquePointer?, _ store: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(store, named: "store", error) { () throws(FolioError) in
        try AuthStore.mount(require(sdk, FolioSdk.self))
    }
}

@implementation @_cdecl("folio_auth_store_get_state")
public func folio_auth_store_get_state(
    _ store: OpaquePointer?, _ state: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(state, named: "state", error) { () throws(FolioError) in
        AuthStateBox(try require(store, AuthStore.self).state)
    }
}

@implementation @_cdecl("folio_auth_store_subscribe")
public func folio_auth_store_subscribe(
    _ store: OpaquePointer?, _ callback: folio_auth_state_callback_t?, _ context: UnsafeMutableRawPointer?,
    _ destroy: folio_destroy_callback_t?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    subscribe(
        store, AuthStore.self, StateListener(callback: callback, context: HostContext(context, destroy)), subscription,
        error, box: AuthStateBox.init
    ) { (store, listener, inboxEnd) throws(FolioError) in
        try store.subscribe(listener, inboxEnd: inboxEnd)
    }
}

@implementation @_cdecl("folio_auth_store_dispatch_sign_in")
public func folio_auth_store_dispatch_sign_in(
    _ store: OpaquePointer?, _ email: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(store, AuthStore.self).dispatch(.signIn(email: text(email, named: "email")))
    }
}

@implementation @_cdecl("folio_auth_store_dispatch_submit_code")
public func folio_auth_store_dispatch_submit_code(
    _ store: OpaquePointer?, _ code: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(store, AuthStore.self).dispatch(.submitCode(text(code, named: "code")))
    }
}

@implementation @_cdecl("folio_auth_store_dispatch_resend_code")
public func folio_auth_store_dispatch_resend_code(
    _ store: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(store, AuthStore.self).dispatch(.resendCode)
    }
}

@implementation @_cdecl("folio_auth_store_dispatch_cancel")
public func folio_auth_store_dispatch_cancel(
    _ store: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(store, AuthStore.self).dispatch(.cancel)
    }
}

@implementation @_cdecl("folio_auth_store_close")
public func folio_auth_store_close(
    _ store: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(store, AuthStore.self).close()
    }
}

@implementation @_cdecl("folio_auth_store_release")
public func folio_auth_store_release(_ store: OpaquePointer?) {
    release(store, AuthStore.self)
}

@implementation @_cdecl("folio_auth_state_get_type")
public func folio_auth_state_get_type(_ state: OpaquePointer?) -> Int32 {
    fact(state, AuthStateBox.self, absent: 0) { $0.type }
}

@implementation @_cdecl("folio_auth_state_get_email")
public func folio_auth_state_get_email(_ state: OpaquePointer?) -> UnsafePointer<CChar>? {
    fact(state, AuthStateBox.self, absent: nil) { $0.email.pointer }
}

@implementation @_cdecl("folio_auth_state_get_expires_in_ms")
public func folio_auth_state_get_expires_in_ms(_ state: OpaquePointer?) -> Int64 {
    let time = fact(state, AuthStateBox.self, absent: nil) { $0.awaitingCode?.expiresAt }
    return time.map(AuthStateBox.left) ?? 0
}

@implementation @_cdecl("folio_auth_state_get_resend_in_ms")
public func folio_auth_state_get_resend_in_ms(_ state: OpaquePointer?) -> Int64 {
    let time = fact(state, AuthStateBox.self, absent: nil) { $0.awaitingCode?.resendAt }
    return time.map(AuthStateBox.left) ?? 0
}

@implementation @_cdecl("folio_auth_state_get_tries_left")
public func folio_auth_state_get_tries_left(_ state: OpaquePointer?) -> Int32 {
    fact(state, AuthStateBox.self, absent: 0) { $0.awaitingCode?.triesLeft ?? 0 }
}

@implementation @_cdecl("folio_auth_state_copy_error")
public func folio_auth_state_copy_error(_ state: OpaquePointer?) -> OpaquePointer? {
    let error = fact(state, AuthStateBox.self, absent: nil) { $0.error }
    return error.flatMap { handles.insert(ErrorBox(FolioError($0))) }
}

@implementation @_cdecl("folio_auth_state_retain")
public func folio_auth_state_retain(_ state: OpaquePointer?) -> OpaquePointer? {
    retained(state, AuthStateBox.self)
}

@implementation @_cdecl("folio_auth_state_release")
public func folio_auth_state_release(_ state: OpaquePointer?) {
    release(state, AuthStateBox.self)
}
