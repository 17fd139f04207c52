internal import HearthSystem

/// The secret token that clients have to send. Stored as a digest, and compared in constant time.
package struct BearerToken: Sendable {
    /// Minimum number of characters; shorter tokens could be guessed.
    static let minimum = 16
    private let digest: [UInt8]

    /// - Throws: `ServerError.weakToken`.
    package init(_ secret: String) throws(ServerError) {
        guard secret.utf8.count >= Self.minimum, secret.utf8.count <= 1024,
            secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .weakToken(minimum: Self.minimum) }
        digest = Array(SHA256.digest(of: secret.utf8).utf8)
    }

    /// Whether an `Authorization` header contains the token.
    func isShown(by header: String?) -> Bool {
        let words = (header ?? "").split(separator: " ", maxSplits: 1)
        let isBearer = words.count == 2 && words[0].lowercased() == "bearer"
        let shown = Array(SHA256.digest(of: (isBearer ? String(words[1]) : "").utf8).utf8)
        var difference: UInt8 = shown.count == digest.count ? 0 : 1
        for (a, b) in zip(shown, digest) { difference |= a ^ b }
        return isBearer && difference == 0
    }
}
