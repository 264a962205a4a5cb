/// How a runtime is made.
public struct FolioConfiguration: Sendable {
    /// The directory of the device's files; missing folders are created with mode 0700.
    public var dataDirectory: String
    /// 32 bytes from the platform's key store; `nil` for a key file beside the database.
    public var storageKey: [UInt8]?
    /// How long create may take, in milliseconds, 1 or more.
    public var timeoutMs: Int32 = 30_000
    /// The life of the embedded service's access tokens, in seconds, 1 or more.
    public var embeddedTokenLife: Int64 = 3_600

    public static let storageKeyBytes = 32

    public init(dataDirectory: String) {
        self.dataDirectory = dataDirectory
    }
}
