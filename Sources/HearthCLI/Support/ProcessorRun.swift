import Foundation
import HearthCompute
import HearthCoreML
import HearthDelivery
import HearthGPU
import HearthModels
import HearthRuntime
import HearthSystem
import HearthText
import Synchronization

/// Measures a model on the CPU and on each GPU, for `hearth units`.
struct ProcessorRun {
    /// What one processor reached, or why it cannot run the model.
    struct Row: Encodable {
        var processor: String
        var name: String
        var driver: String?
        var firstTokenMS: Double?
        var promptPerSecond: Double?
        var decodePerSecond: Double?
        var inferenceMS: Double?
        var joules: Double?
        var obstacle: String?

        fileprivate init(_ device: GPUDeviceInfo?, _ figures: ProcessorFigures?, obstacle: String? = nil) {
            (processor, name, driver) = (device == nil ? "cpu" : "gpu", device?.name ?? "CPU", device?.driver)
            (firstTokenMS, promptPerSecond) = (figures?.firstTokenMS, figures?.promptPerSecond)
            (decodePerSecond, inferenceMS) = (figures?.decodePerSecond, figures?.inferenceMS)
            (joules, self.obstacle) = (figures?.joules, obstacle)
        }

        /// A line of the table.
        var line: String {
            guard obstacle == nil else { return "\(name.withVisibleControls): \(obstacle ?? "")" }
            let parts: [(String, Double?)] = [
                ("first token %.1f ms", firstTokenMS), ("prompt %.1f tokens/s", promptPerSecond),
                ("decode %.1f tokens/s", decodePerSecond), ("inference %.2f ms", inferenceMS),
                ("%.2f J", joules),
            ]
            let known = parts.compactMap { format, value in value.map { String(format: format, $0) } }
            return "\(name.withVisibleControls): " + known.joined(separator: ", ")
        }
    }

    private static let runs = 3
    let chooser: ProcessorChooser
    let devices: [GPUDeviceInfo]

    /// The GPUs to measure. It is no error to have none, unless `--compute gpu` requests one.
    static func devices(_ compute: TextCompute) throws -> [GPUDeviceInfo] {
        switch compute {
        case .cpu: return []
        case .auto: return (try? ProcessorChooser.devices()) ?? []
        case .gpu:
            let found = try ProcessorChooser.devices()
            guard !found.isEmpty else {
                throw CommandFailure(
                    .unavailable, "there is no GPU to measure: those in software, and unsuitable ones, are left out",
                    at: "--compute gpu", todo: "Set HEARTH_GPU to the number of one to measure it, or use the CPU.")
            }
            return found
        }
    }

    /// Measures all processors, and stores the result if a GPU is among them.
    /// - Parameter figures: measures one; nil is the CPU.
    func measure(_ figures: (GPUDeviceInfo?) async throws -> ProcessorFigures) async throws -> [Row] {
        let cpu = try await figures(nil)
        var rows = [Row(nil, cpu)]
        var measured: [ProcessorMeasurement.Device] = []
        for device in devices {
            var found = ProcessorFigures()
            do {
                found = try await figures(device)
                rows.append(Row(device, found))
            } catch let error as GPUError {
                rows.append(Row(device, nil, obstacle: error.localizedDescription))
            }
            measured.append(.init(name: device.name, identity: device.identity, figures: found))
        }
        if !measured.isEmpty { try chooser.keep(cpu: cpu, devices: measured) }
        return rows
    }

    /// Medians of a language model: short and long prompts take turns, and the first round does not count.
    func text(_ model: TextModel, on device: GPUDeviceInfo?) async throws -> ProcessorFigures {
        let context = model.configuration.contextLength
        let (short, long, tokens) = (min(16, max(context / 4, 1)), min(256, max(context / 2, 1)), min(32, context / 2))
        let generator = try TextGenerator(
            model: model, contextLength: min(context, 512), threads: chooser.threads, kernels: chooser.kernels,
            usesDrafts: false)
        let failure = FailureNote()
        if let device {
            try await generator.useGPU(device, cacheFolder: chooser.cacheFolder) { failure.note($0) }
        }
        let bench = TextBench(generator: generator)
        var (first, prompt, decode): ([Double], [Double], [Double]) = ([], [], [])
        var meter = Energy(of: device)
        for run in 0...Self.runs {
            if run == 1 { meter.begin() }
            let answer = try await bench.run(prompt: short, tokens: tokens, seed: run)
            let reading = try await bench.run(prompt: long, tokens: 2, seed: run)
            guard run > 0 else { continue }
            first.append(answer.prefillMS)
            decode.append(answer.tokensPerSecond)
            prompt.append(Double(long) / reading.prefillMS * 1000)
        }
        let joules = meter.joules(runs: Self.runs)
        // The CPU has continued for it: these are no figures of the device.
        try failure.check()
        return ProcessorFigures(
            firstTokenMS: TextBench.median(first), promptPerSecond: TextBench.median(prompt),
            decodePerSecond: TextBench.median(decode), joules: joules)
    }

    /// The median inference of a network.
    func network(_ path: String, on device: GPUDeviceInfo?) async throws -> ProcessorFigures {
        let (threads, kernels) = (chooser.threads, chooser.kernels)
        let (session, _) = try await OwnThread.run { _ in
            try CoreMLOpening(threads: threads).session(path, kernels: kernels)
        }
        let failure = FailureNote()
        if let device { try await session.useGPU(device, cacheFolder: chooser.cacheFolder) { failure.note($0) } }
        _ = try await session.latencies { $0 < 3 }
        var meter = Energy(of: device)
        meter.begin()
        let times = try await session.latencies { $0 < 9 }
        let joules = meter.joules(runs: times.count)
        try failure.check()
        return ProcessorFigures(inferenceMS: TextBench.median(times), joules: joules)
    }

    /// Whether a device failed while it was measured.
    private final class FailureNote: Sendable {
        private let error = Mutex<GPUError?>(nil)
        func note(_ found: GPUError) { error.withLock { $0 = $0 ?? found } }
        func check() throws { if let found = error.withLock({ $0 }) { throw found } }
    }

    /// The energy of runs. The processor's counters include a GPU only if it is a part of the processor.
    private struct Energy {
        private let meter = EnergyMeter()
        private let isCounted: Bool
        private var before: EnergyMeter.Reading?

        init(of device: GPUDeviceInfo?) {
            isCounted = device.map { $0.kind == .integrated || $0.kind == .software } ?? true
        }

        mutating func begin() { before = meter.read() }

        func joules(runs: Int) -> Double? {
            guard let before, case .joules(let sum, let source) = meter.read().since(before),
                isCounted || source == "battery"
            else { return nil }
            return sum / Double(runs)
        }
    }
}
