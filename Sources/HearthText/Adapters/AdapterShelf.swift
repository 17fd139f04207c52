package import HearthCompute
internal import HearthSystem
internal import Synchronization

/// Adapters ready for use by a generator: a list of files with their scales, loaded and matched with the model.
package final class ActiveAdapters: Sendable {
    /// Digest of the files and scales; two lists with the same results have the same.
    package let identity: String
    let adaptation: LowRankAdaptation

    init(identity: String, adaptation: LowRankAdaptation) {
        (self.identity, self.adaptation) = (identity, adaptation)
    }
}

/// The adapters that a generator has loaded. A file is read once, and again if it has changed since.
package final class AdapterShelf: Sendable {
    private struct Entry {
        var uses: [TextAdapter]
        var files: [FileStatus?]
        var active: ActiveAdapters
    }

    /// More lists than this are not kept: each holds its weights in memory.
    private static let most = 8
    private let model: TextModel
    private let kernels: KernelSet
    private let maximumStep: Int
    /// Most recently used last.
    private let entries = Mutex<[Entry]>([])

    package init(model: TextModel, kernels: KernelSet, maximumStep: Int) {
        (self.model, self.kernels, self.maximumStep) = (model, kernels, maximumStep)
    }

    /// The adapters of a list; nil if none of them has an effect.
    /// - Throws: `FileError`, `TextError`, naming file and field.
    package func adapters(_ uses: [TextAdapter]) throws -> ActiveAdapters? {
        if uses.isEmpty { return nil }
        if let use = uses.first(where: { !$0.scale.isFinite }) {
            throw TextError.invalidOption(name: "adapters.scale", value: "\(use.scale)", allowed: "a finite number")
        }
        let files = uses.map { (try? SystemFiles().status($0.path)) ?? nil }
        return try entries.withLock { entries in
            if let index = entries.firstIndex(where: { $0.uses == uses && $0.files == files }) {
                entries.append(entries.remove(at: index))
                return entries.last?.active
            }
            let active = try load(uses)
            entries.removeAll { $0.uses == uses }
            if entries.count >= Self.most { entries.removeFirst() }
            entries.append(Entry(uses: uses, files: files, active: active))
            return active
        }
    }

    private func load(_ uses: [TextAdapter]) throws -> ActiveAdapters {
        var hash = SHA256()
        var terms: [LowRankAdaptation.Term] = []
        for use in uses {
            let file = try AdapterFile(path: use.path, kernels: kernels)
            terms += try file.terms(for: model, scale: use.scale)
            hash.update("\(file.digest)=\(use.scale.bitPattern)/".utf8)
        }
        return ActiveAdapters(
            identity: hash.finalize(), adaptation: try LowRankAdaptation(terms, maximumRows: maximumStep))
    }
}

extension TextModel {
    /// Identifies the model together with adapters.
    func identity(with adapters: ActiveAdapters?) -> String {
        guard let adapters else { return identity }
        return SHA256.digest(of: "\(identity)+\(adapters.identity)".utf8)
    }
}
