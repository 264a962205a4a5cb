/// The types a handle can have; 0 is none, so that no handle looks like NULL.
enum HandleKind: UInt8 {
    case error = 1
    case configuration, runtime, subscription
    case sessionStore, sessionState
    case authStore, authState
    case vaultStore, vaultState, vaultValue, vaultPage, vaultConflicts, vaultTransaction
    case service, message

    /// The C type, for messages.
    var typeName: String {
        switch self {
        case .error: "folio_error_t"
        case .configuration: "folio_config_t"
        case .runtime: "folio_sdk_t"
        case .subscription: "folio_subscription_t"
        case .sessionStore: "folio_session_store_t"
        case .sessionState: "folio_session_state_t"
        case .authStore: "folio_auth_store_t"
        case .authState: "folio_auth_state_t"
        case .vaultStore: "folio_vault_store_t"
        case .vaultState: "folio_vault_state_t"
        case .vaultValue: "folio_vault_value_t"
        case .vaultPage: "folio_vault_page_t"
        case .vaultConflicts: "folio_vault_conflicts_t"
        case .vaultTransaction: "folio_vault_transaction_t"
        case .service: "folio_service_t"
        case .message: "folio_message_t"
        }
    }
}
