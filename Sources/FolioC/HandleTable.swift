import Folio
import Glibc

/// What a handle can stand for. Every kind belongs to exactly one conforming final class; `HandleTable` relies on it.
protocol Handled: AnyObject, Sendable {
    static var kind: HandleKind { get }
}

/// Generational ids in the place of addresses: 32 bits of generation, 8 of kind, 24 of slot. What a host hands in is
/// compared, never followed, so that a stale, foreign or wrong-type handle is only ever refused.
///
/// `@unchecked Sendable`: everything but `mutex` is read and written only between `lock` and `unlock` of it, and the
/// mutex is a fixed heap address that lives as long as the process.
final class HandleTable: @unchecked Sendable {
    private struct Slot {
        var object: Unmanaged<AnyObject>?
        var generation: UInt32
        var nextFree: UInt32
        var kind: UInt8
        /// Lent to a callback: the library ends it, a release by the host does nothing.
        var isLent: Bool
    }

    private static let slotBits: UInt64 = 24
    private static let slotLimit = 1 << 24
    private static let noSlot = UInt32.max

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var slots: UnsafeMutableBufferPointer<Slot>
    private var used = 0
    private var free = HandleTable.noSlot
    private let firstGeneration: UInt32

    init(firstGeneration: UInt32 = 1) {
        self.firstGeneration = firstGeneration
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        slots = .allocate(capacity: 256)
        Fork.registerLock(lock: { self.lock() }, unlock: { self.unlock() })
    }

    /// Makes a handle that keeps `object` alive; `nil` when all slots are taken.
    func insert<Object: Handled>(_ object: Object, isLent: Bool = false) -> OpaquePointer? {
        lock()
        defer { unlock() }
        guard let index = takeSlot() else { return nil }
        slots[index].object = Unmanaged.passRetained(object as AnyObject)
        slots[index].kind = Object.kind.rawValue
        slots[index].isLent = isLent
        let bits = UInt64(slots[index].generation) << 32 | UInt64(Object.kind.rawValue) << Self.slotBits | UInt64(index)
        return OpaquePointer(bitPattern: UInt(bits))
    }

    /// Reads from the object under the lock, without counting a reference; `nil` for a handle that is none of this type.
    /// `body` must not call the table or the host, and must not wait.
    @inline(__always)
    func read<Object: Handled, Value>(_ handle: OpaquePointer?, _: Object.Type, _ body: (Object) -> Value) -> Value? {
        lock()
        defer { unlock() }
        guard let index = slot(of: handle, kind: Object.kind), let object = slots[index].object else { return nil }
        // The downcast is right: the slot's kind is `Object.kind`, `insert` writes kind and object together, and one
        // class has that kind. The object stays alive: the slot's reference is given up only under the lock.
        return object._withUnsafeGuaranteedRef { body(unsafeDowncast($0, to: Object.self)) }
    }

    /// The object itself, to be used when the lock is not held.
    @inline(__always)
    func object<Object: Handled>(_ handle: OpaquePointer?, _ type: Object.Type) -> Object? {
        read(handle, type) { $0 }
    }

    /// Ends the handle and gives its object, so that the caller lets go of it where no lock is held.
    func remove<Object: Handled>(_ handle: OpaquePointer?, _: Object.Type, isLent: Bool = false) -> Object? {
        lock()
        defer { unlock() }
        guard let index = slot(of: handle, kind: Object.kind), slots[index].isLent == isLent,
            let object = slots[index].object
        else { return nil }
        slots[index].object = nil
        slots[index].kind = 0
        // A slot whose generations are used up is never taken again.
        if slots[index].generation < UInt32.max {
            slots[index].generation += 1
            slots[index].nextFree = free
            free = UInt32(truncatingIfNeeded: index)
        }
        // Right for the reason given in `read`.
        return unsafeDowncast(object.takeRetainedValue(), to: Object.self)
    }

    @inline(__always)
    private func lock() { pthread_mutex_lock(mutex) }

    @inline(__always)
    private func unlock() { pthread_mutex_unlock(mutex) }

    @inline(__always)
    private func slot(of handle: OpaquePointer?, kind: HandleKind) -> Int? {
        let bits = UInt64(UInt(bitPattern: handle))
        let index = Int(truncatingIfNeeded: bits & UInt64(Self.slotLimit - 1))
        guard UInt8(truncatingIfNeeded: bits >> Self.slotBits) == kind.rawValue, index < used,
            slots[index].kind == kind.rawValue, slots[index].generation == UInt32(truncatingIfNeeded: bits >> 32)
        else { return nil }
        return index
    }

    private func takeSlot() -> Int? {
        if free != Self.noSlot {
            let index = Int(free)
            free = slots[index].nextFree
            return index
        }
        guard used < Self.slotLimit else { return nil }
        if used == slots.count {
            let larger = UnsafeMutableBufferPointer<Slot>.allocate(capacity: used * 2)
            _ = larger.moveInitialize(fromContentsOf: slots)
            slots.deallocate()
            slots = larger
        }
        let index = used
        slots.initializeElement(
            at: index, to: Slot(object: nil, generation: firstGeneration, nextFree: Self.noSlot, kind: 0, isLent: false))
        used += 1
        return index
    }
}

let handles = HandleTable()
