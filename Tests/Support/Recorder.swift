import Synchronization

/// Values in the order in which a listener heard them.
package final class Recorder<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    package init() {}

    package func record(_ value: Value) { values.withLock { $0.append(value) } }
    package var all: [Value] { values.withLock { $0 } }
    package func clear() { values.withLock { $0 = [] } }
}
