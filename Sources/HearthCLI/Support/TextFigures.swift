import Foundation
import HearthCompute
import HearthRuntime
import HearthSystem
import HearthText
import Synchronization

/// The output of `hearth bench text`.
struct TextFigures: Encodable {
    struct Prompt: Encodable {
        var tokens: Int
        var tokensPerSecond: Double
    }
    struct Decode: Encodable {
        var context: Int
        var tokensPerSecond: Double
    }
    struct Step: Encodable {
        var tokens: Int
        var milliseconds: Double
    }
    var prefill: [Prompt] = []
    var decode: [Decode] = []
    /// Omitted unless requested, as are batches.
    var steps: [Step]?
    var parallel: [ParallelRow]?
    var kv: String
    var threads: Int
    var kernels: String
    var activations: Int
    var peakResidentBytes = 0
    var dirtyBytes = 0
    @ExplicitNull var sustained: SustainedRun?
}

extension TextFigures {
    /// Prints the figures as text.
    func print(to output: Output) {
        func line(_ format: String, _ values: any CVarArg...) {
            output.writeLine(String(format: format, arguments: values))
        }
        for row in prefill { line("prompt of %6d tokens  %9.1f tokens/s", row.tokens, row.tokensPerSecond) }
        for row in decode { line("after     %6d tokens  %9.1f tokens/s", row.context, row.tokensPerSecond) }
        for row in parallel ?? [] { output.writeLine(row.line) }
        for row in steps ?? [] { line("step of   %6d tokens  %9.3f ms", row.tokens, row.milliseconds) }
        line(
            "%d threads, keys and values in %@; %.1f MB at most, %.1f MB of them written", threads, kv,
            Double(peakResidentBytes) / 1e6, Double(dirtyBytes) / 1e6)
        guard let run = sustained else { return }
        line(
            "%.1f minutes: %d tokens, %.1f tokens/s, last tenth over first %.2f; written memory %+.1f KB per minute",
            run.minutes, run.tokens, run.tokensPerSecond, run.steadiness, run.dirtyBytesPerMinute / 1000)
        output.writeLine("energy: \(run.energy)")
    }
}

/// Measurements so far, which an interruption may print at any moment.
final class TextRecord: Sendable {
    private struct State {
        var read: [[Double]]
        var wrote: [[Double]]
        var batches: [(texts: Int, rates: [Double?])] = []
        var steps: [TextFigures.Step]?
        var sustained = SustainedSamples(minutes: 0)
        var energy: EnergyMeter.Reading?
    }
    private let state: Mutex<State>
    private let prompts: [Int]
    private let contexts: [Int]
    private let frame: TextFigures
    private let meter = EnergyMeter()

    init(prompts: [Int], contexts: [Int], generator: TextGenerator) {
        (self.prompts, self.contexts) = (prompts, contexts)
        frame = TextFigures(
            kv: generator.cacheFormat.rawValue, threads: generator.threads, kernels: generator.kernels.name,
            activations: generator.kernels.activationBits)
        let (reads, writes) = (
            [[Double]](repeating: [], count: prompts.count), [[Double]](repeating: [], count: contexts.count)
        )
        state = Mutex(State(read: reads, wrote: writes))
    }

    /// Records the speed of prompt processing in tokens per second.
    func read(_ index: Int, _ rate: Double) { state.withLock { $0.read[index].append(rate) } }

    /// Records the speed of decoding after a context in tokens per second.
    func wrote(_ index: Int, _ rate: Double) { state.withLock { $0.wrote[index].append(rate) } }

    /// Records the total speed of several concurrent texts; nil if it could not be measured.
    func wrote(texts: Int, _ rate: Double?) {
        state.withLock { state in
            if let index = state.batches.firstIndex(where: { $0.texts == texts }) {
                state.batches[index].rates.append(rate)
            } else {
                state.batches.append((texts, [rate]))
            }
        }
    }

    /// Starts the record of sustained generation.
    func beginSustained(minutes: Double) {
        state.withLock { ($0.sustained, $0.energy) = (SustainedSamples(minutes: minutes), meter.read()) }
    }

    /// Records the times of whole steps.
    func stepped(_ steps: [TextFigures.Step]) { state.withLock { $0.steps = steps } }

    /// Records one text of sustained generation.
    func sustained(_ tokens: Int, _ seconds: Double) {
        state.withLock { $0.sustained.add(tokens, at: seconds, memory: ProcessMemory.current()) }
    }

    /// Medians of the measurements; lengths without any are omitted.
    var figures: TextFigures {
        let state = state.withLock { $0 }
        var figures = frame
        for (length, rates) in zip(prompts, state.read) where !rates.isEmpty {
            figures.prefill.append(.init(tokens: length, tokensPerSecond: TextBench.median(rates)))
        }
        for (length, rates) in zip(contexts, state.wrote) where !rates.isEmpty {
            figures.decode.append(.init(context: length, tokensPerSecond: TextBench.median(rates)))
        }
        figures.steps = state.steps
        let rows = state.batches.map { batch in
            ParallelRow(texts: batch.texts, rates: batch.rates, baseRates: state.batches[0].rates)
        }
        if !rows.isEmpty { figures.parallel = rows }
        if let before = state.energy { figures.sustained = state.sustained.run(energy: meter.read().since(before)) }
        let memory = ProcessMemory.current()
        figures.peakResidentBytes = memory?.peakResident ?? 0
        figures.dirtyBytes = memory?.dirty ?? 0
        return figures
    }
}
