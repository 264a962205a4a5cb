/// What the outside world lends to one reduction: the machines have no clock and no randomness of their own.
public struct Moment: Hashable, Sendable {
    /// Milliseconds on the clock that counts sleep.
    public var now: Int64
    /// The boot that clock belongs to.
    public var bootId: String
    /// A new random id that may be shown.
    public var publicId: String
    /// A new random id that must stay between this device and the service.
    public var secretId: String

    public init(now: Int64, bootId: String, publicId: String, secretId: String) {
        self.now = now
        self.bootId = bootId
        self.publicId = publicId
        self.secretId = secretId
    }
}

/// The generation of one question: an answer is taken only while its ticket is the awaited one.
public typealias Ticket = UInt64
