#if !canImport(Darwin)
internal import CCurl
internal import Foundation

/// libcurl, loaded by the first transfer.
///
/// If it were linked, it and its dependencies would add about 7 ms to every start, and few starts download anything.
package struct CurlLibrary: @unchecked Sendable {
    typealias Handle = UnsafeMutableRawPointer
    typealias List = UnsafeMutablePointer<curl_slist>
    typealias ListAppend = @convention(c) (List?, UnsafePointer<CChar>?) -> List?
    typealias Multi = @convention(c) (Handle?) -> CURLMcode
    typealias MultiEasy = @convention(c) (Handle?, Handle?) -> CURLMcode
    typealias MultiPoll =
        @convention(c) (
            Handle?, UnsafeMutablePointer<curl_waitfd>?, UInt32, Int32, UnsafeMutablePointer<Int32>?
        ) -> CURLMcode
    typealias MultiPerform = @convention(c) (Handle?, UnsafeMutablePointer<Int32>?) -> CURLMcode

    /// The current name of the library on Linux, then one with another TLS and the same functions.
    package static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]
    /// Debian's packages; others call them `libcurl` or `curl`.
    static let package = "libcurl4"

    package let version: @convention(c) () -> UnsafeMutablePointer<CChar>?
    let easyInit: @convention(c) () -> Handle?
    let easyCleanup: @convention(c) (Handle?) -> Void
    let easyError: @convention(c) (CURLcode) -> UnsafePointer<CChar>?
    let listAppend: ListAppend
    let listFree: @convention(c) (List?) -> Void
    let multiInit: @convention(c) () -> Handle?
    let multiCleanup: Multi
    let multiAdd: MultiEasy
    let multiRemove: MultiEasy
    let multiWakeUp: Multi
    let multiPoll: MultiPoll
    let multiPerform: MultiPerform
    /// Addresses for the shims of variadic functions.
    let setter: Handle
    let getter: Handle
    let messageReader: Handle

    /// Loaded once per process and never unloaded, because it has its own threads and handlers.
    private static let loaded = Result { () throws(DeliveryError) in try CurlLibrary(names: names) }

    static func shared() throws(DeliveryError) -> CurlLibrary { try loaded.get() }

    /// - Throws: `DeliveryError.libraryMissing` if none of these is installed, or only one that is far too old.
    package init(names: [String]) throws(DeliveryError) {
        guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
            throw .libraryMissing(names.first ?? "", package: Self.package)
        }
        func address(_ name: String) throws(DeliveryError) -> Handle {
            guard let address = dlsym(library, name) else {
                throw .libraryMissing("\(names.first ?? "") with \(name)", package: Self.package)
            }
            return address
        }
        func function<Function>(_ name: String, _ type: Function.Type) throws(DeliveryError) -> Function {
            // The type is that of the header that this was compiled with.
            unsafeBitCast(try address(name), to: type)
        }
        version = try function("curl_version", (@convention(c) () -> UnsafeMutablePointer<CChar>?).self)
        easyInit = try function("curl_easy_init", (@convention(c) () -> Handle?).self)
        easyCleanup = try function("curl_easy_cleanup", (@convention(c) (Handle?) -> Void).self)
        easyError = try function("curl_easy_strerror", (@convention(c) (CURLcode) -> UnsafePointer<CChar>?).self)
        listAppend = try function("curl_slist_append", ListAppend.self)
        listFree = try function("curl_slist_free_all", (@convention(c) (List?) -> Void).self)
        multiInit = try function("curl_multi_init", (@convention(c) () -> Handle?).self)
        multiCleanup = try function("curl_multi_cleanup", Multi.self)
        multiAdd = try function("curl_multi_add_handle", MultiEasy.self)
        multiRemove = try function("curl_multi_remove_handle", MultiEasy.self)
        multiWakeUp = try function("curl_multi_wakeup", Multi.self)
        multiPoll = try function("curl_multi_poll", MultiPoll.self)
        multiPerform = try function("curl_multi_perform", MultiPerform.self)
        setter = try address("curl_easy_setopt")
        getter = try address("curl_easy_getinfo")
        messageReader = try address("curl_multi_info_read")
        let globalInit = try function("curl_global_init", (@convention(c) (Int) -> CURLcode).self)
        guard globalInit(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
            throw .unreachable(url: "libcurl", reason: "it cannot be started")
        }
    }
}
#endif
