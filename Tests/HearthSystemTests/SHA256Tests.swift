import HearthSystem
import Testing

@Suite("SHA-256", .timeLimit(.minutes(20)))
struct SHA256Tests {
    /// Digests of FIPS 180-4's examples (NIST CSRC).
    @Test(
        "Known digests",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func known(message: String, digest: String) {
        #expect(SHA256.digest(of: message.utf8) == digest)
    }

    @Test("Pieces give the digest of the whole")
    func pieces() {
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var hash = SHA256()
        var rest = bytes[...]
        var length = 0
        while !rest.isEmpty {
            hash.update(rest.prefix(length))
            rest = rest.dropFirst(length)
            length = (length * 7 + 3) % 641
        }
        #expect(hash.finalize() == SHA256.digest(of: bytes))
    }
}
