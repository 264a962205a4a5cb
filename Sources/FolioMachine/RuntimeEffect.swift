public import FolioModel

/// What the loop must carry out, in this order.
public enum RuntimeEffect: Hashable, Sendable {
    case readDevice(Ticket)
    case acquireLock(Ticket)
    /// Lets the procedure lock go, or stops waiting for it.
    case releaseLock
    case createDevice(Ticket, deviceId: String, intent: Intent)
    case write(Ticket, DeviceWrite, expecting: Int64)
    case clearNotice
    case removeRevocation(id: Int64)
    case send(Ticket, ServiceRequest, accessToken: String?)
    case startServices(Ticket, Identity)
    case stopServices
    case readVault(Ticket, userId: String)
    case carryOver(Ticket, userId: String)
    case removeDeadRecords
    /// `at` in milliseconds on the clock that counts sleep; replaces the timer of the same kind.
    case setTimer(RuntimeTimer, at: Int64)
    case cancelTimer(RuntimeTimer)
    case publishSession(SessionState)
    case publishAuth(AuthState)
    case publishVault(VaultState)
    /// So many accepted actions have published their last state.
    case settle(Int)
    /// The start is over; with an error the runtime is over too.
    case started(SessionStartError?)
    case log(LogLevel, String)
}

public enum LogLevel: Int32, Hashable, Sendable {
    case error = 1
    case warning = 2
    case info = 3
    case debug = 4
}
