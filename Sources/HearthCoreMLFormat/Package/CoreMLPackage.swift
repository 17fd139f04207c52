package import HearthSystem

/// A Core ML model, mapped and validated: an `.mlpackage`, or a bare `.mlmodel`.
///
///     let package = try CoreMLPackage(path: "Digits.mlpackage")
///     for operation in package.body?.operations ?? [] { … }
///     let kernel = try package.tensor(value)
///
/// Opening reads the program and looks at the record of each weight; the weights themselves stay mapped. Any malformed
/// package gives one `FileError` that names file and field, and no file outside the package is read. Operations that
/// Core ML does not define are the one exception: they are listed by `unknownOperations`, because a model can be looked at,
/// copied and made smaller without knowing what each step does.
package struct CoreMLPackage: Sendable {
    /// The path as it was given.
    package let path: String
    /// What the package holds; nil for a bare model.
    package let manifest: PackageManifest?
    /// The model.
    package private(set) var model: CoreMLSpecification
    /// The path of the model's message, for errors.
    package let modelPath: String
    /// Bytes of the model's message.
    package let modelByteCount: Int
    /// The models of a pipeline, in the order in which they run; empty for any other model.
    package let stages: [CoreMLPackage]
    let weights: WeightFiles
    /// All that is mapped of it: the model's message and the weight files.
    private var files: [MappedFile] = []

    /// Opens the package folder, or the bare model file, at `path`.
    package init(path: String) throws(FileError) {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard (try? SystemFiles().status(RealPath.of(path) ?? path))??.kind == .folder else {
            let file = try MappedFile(path: path)
            try self.init(file, path: path, manifest: nil) { name throws(FileError) in
                throw .missing(
                    .init(file: path, field: "mlProgram"), what: "the weight file '\(name)' (a bare model has none)")
            }
            return
        }
        let folder = try PackageFolder(path)
        let manifestPath = "\(path)/\(PackageManifest.fileName)"
        let manifest = try PackageManifest(
            folder.open(PackageManifest.fileName, file: path, field: PackageManifest.fileName))
        let missing = try Self.missingItem(manifest, folder, manifestPath)
        // The manifest has an entry for it: reading it has made sure.
        let root = manifest.items[manifest.rootIdentifier]?.path ?? ""
        let modelFile = try folder.open("Data/\(root)", file: manifestPath, field: "rootModelIdentifier")
        let modelFolder = root.lastIndex(of: "/").map { "Data/\(root[..<$0])" } ?? "Data"
        try self.init(modelFile, path: path, manifest: manifest) { name throws(FileError) in
            guard name.hasPrefix(WeightFiles.prefix) else {
                throw .leavesPackage(.init(file: modelFile.path, field: "mlProgram.fileName"), path: name)
            }
            let relative = String(name.dropFirst(WeightFiles.prefix.count))
            guard !relative.hasPrefix("/") else {
                throw .leavesPackage(.init(file: modelFile.path, field: "mlProgram.fileName"), path: name)
            }
            return try folder.open("\(modelFolder)/\(relative)", file: modelFile.path, field: "mlProgram.fileName")
        }
        // Archives and version control lose empty folders: that of the weights may be gone where nothing is in it.
        if let missing, !(missing.path == "\(modelFolder.dropFirst(5))/weights" && fileCount == 0) {
            throw .missing(
                .init(file: manifestPath, field: missing.field), what: "'\(missing.path)', which the package names,")
        }
    }

    /// Judges the path of every item; returns the first one that is not there.
    private static func missingItem(
        _ manifest: PackageManifest, _ folder: PackageFolder, _ manifestPath: String
    ) throws(FileError) -> (path: String, field: String)? {
        var missing: (path: String, field: String)?
        for (identifier, item) in manifest.items.sorted(by: { $0.key < $1.key }) {
            let field = "itemInfoEntries[\(identifier)].path"
            // By itself first: prefixed by a folder, an absolute path would look relative.
            guard PackageFolder.isRelative(item.path) else {
                throw .leavesPackage(.init(file: manifestPath, field: field), path: item.path)
            }
            do throws(FileError) {
                _ = try folder.resolve("Data/\(item.path)", file: manifestPath, field: field)
            } catch .missing {
                missing = missing ?? (item.path, field)
            }
        }
        return missing
    }

    /// Validates a model whose files are mapped already, or exist in memory only.
    package init(_ modelFile: MappedFile, weights: [String: MappedFile] = [:]) throws(FileError) {
        try self.init(modelFile, path: modelFile.path, manifest: nil) { name throws(FileError) in
            guard let file = weights[name] else {
                throw .missing(.init(file: modelFile.path, field: "mlProgram"), what: "the weight file '\(name)'")
            }
            return file
        }
    }

    private init(
        _ modelFile: MappedFile, path: String, manifest: PackageManifest?,
        open: (String) throws(FileError) -> MappedFile
    ) throws(FileError) {
        var opened = [modelFile]
        do throws(FileError) {
            try self.init(try Self.model(modelFile), modelFile, path: path, manifest: manifest, stage: nil) {
                name throws(FileError) in
                let file = try open(name)
                opened.append(file)
                return file
            }
        } catch {
            // The files are being changed: errors in what was read are not the model's fault.
            for file in opened { try file.checkIntact() }
            throw error
        }
        files = opened
        try checkIntact()
    }

    private static func model(_ file: MappedFile) throws(FileError) -> CoreMLSpecification {
        do throws(WireFault) {
            return try CoreMLSpecification(wire: WireInput(file))
        } catch {
            // Text models and image models are easily confused, and the fault would name a field of neither.
            let magic = ByteRange(file: file, offset: 0, count: min(file.count, 4)).array
            if magic.elementsEqual("GGUF".utf8) {
                throw .unreadable(.init(file: file.path, field: "magic"), reason: "it is a GGUF file, no Core ML model")
            }
            // A package as it is downloaded.
            if magic.elementsEqual([0x50, 0x4b, 3, 4]) {
                throw .unreadable(
                    .init(file: file.path, field: "magic"),
                    reason: "it is a ZIP archive, which has to be unpacked first")
            }
            throw error.error(in: file.path)
        }
    }

    /// To be called after reading weights and before using the result; see `MappedFile.checkIntact()`.
    /// - Throws: `FileError.changed` with the file that was changed since the package was opened.
    package func checkIntact() throws(FileError) {
        for file in files { try file.checkIntact() }
    }

    /// - Parameter stage: the model's position in a pipeline.
    private init(
        _ model: CoreMLSpecification, _ modelFile: MappedFile, path: String, manifest: PackageManifest?, stage: String?,
        open: (String) throws(FileError) -> MappedFile
    ) throws(FileError) {
        self.model = model
        self.path = path
        self.manifest = manifest
        modelPath = modelFile.path
        modelByteCount = modelFile.count
        guard let program = model.program else {
            weights = WeightFiles()
            try Self.check(modelFile.path, stage) { () throws(WireFault) in try NetworkValidator(model).validate() }
            guard case .pipeline(let pipeline) = model.kind else {
                stages = []
                return
            }
            var stages: [CoreMLPackage] = []
            for (index, inner) in pipeline.models.enumerated() {
                let place = (stage.map { "\($0)." } ?? "") + "pipeline.models[\(index)]"
                stages.append(
                    try CoreMLPackage(inner, modelFile, path: path, manifest: nil, stage: place, open: open))
            }
            self.stages = stages
            return
        }
        stages = []
        let files = try WeightFiles(program, modelPath: modelFile.path, open: open)
        weights = files
        try Self.check(modelFile.path, stage) { () throws(WireFault) in
            try ProgramValidator(model, program, files).validate()
        }
        try weights.checkLayout(of: program, modelPath: modelFile.path)
    }

    private static func check(
        _ path: String, _ stage: String?, _ body: () throws(WireFault) -> Void
    ) throws(FileError) {
        do throws(WireFault) {
            try body()
        } catch {
            throw (stage.map { error.inside($0) } ?? error).error(in: path)
        }
    }

    /// Names of a program's functions, the one that runs first; empty for other models.
    package var functionNames: [String] {
        let names = model.program?.functions.map(\.key) ?? []
        let first = model.description.defaultFunctionName.isEmpty ? "main" : model.description.defaultFunctionName
        return names.filter { $0 == first } + names.filter { $0 != first }.sorted()
    }

    /// The same package with another of its functions to run.
    /// - Throws: `FileError.missing` where the program has no such function.
    package func running(_ function: String) throws(FileError) -> CoreMLPackage {
        guard let program = model.program, functionNames.contains(function) else {
            throw .missing(
                .init(file: modelPath, field: "mlProgram.functions"),
                what: "the function '\(function)' (there are \(functionNames.prefix(16)))")
        }
        var package = self
        package.model.description = model.description.running(function)
        try Self.check(modelPath, nil) { [package] () throws(WireFault) in
            try ProgramValidator(package.model, program, package.weights).validate()
        }
        return package
    }

    /// The function of a program that runs.
    package var function: MILFunction? {
        let name = model.description.defaultFunctionName
        return model.program?.functions[name.isEmpty ? "main" : name]
    }

    /// What that function does.
    package var body: MILBlock? { function?.body }

    /// Bytes of the weights: the weight files, or what a network of layers holds.
    package var weightByteCount: Int {
        if case .neuralNetwork(let network) = model.kind {
            return network.layers.reduce(0) { $0 + $1.weights.reduce(0) { $0 + $1.weights.byteCount } }
        }
        return stages.reduce(0) { $0 + $1.weightByteCount } + weights.files.values.reduce(0) { $0 + $1.file.count }
    }

    /// Bytes of the weight files, which are not part of the model's message.
    package var weightFileByteCount: Int {
        stages.reduce(0) { $0 + $1.weightFileByteCount } + weights.files.values.reduce(0) { $0 + $1.file.count }
    }

    /// The program's weight file, where it is in the usual folder: the first by name.
    package var weightFileName: String? {
        weights.files.keys.sorted().first { name in
            let rest = name.dropFirst(WeightFiles.folder.count)
            return name.hasPrefix(WeightFiles.folder) && !rest.isEmpty && !rest.contains("/") && !rest.hasPrefix(".")
        }
    }

    /// Weight files that are used.
    private var fileCount: Int { stages.reduce(weights.files.count) { $0 + $1.fileCount } }

    /// A constant of the program as a tensor, its elements where they lie.
    package func tensor(_ value: MILValue) throws(FileError) -> MILTensor {
        do throws(WireFault) {
            return try weights.tensor(value)
        } catch {
            throw error.error(in: modelPath)
        }
    }

    /// A compressed weight of the program; nil for other operations.
    package func constantExpression(_ operation: MILOperation) throws(FileError) -> ConstantExpression? {
        do throws(WireFault) {
            return try ConstantExpression(operation, version: model.specificationVersion, files: weights)
        } catch {
            throw error.inside(operation.label).error(in: modelPath)
        }
    }

    /// The decoded values of a compressed weight, by reference arithmetic.
    /// - Parameter resolve: the weight of an earlier operation, by the name of its result.
    package func expanded(
        _ expression: ConstantExpression, resolve: (String) -> DenseWeight? = { _ in nil }
    ) throws(FileError) -> DenseWeight {
        do throws(WireFault) {
            return try expression.expanded(resolve: resolve)
        } catch {
            throw error.inside(expression.kind.rawValue).error(in: modelPath)
        }
    }
}
