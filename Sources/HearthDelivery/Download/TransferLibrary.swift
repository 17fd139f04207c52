internal import Foundation

/// The library that makes transfers, for `hearth doctor`.
package enum TransferLibrary {
    /// Such as `libcurl/7.88.1 OpenSSL/3.0.15 zlib/1.2.13`: of the library that is installed now.
    ///
    /// - Throws: `DeliveryError.libraryMissing`. Everything but downloading works without it.
    package static func version() throws(DeliveryError) -> String {
        #if canImport(Darwin)
        "URLSession of \(ProcessInfo.processInfo.operatingSystemVersionString)"
        #else
        try CurlLibrary.shared().version().map { String(cString: $0) } ?? "libcurl"
        #endif
    }
}
