internal import HearthSystem

/// Every input that affects compilation. Its digest names the compiled artifact: the same profile always finds it again, any
/// drift makes a new one, and the startup log names the fields that drifted.
public struct RuntimeProfile: Sendable, Hashable, Codable {
    /// The model's name, as its file or manifest says.
    package var model: String
    /// SHA-256 of the model's file, lower-case hexadecimal.
    package var modelSHA256: String
    /// Such as `Q4_0` or `F16`.
    package var quantization: String
    /// Most tokens of prompt and answer together; 0 where there is no such thing.
    package var contextLength: Int
    /// What computes: `cpu` here; on Apple systems also Core ML's choices.
    package var computeUnits: String
    /// The kernel set in use.
    package var kernelSet: String
    /// Version of this runtime and of its artifact format.
    package var runtimeVersion: String
    /// Operating system and its build.
    package var osBuild: String
    /// The device's model.
    package var device: String

    /// A profile with these fields. The context length is in tokens.
    public init(
        model: String, modelSHA256: String, quantization: String, contextLength: Int, computeUnits: String,
        kernelSet: String, runtimeVersion: String, osBuild: String, device: String
    ) {
        self.model = model
        self.modelSHA256 = modelSHA256
        self.quantization = quantization
        self.contextLength = contextLength
        self.computeUnits = computeUnits
        self.kernelSet = kernelSet
        self.runtimeVersion = runtimeVersion
        self.osBuild = osBuild
        self.device = device
    }

    /// Each field's name and value, in an order that never changes.
    package var fields: [(name: String, value: String)] {
        [
            ("model", model), ("modelSHA256", modelSHA256), ("quantization", quantization),
            ("contextLength", String(contextLength)), ("computeUnits", computeUnits), ("kernelSet", kernelSet),
            ("runtimeVersion", runtimeVersion), ("osBuild", osBuild), ("device", device),
        ]
    }

    /// SHA-256 over the fields, each as `name=length:value`: the same in every process and version that knows the same
    /// fields.
    package var digest: String {
        SHA256.digest(of: fields.map { "\($0.name)=\($0.value.utf8.count):\($0.value)\n" }.joined().utf8)
    }

    /// Names of the fields that differ from an earlier profile, in the order of `fields`.
    package func drift(from earlier: RuntimeProfile) -> [String] {
        zip(fields, earlier.fields).compactMap { $0.value == $1.value ? nil : $0.name }
    }
}
