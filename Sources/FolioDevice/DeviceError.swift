public import FolioModel

/// Why a step on the device file was not done. In both cases nothing was changed.
public enum DeviceError: Error, Hashable, Sendable {
    /// Another connection holds the file at this moment; the caller tries again by a timer.
    case busy
    case failed(StorageFailure)
}

extension DeviceError {
    static func failed(_ reason: StorageFailure.Reason, _ message: String) -> DeviceError {
        .failed(StorageFailure(reason, message))
    }

    static func damaged(_ what: String) -> DeviceError {
        .failed(.damaged, "\(what); the file was left as it is. Restore it from a copy or remove the data directory.")
    }
}
