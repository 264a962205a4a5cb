/// Every member of an answer that Folio knows. A member of the wrong type counts as missing.
struct AnswerBody: Decodable {
    var accessToken: String?
    var tokenType: String?
    var expiresIn: Seconds?
    var refreshToken: String?
    var user: UserBody?
    var ceremonyId: String?
    var resendIn: Seconds?
    var triesLeft: Seconds?
    var error: String?
    var code: String?

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token", tokenType = "token_type", expiresIn = "expires_in"
        case refreshToken = "refresh_token", user, ceremonyId = "ceremony_id", resendIn = "resend_in"
        case triesLeft = "tries_left", error, code
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try? members.decode(String.self, forKey: .accessToken)
        tokenType = try? members.decode(String.self, forKey: .tokenType)
        expiresIn = try? members.decode(Seconds.self, forKey: .expiresIn)
        refreshToken = try? members.decode(String.self, forKey: .refreshToken)
        user = try? members.decode(UserBody.self, forKey: .user)
        ceremonyId = try? members.decode(String.self, forKey: .ceremonyId)
        resendIn = try? members.decode(Seconds.self, forKey: .resendIn)
        triesLeft = try? members.decode(Seconds.self, forKey: .triesLeft)
        error = try? members.decode(String.self, forKey: .error)
        code = try? members.decode(String.self, forKey: .code)
    }
}

/// A user as answers name it.
struct UserBody: Codable {
    var type: String
    var userId: String
    var email: String?

    enum CodingKeys: String, CodingKey {
        case type, userId = "user_id", email
    }
}

/// A whole number as servers write it: integer, fraction, exponent or text. Out of range becomes the nearest limit.
struct Seconds: Decodable {
    /// Ten years: long enough for every life, and safe to turn into milliseconds and add to a clock.
    static let maximum: Int64 = 315_360_000
    let value: Int64

    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        if let whole = try? single.decode(Int64.self) {
            value = min(max(whole, -1), Self.maximum)
            return
        }
        let number: Double
        if let fraction = try? single.decode(Double.self) {
            number = fraction
        } else {
            let text = try single.decode(String.self)
            guard let fraction = Double(text) else { throw NotANumber() }
            number = fraction
        }
        guard !number.isNaN else { throw NotANumber() }
        // A part of a second counts as a whole one, so that a short life is not taken for none.
        value = number <= 0 ? -1 : Int64(min(number.rounded(.up), Double(Self.maximum)))
    }

    struct NotANumber: Error {}
}
