#if !canImport(Darwin)
import Testing

import HearthDelivery

@Suite("libcurl, loaded when it is needed", .timeLimit(.minutes(20)))
struct CurlLibraryTests {
    @Test("A library that is not there is an error that names it and what to install")
    func missing() throws {
        let error = #expect(throws: DeliveryError.self) { try CurlLibrary(names: ["libhearth-none.so.9"]) }
        #expect(error == .libraryMissing("libhearth-none.so.9", package: "libcurl4"))
        let text = error?.errorDescription ?? ""
        #expect(text.contains("libhearth-none.so.9") && text.contains("apt install libcurl4"))
    }

    @Test("Another library of that name is told apart by what it lacks")
    func foreign() throws {
        let error = #expect(throws: DeliveryError.self) { try CurlLibrary(names: ["libm.so.6"]) }
        #expect(error == .libraryMissing("libm.so.6 with curl_version", package: "libcurl4"))
    }

    @Test("The second name will do; the version is the library's own word")
    func present() throws {
        let library = try CurlLibrary(names: ["libhearth-none.so.9"] + CurlLibrary.names)
        let version = try #require(library.version())
        #expect(String(cString: version).hasPrefix("libcurl/"))
        #expect(try TransferLibrary.version().hasPrefix("libcurl/"))
    }
}
#endif
