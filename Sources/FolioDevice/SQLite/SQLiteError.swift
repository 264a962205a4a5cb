import CSQLite
import FolioModel
import Glibc

enum SQLiteError {
    /// SQLITE_IOERR_SHORT_READ, a macro that Swift does not see.
    private static let shortRead: Int32 = SQLITE_IOERR | (2 << 8)

    static func of(_ handle: OpaquePointer, _ code: Int32) -> DeviceError {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy
        case SQLITE_FULL: return full
        // SQLITE_ERROR is a schema that is not ours any more: a damaged page can look like that.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_FORMAT:
            return .damaged("folio.sqlite is damaged")
        case SQLITE_IOERR where code == shortRead: return .damaged("folio.sqlite is cut off")
        default: break
        }
        switch sqlite3_system_errno(handle) {
        case ENOSPC, EDQUOT, EFBIG: return full
        default: break
        }
        return .failed(
            .unavailable, "folio.sqlite cannot be used: \(String(cString: sqlite3_errstr(code))). Check its permissions and its disk.")
    }

    private static let full = DeviceError.failed(
        .full, "folio.sqlite cannot be written: the disk or a file size limit is full. Make room and try again.")
}
