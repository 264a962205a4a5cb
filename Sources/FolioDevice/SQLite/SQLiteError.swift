import CSQLite
import FolioModel
import Glibc

enum SQLiteError {
    /// SQLITE_IOERR_SHORT_READ, a macro that Swift does not see.
    private static let shortRead: Int32 = SQLITE_IOERR | (2 << 8)

    /// SQLITE_IOERR_WRITE and SQLITE_IOERR_SHMSIZE.
    private static let failedWrite: Int32 = SQLITE_IOERR | (3 << 8)
    private static let failedMapping: Int32 = SQLITE_IOERR | (19 << 8)

    private static var hasFileSizeLimit: Bool {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 && limit.rlim_cur != rlim_t.max
    }

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
        // The errno of a write beyond RLIMIT_FSIZE is lost when SQLite tidies up after it.
        if code == failedWrite || code == failedMapping, hasFileSizeLimit { return full }
        return .failed(
            .unavailable, "folio.sqlite cannot be used: \(String(cString: sqlite3_errstr(code))). Check its permissions and its disk.")
    }

    private static let full = DeviceError.failed(
        .full, "folio.sqlite cannot be written: the disk or a file size limit is full. Make room and try again.")
}
