/// Which of a list of files are the Core ML model: the content of one `.mlpackage`, or one `.mlmodel`. Pure.
///
/// The list is an archive's, a manifest's or a repository's. A package may lie in a folder, with other files beside it, which
/// are left out, or be all that there is.
struct PackageChoice: Equatable {
    /// A file of the model.
    struct File: Equatable {
        /// Its number in the list.
        var index: Int
        /// Where it belongs within the package; a single file's own name.
        var path: String
    }

    /// Sorted by their paths.
    var files: [File]

    enum Problem: Error, Equatable {
        case none(hint: String?)
        case several([String])
        case tooManyFiles
    }

    init(_ paths: [String]) throws(Problem) {
        let files = paths.indices.filter { !Self.isLeftOver(paths[$0]) }
        let roots = Self.packages(files.map { paths[$0] })
        let models = files.filter { index in
            paths[index].lowercased().hasSuffix(".mlmodel") && !roots.contains { paths[index].hasPrefix($0) }
        }
        guard roots.count + models.count == 1 else {
            guard roots.isEmpty, models.isEmpty else {
                throw .several(roots.map { String($0.dropLast()) } + models.map { paths[$0] })
            }
            throw .none(hint: Self.hint(files.map { paths[$0] }))
        }
        if let model = models.first {
            self.files = [File(index: model, path: String(paths[model].split(separator: "/").last ?? "model.mlmodel"))]
            return
        }
        let root = roots[0]
        let chosen = files.filter { paths[$0].hasPrefix(root) }
        guard chosen.count <= ArchiveLimits.files else { throw .tooManyFiles }
        self.files = chosen.map { File(index: $0, path: String(paths[$0].dropFirst(root.count))) }
            .sorted { $0.path < $1.path }
    }

    /// The folders of packages, outermost, each with `/` at its end; "" where the list itself is one.
    static func packages(_ paths: [String]) -> [String] {
        let manifest = "Manifest.json"
        let all = Set(
            paths.filter { $0 == manifest || $0.hasSuffix("/" + manifest) }.map {
                String($0.dropLast(manifest.count))
            })
        let outermost = all.filter { root in !all.contains { $0 != root && root.hasPrefix($0) } }.sorted()
        // A file of that name is no package by itself.
        let named = all.filter { $0.lowercased().hasSuffix(".mlpackage/") }
        let namedOutermost = named.filter { root in !named.contains { $0 != root && root.hasPrefix($0) } }.sorted()
        return namedOutermost.isEmpty ? outermost : namedOutermost
    }

    /// What systems put beside files when they pack them.
    static func isLeftOver(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return parts.first == "__MACOSX" || parts.contains { $0 == ".DS_Store" || $0 == "Icon\r" || $0.hasPrefix("._") }
    }

    private static func hint(_ paths: [String]) -> String? {
        if paths.contains(where: { $0.lowercased().contains(".mlmodelc/") }) {
            return "a .mlmodelc is compiled for Apple's own runtime and is not read"
        }
        if paths.contains(where: { $0.lowercased().hasSuffix(".gguf") }) {
            return "a GGUF file is pulled by its own address, not packed"
        }
        return nil
    }
}

extension PackageChoice.Problem {
    /// What is wrong, as a part of a sentence about `whole`.
    var reason: String {
        switch self {
        case .none(let hint): "it holds no .mlpackage and no .mlmodel" + (hint.map { "; \($0)" } ?? "")
        case .several(let names):
            "it holds several models: \(names.map { $0.isEmpty ? "one at its top" : $0 }.joined(separator: ", "))"
        case .tooManyFiles: "its package has more than \(ArchiveLimits.files) files"
        }
    }
}
