/// A request as it goes over the wire; `path` begins with `/` and is relative to the service's address.
public struct WireRequest: Sendable {
    public var method: String
    public var path: String
    public var headers: [(String, String)]
    public var body: [UInt8]

    public init(method: String, path: String, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    /// The first header of that name, in any case.
    public func header(_ name: String) -> String? { firstHeader(name, in: headers) }
}

/// An answer as it comes over the wire.
public struct WireResponse: Sendable {
    public var status: UInt16
    public var headers: [(String, String)]
    public var body: [UInt8]

    public init(status: UInt16, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of that name, in any case.
    public func header(_ name: String) -> String? { firstHeader(name, in: headers) }
}

private func firstHeader(_ name: String, in headers: [(String, String)]) -> String? {
    let wanted = name.lowercased()
    return headers.first { $0.0.lowercased() == wanted }?.1
}
