import HearthCoreML
import HearthRuntime
import HearthSystem
import HearthText

/// What `hearth inspect` reports about a compiled model.
struct ArtifactReport: Encodable {
    var format = "compiled"
    var architecture: String
    var model: String
    var quantization: String
    var digest: String
    var bytes: Int
    /// A text model's weights stay in its file.
    @ExplicitNull var weights: WeightSummary?
    var profile: RuntimeProfile
    var runnable = true

    init(_ artifact: TextArtifact) {
        architecture = "text"
        weights = nil
        model = artifact.modelPath
        quantization = artifact.profile.quantization
        digest = artifact.digest
        bytes = artifact.bytes
        profile = artifact.profile
    }

    init(_ artifact: CoreMLArtifact) {
        architecture = "vision"
        model = artifact.modelPath
        quantization = artifact.profile.quantization
        digest = artifact.digest
        bytes = artifact.bytes
        weights = artifact.weights
        profile = artifact.profile
    }

    /// The report as a text table.
    var table: String {
        ModelReport.sections([
            (
                "",
                [
                    ("format", "compiled for \(profile.kernelSet) by \(profile.runtimeVersion)"),
                    ("model", model.withVisibleControls),
                    ("quantization", quantization),
                    ("size", ByteSize.binary(bytes)),
                    ("weights", weights.map(Self.shown) ?? "in the model's file"),
                ]
            )
        ])
    }

    /// For example `compact: 12.4 MB instead of 102.2 MB (palette4, float32)`.
    static func shown(_ weights: WeightSummary) -> String {
        guard weights.storage == .compact else { return "mapped: \(ByteSize.binary(weights.bytes))" }
        let codings = weights.codings.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        return "compact: \(ByteSize.binary(weights.bytes)) instead of \(ByteSize.binary(weights.floatBytes)) "
            + "(\(codings.joined(separator: ", ")))"
    }
}
