/// Which files of a repository are the model that is wanted. Pure.
package struct HubChoice: Sendable, Equatable {
    /// What the model is called after: a file, or the folder of a package.
    package var path: String
    package var engine: ModelEngineKind?
    package var files: [HubListing.File]

    /// The default order of preference: about four bits a weight first, as small as a model gets without losing
    /// much; then what is larger.
    package static let usual = ["Q4_K_M", "Q4_0", "Q4_K_S", "Q8_0", "Q5_K_M", "Q5_0", "Q6_K", "F16", "BF16"]

    /// Something in a repository that can be installed.
    private struct Offer {
        var choice: HubChoice
        /// In capitals; nil if it is not a GGUF file, or if its name has none.
        var quantization: String?
        /// How many parts it comes in.
        var parts = 1
        /// Whether it is offered to those who do not ask for it by its own name.
        var isModel = true

        var file: String { choice.path.split(separator: "/").last.map(String.init) ?? choice.path }
        var stem: String { file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file }

        func isCalled(_ name: String) -> Bool {
            let name = name.lowercased()
            return [choice.path, file, stem].contains { $0.lowercased() == name }
        }
    }

    private init(path: String, engine: ModelEngineKind?, files: [HubListing.File]) {
        (self.path, self.engine, self.files) = (path, engine, files)
    }

    /// - Throws: `DeliveryError.notInRepository`, which lists what there is.
    package init(_ listing: HubListing, _ reference: HubReference) throws(DeliveryError) {
        let offers = Self.offers(listing)
        let models = offers.filter(\.isModel)
        func fail(_ reason: String, _ available: [Offer]? = nil) -> DeliveryError {
            let shown = (available ?? models).filter { $0.parts == 1 }
            return .notInRepository(
                repository: reference.repository, reason: reason, available: Self.labels(shown))
        }
        let found: [Offer]
        if let wanted = reference.choice {
            let named = offers.filter { $0.isCalled(wanted) }
            found = named.isEmpty ? models.filter { $0.quantization == Self.normal(wanted) } : named
            if found.isEmpty { throw fail("there is no '\(wanted.prefix(80))' in the repository") }
        } else if models.isEmpty {
            throw fail("the repository holds no GGUF file and no Core ML model")
        } else if models.count == 1 {
            found = models
        } else if models.contains(where: { $0.quantization == nil }) {
            throw fail("the repository holds several models")
        } else {
            let whole = models.filter { $0.parts == 1 }
            let first = Self.usual.first { name in whole.contains { $0.quantization == name } }
            found = whole.filter { $0.quantization == first }
            if first == nil { throw fail("the repository has none of the usual quantizations") }
        }
        guard found.count == 1 else { throw fail("several files fit", found) }
        guard found[0].parts == 1 else {
            throw fail("the model is in \(found[0].parts) parts, which this program does not read")
        }
        guard found[0].choice.files.allSatisfy({ $0.bytes != nil }) else {
            throw .invalidHubAnswer(repository: reference.repository, reason: "it does not say how long the files are")
        }
        self = found[0].choice
    }

    private static func labels(_ offers: [Offer]) -> [String] {
        let counts = Dictionary(offers.map { ($0.quantization ?? $0.choice.path, 1) }, uniquingKeysWith: +)
        let labels = offers.map { offer in
            offer.quantization.flatMap { counts[$0] == 1 ? $0 : nil } ?? offer.choice.path
        }
        return labels.count <= 40 ? labels : labels.prefix(40) + ["and \(labels.count - 40) more"]
    }

    // MARK: - What there is

    private static func offers(_ listing: HubListing) -> [Offer] {
        let files = listing.files.filter { !PackageChoice.isLeftOver($0.path) }
        var offers: [Offer] = []
        var parts: [String: Int] = [:]
        for file in files where file.path.lowercased().hasSuffix(".gguf") {
            let stem = String(file.path.dropLast(5))
            let (whole, count) = split(stem)
            if count > 1 {
                // The first one stands for all of them.
                parts[whole, default: 0] += 1
                if parts[whole] != 1 { continue }
            }
            offers.append(
                Offer(
                    choice: HubChoice(path: file.path, engine: .text, files: [file]),
                    quantization: quantization(whole), parts: count, isModel: !isBeside(stem)))
        }
        for root in PackageChoice.packages(files.map(\.path)) where !root.isEmpty {
            let inside = files.filter { $0.path.hasPrefix(root) && $0.bytes != 0 }
            offers.append(Offer(choice: HubChoice(path: String(root.dropLast()), engine: .coreml, files: inside)))
        }
        for file in files where !file.path.lowercased().contains(".mlpackage/") {
            let path = file.path.lowercased()
            let isArchive = [".zip", ".tar", ".tar.gz", ".tgz"].contains(where: path.hasSuffix)
            let isModel =
                path.hasSuffix(".mlmodel") || isArchive && (path.contains(".mlpackage.") || path.contains(".mlmodel."))
            guard isModel || isArchive else { continue }
            offers.append(
                Offer(choice: HubChoice(path: file.path, engine: .coreml, files: [file]), isModel: isModel))
        }
        return offers
    }

    /// Files that accompany a model and are none: image projectors, importance matrices.
    private static func isBeside(_ stem: String) -> Bool {
        let name = stem.split(separator: "/").last?.lowercased() ?? ""
        return name.hasPrefix("mmproj") || name.contains("imatrix")
    }

    /// A stem without `-00001-of-00003`, and how many parts that says.
    private static func split(_ stem: String) -> (String, Int) {
        guard let match = stem.wholeMatch(of: /(.*)-[0-9]{5}-of-([0-9]{5})/), let count = Int(match.2), count > 0 else {
            return (stem, 1)
        }
        return (String(match.1), count)
    }

    /// What a file's name says at its end.
    private static func quantization(_ stem: String) -> String? {
        let name = stem.split(separator: "/").last.map(String.init) ?? stem
        let end =
            /(?:^|.*?[-._])((?:UD-)?(?:I?Q[0-9](?:_[A-Z0-9]+)*|TQ[0-9]_[0-9]|MXFP4(?:_MOE)?|NVFP4|BF16|FP?16|FP?32))/
            .ignoresCase()
        return name.wholeMatch(of: end).map { normal(String($0.1)) }
    }

    private static func normal(_ name: String) -> String {
        let name = name.uppercased()
        return name == "FP16" || name == "FP32" ? "F" + name.dropFirst(2) : name
    }
}
