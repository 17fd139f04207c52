import Foundation
import HearthCompute
import HearthCoreML
import HearthDelivery
import HearthImages
import HearthModels
import HearthRuntime
import HearthSystem

/// Options of every command that shows pictures to a model.
struct VisionOptions: ParsableArguments {
    @Option(valueName: "U", help: "What of the device computes.")
    var computeUnits: ComputeUnits = .all
    @Option(valueName: "N", help: "Threads that compute; default: as many as --compute-units says.")
    var threads: Int?

    func validate() throws {
        if let threads, !(1...1024).contains(threads) {
            throw UsageError("'--threads \(threads)' is out of range: expected 1 to 1024")
        }
    }
}

/// The model of one command on pictures: found, owned by a runner, its start logged.
struct VisionHost: Sendable {
    let runner: ModelRunner<CoreMLEngine>
    private let folders: HearthFolders?
    /// How much of the model lay in the page cache before.
    private let residentFraction: Double?

    /// - Parameter model: what `--model` says.
    init(_ model: String, _ options: VisionOptions) throws {
        try self.init(model, units: options.computeUnits, threads: options.threads)
    }

    /// - Parameter model: what `--model` says.
    init(_ model: String, units: ComputeUnits, threads: Int?) throws {
        let kernels = try EngineOptions.kernels()
        let path = try ModelLocator.using.path(of: model)
        folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
        residentFraction = PageCache.residentFraction(path)
        runner = ModelRunner(
            engine: try CoreMLEngine(
                path: path, units: units, threads: threads, kernels: kernels, folders: folders,
                onDrift: { ModelOpening.tell($0) }))
    }

    /// What the model takes and gives; prepares the model where that was not done before.
    func interface() async throws -> CoreMLInterface {
        let spinner = Spinner()
        spinner.start("preparing the model", on: Terminal(.error))
        defer { spinner.stop() }
        return try await runner.withSoundModel { $0.interface }
    }

    /// Logs what the start cost, when the user has what he wanted. Nothing that goes wrong here is an error.
    func logStart() async {
        let recorder = StartupRecorder(log: StartupLog(folders: folders), processVersion: HearthVersion.number)
        guard recorder.isLogging, let times = await runner.lastPreparation,
            let profile = try? await runner.engine.profile()
        else { return }
        if let notice = await recorder.record(profile, times, residentFraction: residentFraction) {
            Output.error.writeLine("hearth: note: " + notice.withVisibleControls)
        }
    }
}

extension CropAndScale: ExpressibleByArgument {}
extension ComputeUnits: ExpressibleByArgument {}
extension WeightStorage: ExpressibleByArgument {}
