import Foundation
import HearthCompute
import HearthText

/// `--lora`: adapters to generate with.
struct AdapterOptions: ParsableArguments {
    @Option(
        repeated: [], valueName: "FILE[=S]",
        help: "LoRA adapter in GGUF, and how strongly it acts (default: 1); several are allowed.")
    var lora: [TextAdapter]

    /// Checks that each adapter can be read and fits the model, before anything is generated.
    func check(for model: TextModel, kernels: KernelSet) throws {
        for adapter in lora {
            _ = try AdapterFile(path: adapter.path, kernels: kernels).terms(for: model, scale: adapter.scale)
        }
    }
}

extension TextAdapter: ExpressibleByArgument {
    init?(argument: String) {
        // A file's name may contain the sign itself.
        if let split = argument.lastIndex(of: "="), !FileManager.default.fileExists(atPath: argument) {
            guard let scale = Float(argument: String(argument[argument.index(after: split)...])),
                split > argument.startIndex
            else { return nil }
            self.init(path: String(argument[..<split]), scale: scale)
        } else {
            guard !argument.isEmpty else { return nil }
            self.init(path: argument)
        }
    }

    static var expectation: String { "a file, or a file and a number, such as adapter.gguf=0.5" }
    var argument: String { scale == 1 ? path : "\(path)=\(scale)" }
}
