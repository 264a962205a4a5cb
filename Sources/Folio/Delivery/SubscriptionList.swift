/// Subscriptions in order of subscription. Ended ones are passed over, and removed whenever the list has doubled.
struct SubscriptionList<Value: Sendable> {
    private(set) var all: [Subscription<Value>] = []
    private var nextCleaning = 16

    mutating func append(_ subscription: Subscription<Value>) {
        if all.count >= nextCleaning {
            all.removeAll { $0.isEnded }
            nextCleaning = max(16, all.count * 2)
        }
        all.append(subscription)
    }

    /// Empties the list.
    mutating func takeAll() -> [Subscription<Value>] {
        defer { all = [] }
        return all
    }
}
