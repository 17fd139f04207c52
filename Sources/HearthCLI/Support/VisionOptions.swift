import HearthCompute
import HearthCoreML
import HearthImages
import HearthModels

/// Options of every command that runs a model on images.
struct VisionOptions: ParsableArguments {
    @Option(valueName: "U", help: "Compute units to use.")
    var computeUnits: ComputeUnits = .all
    @Option(valueName: "N", help: "Number of threads; default: what --compute-units implies.")
    var threads: Int?

    func validate() throws {
        if let threads, !(1...1024).contains(threads) {
            throw UsageError("'--threads \(threads)' is out of range: expected 1 to 1024")
        }
    }

    /// The model of `--model`.
    func host(_ model: String) throws -> ModelHost<CoreMLEngine> {
        try Self.host(model, units: computeUnits, threads: threads)
    }

    static func host(_ model: String, units: ComputeUnits, threads: Int?) throws -> ModelHost<CoreMLEngine> {
        try ModelHost(
            model, units: units, threads: threads, kernels: try EngineOptions.kernels(),
            onDrift: { ModelOpening.tell($0) })
    }
}

extension CropAndScale: ExpressibleByArgument {}
extension ComputeUnits: ExpressibleByArgument {}
extension WeightStorage: ExpressibleByArgument {}
