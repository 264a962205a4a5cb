import CFolio
import Folio
import FolioModel
import Testing

@testable import FolioC

@Suite("Constants of the C header")
struct ConstantTests {
    @Test("Statuses have the header's values and names")
    func statuses() {
        let values: [(FolioStatus, Int)] = [
            (.ok, FOLIO_OK), (.nothingWaiting, FOLIO_NOTHING_WAITING), (.invalidHandle, FOLIO_ERROR_INVALID_HANDLE),
            (.invalidArgument, FOLIO_ERROR_INVALID_ARGUMENT), (.busy, FOLIO_ERROR_BUSY), (.closed, FOLIO_ERROR_CLOSED),
            (.shutDown, FOLIO_ERROR_SHUT_DOWN), (.notReady, FOLIO_ERROR_NOT_READY), (.forked, FOLIO_ERROR_FORKED),
            (.directoryInUse, FOLIO_ERROR_DIRECTORY_IN_USE), (.notEmbedded, FOLIO_ERROR_NOT_EMBEDDED),
            (.network, FOLIO_ERROR_NETWORK), (.service, FOLIO_ERROR_SERVICE), (.storage, FOLIO_ERROR_STORAGE),
            (.notFound, FOLIO_ERROR_NOT_FOUND), (.vaultNotRunning, FOLIO_ERROR_VAULT_NOT_RUNNING),
            (.recordDamaged, FOLIO_ERROR_RECORD_DAMAGED), (.cancelled, FOLIO_ERROR_CANCELLED),
            (.internal, FOLIO_ERROR_INTERNAL),
        ]
        #expect(Set(values.map(\.0)) == Set(FolioStatus.allCases))
        for (status, value) in values {
            #expect(Int(status.rawValue) == value)
            #expect(folio_status_get_name(status.rawValue).map { String(cString: $0) } == status.name)
        }
    }

    @Test("Kinds of errors have the header's values")
    func kinds() {
        let values: [(FolioError.Kind, Int)] = [
            (.none, FOLIO_ERROR_KIND_NONE), (.network, FOLIO_ERROR_KIND_NETWORK), (.service, FOLIO_ERROR_KIND_SERVICE),
            (.storage, FOLIO_ERROR_KIND_STORAGE), (.invalidEmail, FOLIO_ERROR_KIND_INVALID_EMAIL),
            (.invalidCode, FOLIO_ERROR_KIND_INVALID_CODE), (.wrongCode, FOLIO_ERROR_KIND_WRONG_CODE),
            (.codeExpired, FOLIO_ERROR_KIND_CODE_EXPIRED), (.codeUsed, FOLIO_ERROR_KIND_CODE_USED),
            (.tooManyTries, FOLIO_ERROR_KIND_TOO_MANY_TRIES), (.rateLimited, FOLIO_ERROR_KIND_RATE_LIMITED),
            (.busy, FOLIO_ERROR_KIND_BUSY),
        ]
        #expect(Set(values.map(\.0)) == Set(FolioError.Kind.allCases))
        for (kind, value) in values { #expect(Int(kind.rawValue) == value) }
        for kind in AuthError.Kind.allCases { #expect(FolioError.Kind(rawValue: kind.rawValue) != FolioError.Kind.none) }
    }

    @Test("Facts and actions of the stores have the header's values")
    func facts() {
        #expect(Int(SessionStatus.device.rawValue) == FOLIO_SESSION_STATUS_DEVICE)
        #expect(Int(SessionStatus.activating.rawValue) == FOLIO_SESSION_STATUS_ACTIVATING)
        #expect(Int(SessionStatus.active.rawValue) == FOLIO_SESSION_STATUS_ACTIVE)
        #expect(Int(SessionStatus.deactivating.rawValue) == FOLIO_SESSION_STATUS_DEACTIVATING)
        #expect(Int(SessionNoticeReason.sessionEnded.rawValue) == FOLIO_SESSION_NOTICE_SESSION_ENDED)
        #expect(Int(SessionAction.signOut.rawValue) == FOLIO_SESSION_ACTION_SIGN_OUT)
        #expect(Int(SessionAction.dismissNotice.rawValue) == FOLIO_SESSION_ACTION_DISMISS_NOTICE)
        #expect(Int(VaultAction.retryCarryOver.rawValue) == FOLIO_VAULT_ACTION_RETRY_CARRY_OVER)
    }

    @Test("The limits have the header's values")
    func limits() {
        #expect(VaultLimits.keyBytes.upperBound == Int(FOLIO_VAULT_KEY_MAX_BYTES))
        #expect(VaultLimits.valueBytes.upperBound == Int(FOLIO_VAULT_VALUE_MAX_BYTES))
        #expect(VaultLimits.pageRecords.upperBound == Int(FOLIO_VAULT_PAGE_MAX_RECORDS))
        #expect(FolioConfiguration.storageKeyBytes == Int(FOLIO_STORAGE_KEY_BYTES))
    }
}
