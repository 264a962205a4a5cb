public import FolioDevice

/// An opened value, which owns its bytes.
public typealias VaultValue = FolioDevice.VaultValue
/// A record as it is listed, without its value.
public typealias VaultEntry = FolioDevice.VaultEntry
/// A value that lost to another of the same key in a carry-over.
public typealias VaultConflict = FolioDevice.VaultConflict
