#if canImport(CryptoKit)
internal import CryptoKit
internal import Foundation
#else
internal import COpenSSL
#endif

/// SHA-256 (FIPS 180-4), fed piece by piece; libcrypto on Linux, CryptoKit on Apple systems.
///
///     var hash = SHA256()
///     hash.update(bytes)
///     hash.finalize()  // "e3b0c442…", 64 lower-case hexadecimal digits
package struct SHA256: ~Copyable {
    #if canImport(CryptoKit)
    private var state = CryptoKit.SHA256()
    #else
    private let context: OpaquePointer?
    #endif

    /// An empty message.
    package init() {
        #if !canImport(CryptoKit)
        context = EVP_MD_CTX_new()
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
        #endif
    }

    #if !canImport(CryptoKit)
    deinit { EVP_MD_CTX_free(context) }
    #endif

    /// Appends bytes to the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        #if canImport(CryptoKit)
        _ = start
        state.update(bufferPointer: bytes)
        #else
        EVP_DigestUpdate(context, start, bytes.count)
        #endif
    }

    /// Appends bytes to the message.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable { update(UnsafeRawBufferPointer($0)) }
        if done == nil { Array(bytes).withUnsafeBytes { update($0) } }
    }

    /// The digest of all that was appended, in lower-case hexadecimal digits.
    package consuming func finalize() -> String {
        #if canImport(CryptoKit)
        return state.finalize().lazy.map(Self.hex).joined()
        #else
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        return digest.lazy.map(Self.hex).joined()
        #endif
    }

    /// The digest of a whole message.
    package static func digest(of bytes: some Sequence<UInt8>) -> String {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finalize()
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return byte < 16 ? "0" + digits : digits
    }
}
