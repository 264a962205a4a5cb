public import CFolio
import Folio
import Synchronization

/// A configuration that the host fills in step by step, from any thread.
final class ConfigurationBox: Handled {
    static let kind = HandleKind.configuration

    private let value = Mutex(FolioConfiguration(dataDirectory: ""))

    func set(_ change: @Sendable (inout FolioConfiguration) -> Void) {
        value.withLock { change(&$0) }
    }

    func complete() throws(FolioError) -> FolioConfiguration {
        let configuration = value.withLock { $0 }
        guard !configuration.dataDirectory.isEmpty else {
            throw .invalidArgument("The configuration has no data directory; call folio_config_set_data_directory first.")
        }
        return configuration
    }
}

@implementation @_cdecl("folio_config_create")
public func folio_config_create(
    _ config: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    give(config, named: "config", error) { ConfigurationBox() }
}

@implementation @_cdecl("folio_config_set_data_directory")
public func folio_config_set_data_directory(
    _ config: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        let config = try require(config, ConfigurationBox.self)
        let path = try text(path, named: "path")
        guard !path.isEmpty else { throw .invalidArgument("path is empty; pass the directory for the device's files.") }
        config.set { $0.dataDirectory = path }
    }
}

@implementation @_cdecl("folio_config_set_storage_key")
public func folio_config_set_storage_key(
    _ config: OpaquePointer?, _ key: UnsafePointer<UInt8>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        let config = try require(config, ConfigurationBox.self)
        guard length == Int(FOLIO_STORAGE_KEY_BYTES), key != nil else {
            throw .invalidArgument("A storage key has \(FOLIO_STORAGE_KEY_BYTES) bytes; pass that many.")
        }
        let key = [UInt8](try bytes(key, length, named: "key"))
        config.set { $0.storageKey = key }
    }
}

@implementation @_cdecl("folio_config_set_timeout_ms")
public func folio_config_set_timeout_ms(
    _ config: OpaquePointer?, _ timeout_ms: Int32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        let config = try require(config, ConfigurationBox.self)
        guard timeout_ms >= 1 else { throw .invalidArgument("timeout_ms is \(timeout_ms); pass 1 or more milliseconds.") }
        config.set { $0.timeoutMs = timeout_ms }
    }
}

@implementation @_cdecl("folio_config_set_embedded_token_life")
public func folio_config_set_embedded_token_life(
    _ config: OpaquePointer?, _ seconds: Int64, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> folio_status_t {
    perform(error) { () throws(FolioError) in
        let config = try require(config, ConfigurationBox.self)
        guard seconds >= 1 else { throw .invalidArgument("seconds is \(seconds); pass a token life of 1 second or more.") }
        config.set { $0.embeddedTokenLife = seconds }
    }
}

@implementation @_cdecl("folio_config_release")
public func folio_config_release(_ config: OpaquePointer?) {
    release(config, ConfigurationBox.self)
}
