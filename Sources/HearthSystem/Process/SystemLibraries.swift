#if canImport(SQLite3)
internal import SQLite3
#else
internal import CSQLite
#endif

#if canImport(CryptoKit)
internal import Foundation
#else
internal import COpenSSL
#endif

/// Versions of the system's libraries, as reported by the libraries themselves: those loaded now, which need not be
/// those that this was built with.
package enum SystemLibraries {
    /// Such as `3.40.1`.
    package static var sqlite: String { String(cString: sqlite3_libversion()) }

    /// Such as `OpenSSL 3.0.15 3 Sep 2024`; CryptoKit is a part of its system.
    package static var crypto: String {
        #if canImport(CryptoKit)
        "CryptoKit of \(ProcessInfo.processInfo.operatingSystemVersionString)"
        #else
        String(cString: OpenSSL_version(OPENSSL_VERSION))
        #endif
    }
}
