public import FolioDevice
import FolioMachine
public import FolioModel
import Synchronization

/// Reports and reaches the vault: sealed records that belong to the identity.
///
/// A store acts for the identity of its last delivered state, before the first delivery for the identity at mount. When
/// that is no longer the current one, or its services do not run, calls throw `vaultNotRunning` and change nothing. Calls
/// run on the calling thread; a write has reached the disk when it returns. Keys are 1 to 1,024 bytes of UTF-8, values 0
/// to 16 MiB; outside of that `invalidArgument`. `storage` when the file cannot be read or written.
public final class VaultStore: Sendable {
    private let sdk: FolioSdk
    private let core: StoreCore<VaultState>

    private init(_ sdk: FolioSdk) throws(FolioError) {
        self.sdk = sdk
        core = try sdk.delivery.mount(VaultState(), \.vault)
    }

    /// Mounts a store on the vault of the current identity.
    /// - Throws: `shutDown`, `notReady`, `forked`.
    public static func mount(_ sdk: FolioSdk) throws(FolioError) -> VaultStore {
        if Fork.isChild { throw .forked }
        return try VaultStore(sdk)
    }

    /// The state delivered last. Works after close and shutdown.
    public var state: VaultState { sdk.delivery.withLock { _ in core.state } }

    /// Hears every later change in order; without a listener the subscription has an inbox that begins with the current
    /// state, and `inboxEnd` is called when it ends. When this throws, the listener or inbox has been ended.
    public func subscribe(
        _ listener: Listener<Delivered<VaultState>>?, inboxEnd: @escaping @Sendable () -> Void = {}
    ) throws(FolioError) -> Subscription<VaultState> {
        try sdk.delivery.subscribe(listener, inboxEnd: inboxEnd, to: core)
    }

    /// Fails only for what is known at once (`closed`, `shutDown`, `forked`).
    public func dispatch(_ action: VaultAction) throws(FolioError) {
        if Fork.isChild { throw .forked }
        try sdk.delivery.accept(for: core)
        sdk.post(.vault(action))
    }

    /// Ends the subscriptions. Harmless twice.
    public func close() {
        if Fork.isChild { return }
        sdk.delivery.close(core, \.vault)
    }

    // MARK: Records

    /// Writes one record in one durable commit.
    public func put(_ key: String, _ value: UnsafeRawBufferPointer) throws(FolioError) {
        let owner = try owner()
        try sdk.vault.write { (file) throws(VaultFailure) in try file.put(key, value, owner: owner) }
    }

    /// - Returns: `nil` when there is no such record.
    /// - Throws: `recordDamaged` when this record cannot be opened.
    public func get(_ key: String) throws(FolioError) -> VaultValue? {
        let owner = try owner()
        return try sdk.vault.read { (file) throws(VaultFailure) in try file.get(key, owner: owner) }
    }

    /// - Returns: Whether there was such a record.
    @discardableResult
    public func delete(_ key: String) throws(FolioError) -> Bool {
        let owner = try owner()
        return try sdk.vault.write { (file) throws(VaultFailure) in try file.delete(key, owner: owner) }
    }

    /// Writes all records in one durable commit, or none.
    public func putMany(_ records: [(key: String, value: UnsafeRawBufferPointer)]) throws(FolioError) {
        let owner = try owner()
        try sdk.vault.write { (file) throws(VaultFailure) in try file.putMany(records, owner: owner) }
    }

    /// Counts the records whose key begins with `prefix`; empty counts all.
    public func count(prefix: String = "") throws(FolioError) -> Int64 {
        let owner = try owner()
        return try sdk.vault.read { (file) throws(VaultFailure) in try file.count(prefix: prefix, owner: owner) }
    }

    /// Lists records whose key begins with `prefix`, in order of the key's bytes, without values.
    /// - Parameters:
    ///   - after: The last key of the page before, `nil` for the first.
    ///   - limit: 1 to 1,000. A page with fewer is the last.
    public func list(prefix: String = "", after: String? = nil, limit: Int) throws(FolioError) -> [VaultEntry] {
        let owner = try owner()
        return try sdk.vault.read { (file) throws(VaultFailure) in
            try file.list(prefix: prefix, after: after, limit: limit, owner: owner)
        }
    }

    /// Begins a transaction; see `VaultTransaction`.
    public func transaction() throws(FolioError) -> VaultTransaction { VaultTransaction(self, try owner()) }

    // MARK: Conflict copies

    /// Conflict copies with ids above `after`, at most 1,000, in order of their ids.
    public func conflicts(after: Int64 = 0) throws(FolioError) -> [VaultConflict] {
        let owner = try owner()
        return try sdk.vault.read { (file) throws(VaultFailure) in try file.conflicts(after: after, owner: owner) }
    }

    /// The losing value. Throws `notFound` when there is no such copy.
    public func conflict(_ id: Int64) throws(FolioError) -> VaultValue {
        let owner = try owner()
        return try sdk.vault.read { (file) throws(VaultFailure) in try file.conflict(id, owner: owner) }
    }

    /// Makes the copy the record's value and removes the copy, in one durable commit. Throws `notFound`.
    public func keepConflict(_ id: Int64) throws(FolioError) {
        let owner = try owner()
        try sdk.vault.write { (file) throws(VaultFailure) in try file.keepConflict(id, owner: owner) }
    }

    /// Removes the copy. Throws `notFound`.
    public func dropConflict(_ id: Int64) throws(FolioError) {
        let owner = try owner()
        try sdk.vault.write { (file) throws(VaultFailure) in try file.dropConflict(id, owner: owner) }
    }

    // MARK: Whom it acts for

    /// The identity this store acts for, when that is the one whose vault is open.
    fileprivate func owner() throws(FolioError) -> String {
        if Fork.isChild { throw .forked }
        return try sdk.delivery.withLock { (guarded) throws(FolioError) in
            if core.isClosed { throw .closed }
            try guarded.requireReady()
            let acting = core.hasRead ? core.state.userId : core.stateAtMount.userId
            guard let acting, acting == guarded.vault.published.userId else { throw .vaultNotRunning }
            return acting
        }
    }

    fileprivate func requireOwner(_ owner: String) throws(FolioError) {
        guard try self.owner() == owner else { throw .vaultNotRunning }
    }

    fileprivate func apply(_ writes: [VaultOperation], owner: String) throws(FolioError) {
        try requireOwner(owner)
        guard !writes.isEmpty else { return }
        try sdk.vault.write { (file) throws(VaultFailure) in try file.apply(writes, owner: owner) }
    }
}

/// Several writes in one durable commit, all or none. Writes are collected without a lock; reads see them. For one thread
/// at a time: another gets `busy`. After a commit, failed or not, calls throw `closed`.
public final class VaultTransaction: Sendable {
    fileprivate struct Guarded {
        /// By the key's bytes: a Swift `String` takes composed and decomposed letters for equal. `nil` deletes.
        var writes: [[UInt8]: VaultValue?] = [:]
        var order: [String] = []
        var isOver = false
    }

    private let store: VaultStore
    private let owner: String
    private let isUsed = Atomic<Bool>(false)
    private let guarded = Monitor(Guarded())

    init(_ store: VaultStore, _ owner: String) {
        self.store = store
        self.owner = owner
    }

    public func put(_ key: String, _ value: UnsafeRawBufferPointer) throws(FolioError) {
        do { try VaultFile.check(key: key, size: value.count) } catch { throw FolioError(error) }
        try use { (guarded) throws(FolioError) in guarded.set(key, VaultValue(copying: value)) }
    }

    /// - Returns: The transaction's own value with `modifiedAt` 0, else the stored one, or `nil`.
    public func get(_ key: String) throws(FolioError) -> VaultValue? {
        try use { (guarded) throws(FolioError) in
            if let own = guarded.writes[Array(key.utf8)] { return own }
            try store.requireOwner(owner)
            return try store.get(key)
        }
    }

    /// - Returns: Whether there was such a record.
    @discardableResult
    public func delete(_ key: String) throws(FolioError) -> Bool {
        do { try VaultFile.check(key: key, size: 0) } catch { throw FolioError(error) }
        return try use { (guarded) throws(FolioError) in
            let existed: Bool
            if let own = guarded.writes[Array(key.utf8)] {
                existed = own != nil
            } else {
                try store.requireOwner(owner)
                existed = try store.contains(key)
            }
            guarded.set(key, nil)
            return existed
        }
    }

    public func commit() throws(FolioError) {
        try use { (guarded) throws(FolioError) in
            guarded.isOver = true
            var operations: [VaultOperation] = []
            for key in guarded.order {
                guard let value = guarded.writes[Array(key.utf8)] else { continue }
                operations.append(value.map { .put(key: key, value: $0) } ?? .delete(key: key))
            }
            guarded.writes = [:]
            guarded.order = []
            try store.apply(operations, owner: owner)
        }
    }

    private func use<Value>(_ body: (inout Guarded) throws(FolioError) -> Value) throws(FolioError) -> Value {
        if Fork.isChild { throw .forked }
        guard !isUsed.exchange(true, ordering: .acquiring) else {
            throw FolioError(.busy, "Another thread uses this transaction; use it from one thread at a time.")
        }
        defer { isUsed.store(false, ordering: .releasing) }
        return try guarded.withLock { (guarded) throws(FolioError) in
            if guarded.isOver {
                throw FolioError(.closed, "The transaction is over; begin a new one.")
            }
            return try body(&guarded)
        }
    }
}

extension VaultTransaction.Guarded {
    fileprivate mutating func set(_ key: String, _ value: VaultValue?) {
        if writes.updateValue(value, forKey: Array(key.utf8)) == nil { order.append(key) }
    }
}

extension VaultStore {
    /// Whether there is such a record, without reading its value.
    fileprivate func contains(_ key: String) throws(FolioError) -> Bool {
        // No key that begins with `key` stands before it.
        try list(prefix: key, limit: 1).first.map { $0.key.utf8.elementsEqual(key.utf8) } ?? false
    }
}
