import FolioModel

/// What each `DeviceWrite` changes, inside the transaction of `DeviceFile.write`.
struct DeviceChange {
    private let connection: Connection
    private let seal: Seal
    private let vaults: VaultTable

    init(_ connection: Connection, _ seal: Seal) {
        self.connection = connection
        self.seal = seal
        vaults = VaultTable(connection, seal)
    }

    func apply(_ write: DeviceWrite, to state: inout DeviceState) throws(DeviceError) {
        switch write {
        case .setIntent(let intent):
            state.intent = intent
        case .endSession(let intent, let notice, let vaultIsDead):
            try leaveVault(of: state.session?.identity, isDead: vaultIsDead)
            state.session = nil
            state.intent = intent
            if let notice { state.notice = notice }
        case .beginReplaceGuest(let intent):
            state.session?.tokens = nil
            state.intent = intent
        case .adoptGuest(let session):
            try vaults.open(for: try owner(session))
            state.session = session
            state.intent = nil
        case .replaceGuest(let session):
            try vaults.changeOwner(from: state.session?.identity.userId, to: try owner(session))
            state.session = session
            state.intent = nil
        case .completeSwitch(let session, let clearNotice):
            let newOwner = try owner(session)
            if let previous = state.session {
                try addRevocation(previous)
                if case .transient(let guest) = previous.identity, guest != newOwner {
                    try vaults.handOver(from: guest, to: newOwner)
                }
            }
            try vaults.open(for: newOwner)
            state.session = session
            state.intent = nil
            if clearNotice { state.notice = nil }
        case .abandonSwitch(let session):
            try addRevocation(session)
            state.intent = nil
        case .renewTokens(let tokens):
            guard state.session != nil else {
                throw .failed(.superseded, "Another process changed the session meanwhile.")
            }
            state.session?.tokens = tokens
        }
    }

    private func owner(_ session: SavedSession) throws(DeviceError) -> String {
        guard let userId = session.identity.userId else { throw .failed(.unavailable, "A session without identity cannot be saved.") }
        return userId
    }

    private func leaveVault(of identity: Identity?, isDead: Bool) throws(DeviceError) {
        switch identity {
        case .transient(let userId): try vaults.leaveGuest(userId)
        case .authenticated(let userId, _): if isDead { try vaults.kill(userId) }
        case .unresolved, nil: break
        }
    }

    private func addRevocation(_ session: SavedSession) throws(DeviceError) {
        guard let token = session.tokens?.refreshToken else { return }
        try connection.run(
            "INSERT INTO revocation (token) VALUES (?1)", .blob(seal.seal(Array(token.utf8), Seal.context(.revocation))))
    }
}
