public import FolioWire

public final class Service: Sendable {
    public init(directory path: String) {}
    public func answer(_ request: WireRequest, tokenLife seconds: Int64, now: ServiceClock) throws(ServiceBusy) -> WireResponse { WireResponse(status: 503) }
    public func nextMessage(now: ServiceClock = .wall()) throws(ServiceHostError) -> Message? { nil }
    public func endSessions(userId: String) throws(ServiceHostError) {}
    public func deleteAccount(userId: String, now: ServiceClock = .wall()) throws(ServiceHostError) {}
    public func setGuestAccount(email: String) throws(ServiceHostError) {}
}
