import FolioModel
import FoundationEssentials

/// The sealed part of the device row: one value, so that no damage can take a part of it away unseen.
struct DeviceState: Codable {
    var session: SavedSession?
    var intent: Intent?
    var notice: SessionNoticeReason?

    func encoded() throws(DeviceError) -> [UInt8] {
        do {
            return [UInt8](try JSONEncoder().encode(self))
        } catch {
            throw .failed(.unavailable, "The session could not be written down.")
        }
    }

    init(session: SavedSession? = nil, intent: Intent? = nil, notice: SessionNoticeReason? = nil) {
        self.session = session
        self.intent = intent
        self.notice = notice
    }

    init(decoding bytes: [UInt8]) throws(DeviceError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            throw .damaged("The saved session cannot be read")
        }
    }
}
