import FolioModel

/// Sessions that are over on this device and still to be revoked at the service, one at a time.
struct RevocationQueue: Hashable, Sendable {
    var waiting: [Revocation] = []
    /// Tried in this run: one that did not get through is tried again at a later start.
    var tried: Set<Int64> = []
    var current: Revocation?
    var ticket: Ticket = 0

    mutating func take(_ revocations: [Revocation]) {
        waiting = revocations.filter { !tried.contains($0.id) }
    }
}

extension RuntimeMachine {
    mutating func sendNextRevocation() {
        guard revocation.current == nil, let next = revocation.waiting.first else { return }
        revocation.waiting.removeFirst()
        revocation.tried.insert(next.id)
        revocation.current = next
        revocation.ticket = newTicket()
        emit(.send(revocation.ticket, .revoke(refreshToken: next.refreshToken), accessToken: nil))
    }

    mutating func revocationAnswered(_ result: Result<ServiceAnswer, ServiceFailure>) {
        guard let done = revocation.current else { return }
        revocation.current = nil
        revocation.ticket = 0
        if case .failure(let failure) = result, failure.reason == .network {
            emit(.log(.info, "A previous session could not be revoked; it is tried again at the next start."))
        } else {
            emit(.removeRevocation(id: done.id))
        }
        goOn()
    }
}
