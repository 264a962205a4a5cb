import FolioModel

/// The one row of the table `device`, opened.
struct DeviceRow {
    var deviceId: String
    var generation: Int64
    var state: DeviceState
    var hasRevocations: Bool
    var hasDeadVaults: Bool

    private static let keyCheck = Array("folio".utf8)

    static func sealedKeyCheck(_ seal: Seal, deviceId: String) -> [UInt8] {
        seal.seal(keyCheck, Seal.context(.keyCheck, Array(deviceId.utf8)))
    }

    func sealedState(_ seal: Seal) throws(DeviceError) -> [UInt8] {
        seal.seal(
            try state.encoded(),
            Self.context(deviceId: deviceId, generation: generation, userId: state.session?.identity.userId))
    }

    /// Binds the open columns to the sealed one.
    private static func context(deviceId: String, generation: Int64, userId: String?) -> [UInt8] {
        Seal.context(
            .deviceState, Array(deviceId.utf8), Seal.bytes(of: generation), userId == nil ? [0] : [1],
            Array((userId ?? "").utf8))
    }

    static func read(_ connection: Connection, _ seal: Seal) throws(DeviceError) -> DeviceRow {
        let row = try connection.first(
            """
            SELECT device_id, key_check, generation, user_id, state, EXISTS (SELECT 1 FROM revocation),
                EXISTS (SELECT 1 FROM vault WHERE dead <> 0)
            FROM device WHERE id = 1
            """
        ) { (columns: Statement) throws(DeviceError) -> DeviceRow in
            guard let deviceId = columns.text(0) else { throw .damaged("The device id cannot be read") }
            guard seal.open(columns.borrowed(1), Seal.context(.keyCheck, Array(deviceId.utf8))) == keyCheck else {
                throw .failed(
                    .wrongKey, "The storage key does not open folio.sqlite; give the key it was made with. Nothing was changed.")
            }
            let generation = columns.integer(2)
            let userId = columns.text(3)
            guard
                let opened = seal.open(
                    columns.borrowed(4), context(deviceId: deviceId, generation: generation, userId: userId))
            else { throw .damaged("The saved session is damaged") }
            let state = try DeviceState(decoding: opened)
            guard state.session?.identity.userId == userId else { throw .damaged("The saved session is damaged") }
            return DeviceRow(
                deviceId: deviceId, generation: generation, state: state, hasRevocations: columns.integer(5) != 0,
                hasDeadVaults: columns.integer(6) != 0)
        }
        guard let row else { throw .damaged("folio.sqlite has no device row") }
        return row
    }

    func save(_ connection: Connection, _ seal: Seal) throws(DeviceError) {
        try connection.run(
            "UPDATE device SET generation = ?1, user_id = ?2, state = ?3 WHERE id = 1",
            .integer(generation), state.session?.identity.userId.map { .text($0) } ?? .null,
            .blob(try sealedState(seal)))
    }
}
