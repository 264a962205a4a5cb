public import CFolio
import Folio
import FolioModel

extension SessionStore: Handled {
    static let kind = HandleKind.sessionStore
}

final class SessionStateBox: Handled {
    static let kind = HandleKind.sessionState

    let state: SessionState
    let userId: OwnedCString
    let email: OwnedCString
    let deviceId: OwnedCString

    init(_ state: SessionState) {
        self.state = state
        userId = OwnedCString(state.identity.userId)
        email = OwnedCString(state.identity.email)
        deviceId = OwnedCString(state.deviceId)
    }

    var identityKind: Int32 {
        let kind =
            switch state.identity {
            case .unresolved: FOLIO_IDENTITY_UNRESOLVED
            case .transient: FOLIO_IDENTITY_TRANSIENT
            case .authenticated: FOLIO_IDENTITY_AUTHENTICATED
            }
        return Int32(kind)
    }
}

@implementation @_cdecl("folio_session_store_mount")
public func folio_session_store_mount(
    _ sdk: OpaquePointer?, _ store: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(store, named: "store", error) { () throws(FolioError) in
        try SessionStore.mount(require(sdk, FolioSdk.self))
    }
}

@implementation @_cdecl("folio_session_store_get_state")
public func folio_session_store_get_state(
    _ store: OpaquePointer?, _ state: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(state, named: "state", error) { () throws(FolioError) in
        SessionStateBox(try require(store, SessionStore.self).state)
    }
}

@implementation @_cdecl("folio_session_store_subscribe")
public func folio_session_store_subscribe(
    _ store: OpaquePointer?, _ callback: folio_session_state_callback_t?, _ context: UnsafeMutableRawPointer?,
    _ destroy: folio_destroy_callback_t?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    subscribe(
        store, SessionStore.self, StateListener(callback: callback, context: HostContext(context, destroy)), subscription,
        error, box: SessionStateBox.init
    ) { (store, listener, inboxEnd) throws(FolioError) in
        try store.subscribe(listener, inboxEnd: inboxEnd)
    }
}

@implementation @_cdecl("folio_session_store_dispatch")
public func folio_session_store_dispatch(
    _ store: OpaquePointer?, _ action: Int32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        let store = try require(store, SessionStore.self)
        guard let action = SessionAction(rawValue: action) else {
            throw .invalidArgument("action is \(action); pass one of FOLIO_SESSION_ACTION_….")
        }
        try store.dispatch(action)
    }
}

@implementation @_cdecl("folio_session_store_close")
public func folio_session_store_close(
    _ store: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(store, SessionStore.self).close()
    }
}

@implementation @_cdecl("folio_session_store_release")
public func folio_session_store_release(_ store: OpaquePointer?) {
    release(store, SessionStore.self)
}

@implementation @_cdecl("folio_session_state_get_identity_kind")
public func folio_session_state_get_identity_kind(_ state: OpaquePointer?) -> Int32 {
    fact(state, SessionStateBox.self, absent: 0) { $0.identityKind }
}

@implementation @_cdecl("folio_session_state_get_user_id")
public func folio_session_state_get_user_id(_ state: OpaquePointer?) -> UnsafePointer<CChar>? {
    fact(state, SessionStateBox.self, absent: nil) { $0.userId.pointer }
}

@implementation @_cdecl("folio_session_state_get_email")
public func folio_session_state_get_email(_ state: OpaquePointer?) -> UnsafePointer<CChar>? {
    fact(state, SessionStateBox.self, absent: nil) { $0.email.pointer }
}

@implementation @_cdecl("folio_session_state_get_status")
public func folio_session_state_get_status(_ state: OpaquePointer?) -> Int32 {
    fact(state, SessionStateBox.self, absent: 0) { $0.state.status.rawValue }
}

@implementation @_cdecl("folio_session_state_get_notice")
public func folio_session_state_get_notice(_ state: OpaquePointer?) -> Int32 {
    fact(state, SessionStateBox.self, absent: 0) { $0.state.notice?.rawValue ?? 0 }
}

@implementation @_cdecl("folio_session_state_get_device_id")
public func folio_session_state_get_device_id(_ state: OpaquePointer?) -> UnsafePointer<CChar>? {
    fact(state, SessionStateBox.self, absent: nil) { $0.deviceId.pointer }
}

@implementation @_cdecl("folio_session_state_get_signing_out")
public func folio_session_state_get_signing_out(_ state: OpaquePointer?) -> Int32 {
    fact(state, SessionStateBox.self, absent: 0) { $0.state.signingOut ? 1 : 0 }
}

@implementation @_cdecl("folio_session_state_copy_error")
public func folio_session_state_copy_error(_ state: OpaquePointer?) -> OpaquePointer? {
    let error = fact(state, SessionStateBox.self, absent: nil) { $0.state.error }
    return error.flatMap { handles.insert(ErrorBox(FolioError($0))) }
}

@implementation @_cdecl("folio_session_state_retain")
public func folio_session_state_retain(_ state: OpaquePointer?) -> OpaquePointer? {
    retained(state, SessionStateBox.self)
}

@implementation @_cdecl("folio_session_state_release")
public func folio_session_state_release(_ state: OpaquePointer?) {
    release(state, SessionStateBox.self)
}
