internal import Foundation

/// The library that performs transfers, for `hearth doctor`.
package enum TransferLibrary {
    /// The version of the installed library, such as `libcurl/7.88.1 OpenSSL/3.0.15 zlib/1.2.13`.
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
