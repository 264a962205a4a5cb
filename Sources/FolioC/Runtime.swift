public import CFolio
import Folio

extension FolioSdk: Handled {
    static let kind = HandleKind.runtime
}

@implementation @_cdecl("folio_sdk_create")
public func folio_sdk_create(
    _ config: OpaquePointer?, _ sdk: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(sdk, named: "sdk", error) { () throws(FolioError) in
        try FolioSdk.create(require(config, ConfigurationBox.self).complete())
    }
}

@implementation @_cdecl("folio_sdk_create_async")
public func folio_sdk_create_async(
    _ config: OpaquePointer?, _ callback: folio_sdk_created_callback_t?, _ context: UnsafeMutableRawPointer?,
    _ destroy: folio_destroy_callback_t?, _ sdk: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    let context = HostContext(context, destroy)
    return register(context, sdk, named: "sdk", error) { () throws(FolioError) in
        guard let callback else { throw missingCallback }
        return (try require(config, ConfigurationBox.self).complete(), callback)
    } register: { (prepared) throws(FolioError) in
        let (configuration, callback) = prepared
        return try FolioSdk.createAsync(
            configuration,
            completion: Listener(
                { failure in
                    let lent = failure.map { LentHandle(ErrorBox($0)) }
                    withExtendedLifetime(lent) { callback(context.pointer, lent?.handle) }
                }, end: context.end))
    }
}

@implementation @_cdecl("folio_sdk_open_event_fd")
public func folio_sdk_open_event_fd(
    _ sdk: OpaquePointer?, _ fd: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    giveNumber(fd, error) { () throws(FolioError) in
        guard fd != nil else { throw missing("fd") }
        return try require(sdk, FolioSdk.self).openEventDescriptor()
    }
}

@implementation @_cdecl("folio_sdk_dispatch_events")
public func folio_sdk_dispatch_events(
    _ sdk: OpaquePointer?, _ max: Int32, _ count: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    giveNumber(count, error) { () throws(FolioError) in
        let sdk = try require(sdk, FolioSdk.self)
        guard max >= 0 else { throw .invalidArgument("max is \(max); pass 0 for all events or a positive number.") }
        return try sdk.dispatchEvents(max: max)
    }
}

@implementation @_cdecl("folio_sdk_wait_events")
public func folio_sdk_wait_events(
    _ sdk: OpaquePointer?, _ timeout_ms: Int32, _ count: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    giveNumber(count, error) { () throws(FolioError) in
        try require(sdk, FolioSdk.self).waitEvents(timeoutMs: timeout_ms)
    }
}

@implementation @_cdecl("folio_sdk_get_pending")
public func folio_sdk_get_pending(_ sdk: OpaquePointer?) -> Int32 {
    guard !Fork.isChild, let sdk = handles.object(sdk, FolioSdk.self) else { return 0 }
    return sdk.pending
}

@implementation @_cdecl("folio_sdk_renew")
public func folio_sdk_renew(_ sdk: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(sdk, FolioSdk.self).renew()
    }
}

@implementation @_cdecl("folio_sdk_shutdown")
public func folio_sdk_shutdown(_ sdk: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        try require(sdk, FolioSdk.self).shutdown()
    }
}

@implementation @_cdecl("folio_sdk_release")
public func folio_sdk_release(_ sdk: OpaquePointer?) {
    guard !Fork.isChild else { return }
    handles.remove(sdk, FolioSdk.self)?.release()
}

@implementation @_cdecl("folio_sdk_copy_session_state")
public func folio_sdk_copy_session_state(
    _ sdk: OpaquePointer?, _ state: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(state, named: "state", error) { () throws(FolioError) in
        SessionStateBox(try require(sdk, FolioSdk.self).copySessionState())
    }
}

@implementation @_cdecl("folio_sdk_subscribe_log")
public func folio_sdk_subscribe_log(
    _ sdk: OpaquePointer?, _ callback: folio_log_callback_t?, _ context: UnsafeMutableRawPointer?,
    _ destroy: folio_destroy_callback_t?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    let context = HostContext(context, destroy)
    return register(context, subscription, named: "subscription", error) { () throws(FolioError) in
        guard let callback else { throw missingCallback }
        return (try require(sdk, FolioSdk.self), callback)
    } register: { (prepared) throws(FolioError) in
        let (sdk, callback) = prepared
        let lines = Listener<LogLine>(
            { line in line.text.withCString { callback(context.pointer, line.level, $0) } }, end: context.end)
        return SubscriptionBox(withoutInbox: try sdk.subscribeLog(lines))
    }
}

@implementation @_cdecl("folio_sdk_get_embedded_service")
public func folio_sdk_get_embedded_service(
    _ sdk: OpaquePointer?, _ service: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(service, named: "service", error) { () throws(FolioError) in
        try require(sdk, FolioSdk.self).embeddedService()
    }
}
