import HearthDelivery
package import HearthRuntime
package import HearthSystem

/// A compiled model for images, found and checked: a plan, and its weights as the kernels read them.
///
/// `plan.bin` says what runs, `weights.bin` holds the packed weights, numbers or codes, and is mapped: loading copies none
/// of it. The model's own files are not read by a start.
package struct CoreMLArtifact: Sendable {
    /// What `artifact.json` keeps for this engine.
    struct Content: Codable, Sendable {
        var profile: RuntimeProfile
        /// Multiplications and additions of one inference, for comparisons.
        var multiplyAdds: Int
        /// How weights are kept.
        var weights: WeightSummary
    }

    static let kind = "vision"
    static let planFile = "plan.bin"
    static let weightsFile = "weights.bin"

    /// Whether `path` is an artifact's folder rather than a package's.
    package static func isArtifact(_ path: String) -> Bool {
        let files = SystemFiles()
        guard ((try? files.status(path)) ?? nil)?.kind == .folder else { return false }
        return ((try? files.status("\(path)/artifact.json")) ?? nil) != nil
    }

    let artifact: Artifact<Content>
    /// The model that it was compiled from, or one of the same bytes.
    let source: SourceIdentity

    /// Digest of the profile: the folder's name.
    package var digest: String { artifact.digest }
    /// The folder.
    package var path: String { artifact.path }
    /// The model's package or file.
    package var modelPath: String { source.path }
    /// Bytes of the artifact's files.
    package var bytes: Int { artifact.bytes }
    /// How the weights are kept, and in how many bytes.
    package var weights: WeightSummary { artifact.record.content.weights }
    /// The profile that it was made for.
    package var profile: RuntimeProfile { artifact.record.content.profile }

    /// Plan and weights, checked against each other.
    /// - Throws: `CoreMLError` or `FileError` where they are damaged.
    package func open() throws -> (file: PlanFile, weights: MappedFile) {
        guard let planPath = artifact.path(of: Self.planFile), let weightsPath = artifact.path(of: Self.weightsFile)
        else { throw CoreMLError.invalid(.init(file: path, field: "files"), problem: "the artifact is incomplete") }
        let file = try PlanFile(path: planPath)
        let weights = try MappedFile(path: weightsPath)
        guard artifact.isAsChecked else { throw FileError.changed(.init(file: weightsPath, field: "file")) }
        try Self.check(file, weights, at: planPath)
        return (file, weights)
    }

    /// Whether a plan and the weights beside it belong together.
    package static func check(_ file: PlanFile, _ weights: MappedFile, at planPath: String) throws {
        if let segments = file.segments {
            if let problem = WeightSegment.problem(segments, floats: file.plan.weightCount, bytes: weights.count) {
                throw CoreMLError.invalid(.init(file: planPath, field: "segments"), problem: problem)
            }
            return
        }
        guard weights.count >= file.plan.weightCount * MemoryLayout<Float>.stride else {
            throw CoreMLError.invalid(
                .init(file: weights.path, field: "length"), problem: "the weights are \(weights.count) bytes")
        }
    }
}
