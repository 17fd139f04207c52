internal import HearthCoreMLFormat

/// Where a copy goes: a package, or a bare `.mlmodel` file, which has no room for the weights of programs.
struct CompressedCopy {
    /// Of the package; nil for a file.
    let writer: CoreMLPackageWriter?
    private let package: CoreMLPackage
    private let path: String

    /// A model without programs stays the file or the package that it is, unless the name says otherwise.
    static func kind(_ package: CoreMLPackage, _ path: String) -> OutputPath.Kind {
        if ModelPart.all(of: package).contains(where: { $0.package.model.program != nil }) { return .package }
        if OutputPath.hasSuffix(path, ".mlmodel") { return .file }
        return package.manifest == nil && !OutputPath.hasSuffix(path, ".mlpackage") ? .file : .package
    }

    init(
        _ package: CoreMLPackage, _ path: String, _ isReplacing: Bool, _ began: (String) -> Void
    ) throws {
        (self.package, self.path) = (package, path)
        guard Self.kind(package, path) == .package else {
            writer = nil
            return
        }
        let writer = try CoreMLPackageWriter(path: path, replacing: isReplacing)
        began(writer.temporaryPath)
        self.writer = writer
    }

    /// Writes the model; it appears complete or not at all.
    func finish(_ model: CoreMLSpecification, _ began: (String) -> Void) throws {
        guard let writer else { return try package.write(model, to: path, began: began) }
        try package.finish(writer, model)
    }
}
