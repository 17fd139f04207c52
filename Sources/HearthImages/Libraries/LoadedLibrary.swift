#if !canImport(ImageIO)
internal import Foundation

/// A system library, loaded on demand and kept until the process ends. Linking it would slow down every start of the program,
/// and few of them decode images.
struct LoadedLibrary {
    /// The system's handle of the library.
    let handle: UnsafeMutableRawPointer
    private let name: String
    private let package: String

    /// Loads a library.
    /// - Parameter names: file names, tried in this order.
    /// - Throws: `ImageError.libraryMissing`.
    init(names: [String], package: String) throws(ImageError) {
        guard let handle = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
            throw .libraryMissing(names.first ?? "", package: package)
        }
        (self.handle, self.package, name) = (handle, package, names.first ?? "")
    }

    /// Returns a function by name; its type is defined by the header used at compile time.
    /// - Throws: `ImageError.libraryMissing` if this version of the library does not have it.
    func function<Function>(_ function: String, as type: Function.Type = Function.self) throws(ImageError) -> Function {
        guard let address = dlsym(handle, function) else {
            throw lacks(function)
        }
        return unsafeBitCast(address, to: type)
    }

    /// The error for a library without a required function.
    func lacks(_ function: String) -> ImageError {
        .libraryMissing("\(name) with \(function)", package: package)
    }
}
#endif
