public import FolioModel

/// What happens to a runtime: an action of the application, or an answer to an effect.
public enum RuntimeEvent: Hashable, Sendable {
    /// The first event. `timeout` in milliseconds.
    case start(timeout: Int64)
    case session(SessionAction)
    case auth(AuthAction)
    case vault(VaultAction)
    case renewRequested
    /// A vault call of this process has changed records.
    case vaultChanged

    /// `nil`: there is no device file.
    case deviceRead(Ticket, Result<DeviceSnapshot?, StorageFailure>)
    /// The procedure lock is held, and the device was read again under it; or waiting for it has ended.
    case lockAnswered(Ticket, Result<DeviceSnapshot?, StorageFailure>)
    case deviceCreated(Ticket, Result<DeviceSnapshot, StorageFailure>)
    /// A commit, with the device as it is after it.
    case written(Ticket, Result<DeviceSnapshot, StorageFailure>)
    case answered(Ticket, Result<ServiceAnswer, ServiceFailure>)
    case servicesStarted(Ticket, Result<VaultSummary, StorageFailure>)
    case vaultRead(Ticket, Result<VaultSummary, StorageFailure>)
    case carriedOver(Ticket, Result<CarryOverStep, StorageFailure>)
    /// Whether records of dead vaults remain.
    case deadRecordsRemoved(Result<Bool, StorageFailure>)
    case timer(RuntimeTimer)
}

/// The timers of a runtime; each runs at most once at a time.
public enum RuntimeTimer: Hashable, Sendable, CaseIterable {
    /// Ends a start that takes too long.
    case start
    /// The next renewal, or the next try to replace a guest's ended session.
    case renewal
    case vaultReport
    case carryOverRetry
}
