internal import CZlib
internal import Foundation

/// zlib, loaded by the first archive that is packed.
struct ZlibLibrary: @unchecked Sendable {
    typealias Stream = UnsafeMutablePointer<z_stream>
    typealias Begin = @convention(c) (Stream?, Int32, UnsafePointer<CChar>?, Int32) -> Int32
    typealias Inflate = @convention(c) (Stream?, Int32) -> Int32
    typealias End = @convention(c) (Stream?) -> Int32
    typealias Checksum = @convention(c) (UInt, UnsafePointer<UInt8>?, UInt32) -> UInt

    #if canImport(Darwin)
    private static let names = ["/usr/lib/libz.1.dylib"]
    #else
    private static let names = ["libz.so.1"]
    #endif
    private static let package = "zlib1g"

    let begin: Begin
    let inflate: Inflate
    let reset: End
    let end: End
    let crc32: Checksum

    private static let loaded = Result { () throws(DeliveryError) in try ZlibLibrary() }

    static func shared() throws(DeliveryError) -> ZlibLibrary { try loaded.get() }

    private init() throws(DeliveryError) {
        guard let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
            throw .libraryMissing(Self.names[0], package: Self.package)
        }
        func function<Function>(_ name: String, _ type: Function.Type) throws(DeliveryError) -> Function {
            guard let address = dlsym(library, name) else {
                throw .libraryMissing("\(Self.names[0]) with \(name)", package: Self.package)
            }
            // The type is that of the header that this was compiled with.
            return unsafeBitCast(address, to: type)
        }
        begin = try function("inflateInit2_", Begin.self)
        inflate = try function("inflate", Inflate.self)
        reset = try function("inflateReset", End.self)
        end = try function("inflateEnd", End.self)
        crc32 = try function("crc32", Checksum.self)
    }
}

/// CRC-32 of bytes that come in pieces, as zip has it.
struct CRC32 {
    private let library: ZlibLibrary
    private(set) var value: UInt32 = 0

    init() throws(DeliveryError) { library = try .shared() }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            value = UInt32(
                truncatingIfNeeded: library.crc32(
                    UInt(value), part.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(part.count)))
            rest = rest.dropFirst(part.count)
        }
    }
}
