#if !canImport(ImageIO)
internal import Foundation

/// A library of the system, loaded when it is needed and for as long as the process lives. Linked, it would cost every start
/// of the program time, and few starts look at a picture.
struct LoadedLibrary {
    /// What the system calls it by.
    let handle: UnsafeMutableRawPointer
    private let name: String
    private let package: String

    /// - Parameter names: tried in this order.
    /// - Throws: `ImageError.libraryMissing`.
    init(names: [String], package: String) throws(ImageError) {
        guard let handle = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
            throw .libraryMissing(names.first ?? "", package: package)
        }
        (self.handle, self.package, name) = (handle, package, names.first ?? "")
    }

    /// A function by its name; the header that this was compiled with says of which type it is.
    /// - Throws: `ImageError.libraryMissing` where the library is one without it.
    func function<Function>(_ function: String, as type: Function.Type = Function.self) throws(ImageError) -> Function {
        guard let address = dlsym(handle, function) else {
            throw lacks(function)
        }
        return unsafeBitCast(address, to: type)
    }

    /// The error of a library that is one without a function.
    func lacks(_ function: String) -> ImageError {
        .libraryMissing("\(name) with \(function)", package: package)
    }
}
#endif
