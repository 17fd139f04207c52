/// How fast one processor runs a model: medians of a few runs.
package struct ProcessorFigures: Sendable, Codable, Equatable {
    /// Language models: from the request to the first token after a short prompt.
    package var firstTokenMS: Double?
    /// Language models: tokens of a prompt per second.
    package var promptPerSecond: Double?
    /// Language models: generated tokens per second.
    package var decodePerSecond: Double?
    /// Networks: one inference.
    package var inferenceMS: Double?
    /// Energy of one run, if the machine can measure that of this processor.
    package var joules: Double?

    package init(
        firstTokenMS: Double? = nil, promptPerSecond: Double? = nil, decodePerSecond: Double? = nil,
        inferenceMS: Double? = nil, joules: Double? = nil
    ) {
        (self.firstTokenMS, self.promptPerSecond) = (firstTokenMS, promptPerSecond)
        (self.decodePerSecond, self.inferenceMS, self.joules) = (decodePerSecond, inferenceMS, joules)
    }

    /// Milliseconds of typical work: an inference, or a prompt of 256 tokens with an answer of 128. nil if figures are missing or
    /// make no sense.
    package var workMS: Double? {
        var work = inferenceMS
        if work == nil, let prompt = promptPerSecond, let decode = decodePerSecond, prompt > 0, decode > 0 {
            work = 256_000 / prompt + 128_000 / decode
        }
        return work.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    }
}

/// What `hearth units` measured on one model: the CPU with one kernel set and number of threads, and GPUs.
package struct ProcessorMeasurement: Sendable, Codable, Equatable {
    /// A GPU that was measured.
    package struct Device: Sendable, Codable, Equatable {
        package var name: String
        /// Device and driver; another driver version has another identity.
        package var identity: String
        package var figures: ProcessorFigures

        package init(name: String, identity: String, figures: ProcessorFigures) {
            (self.name, self.identity, self.figures) = (name, identity, figures)
        }
    }

    /// Which version of the model's file it was.
    package var model: String
    package var kernelSet: String
    package var threads: Int
    /// Digest of the GPU's shaders.
    package var shaders: String
    package var cpu: ProcessorFigures
    package var devices: [Device]

    package init(
        model: String, kernelSet: String, threads: Int, shaders: String, cpu: ProcessorFigures, devices: [Device]
    ) {
        (self.model, self.kernelSet, self.threads, self.shaders) = (model, kernelSet, threads, shaders)
        (self.cpu, self.devices) = (cpu, devices)
    }
}

/// The processor that `--compute auto` takes, and why.
package struct ProcessorChoice: Sendable, Equatable {
    /// How many times as fast as the CPU a GPU has to be. Below that, the CPU is preferred: it needs no pipelines, no copy of the
    /// weights, and has all features.
    package static let margin = 1.2

    /// A GPU that could be used now.
    package struct Candidate: Sendable, Equatable {
        package var name: String
        package var identity: String

        package init(name: String, identity: String) { (self.name, self.identity) = (name, identity) }
    }

    /// Identity of the GPU; nil for the CPU.
    package var device: String?
    /// Why, as the end of a sentence.
    package var reason: String
    /// Why, for profiles: the same words whatever the figures; nil if nothing was measured.
    package var ground: String?

    package init(device: String? = nil, reason: String, ground: String? = nil) {
        (self.device, self.reason, self.ground) = (device, reason, ground)
    }

    /// The CPU, where there is nothing else.
    package static let noGPU = ProcessorChoice(reason: "there is no GPU to choose")

    /// Decides.
    /// - Parameters:
    ///   - measurement: the measurement that applies; nil if there is none.
    ///   - drift: why an earlier measurement does not apply.
    ///   - candidates: GPUs that could be used now.
    ///   - savesEnergy: whether heat or low-power mode ask for less energy.
    package static func decide(
        _ measurement: ProcessorMeasurement?, drift: String? = nil, candidates: [Candidate], savesEnergy: Bool
    ) -> ProcessorChoice {
        guard let measurement else {
            return ProcessorChoice(reason: drift.map { "the measurement does not apply: \($0)" } ?? "not measured")
        }
        guard !candidates.isEmpty else { return noGPU }
        let known = candidates.compactMap { candidate in
            measurement.devices.first { $0.identity == candidate.identity }
        }
        guard !known.isEmpty else {
            let hasOther = candidates.contains { one in measurement.devices.contains { $0.name == one.name } }
            let why = hasOther ? "the driver changed" : "the GPU is another one"
            return ProcessorChoice(reason: "the measurement does not apply: \(why)")
        }
        guard let cpu = measurement.cpu.workMS else { return ProcessorChoice(reason: "the CPU was not measured") }
        return savesEnergy ? byEnergy(measurement.cpu.joules, known) : bySpeed(cpu, known)
    }

    private static func bySpeed(_ cpu: Double, _ devices: [ProcessorMeasurement.Device]) -> ProcessorChoice {
        let timed = devices.compactMap { device in device.figures.workMS.map { (device, cpu / $0) } }
        guard let (best, speed) = timed.max(by: { $0.1 < $1.1 }) else {
            return ProcessorChoice(reason: "the GPU could not run the model")
        }
        let words = "\(best.name) is \(twoDigits(speed)) times as fast as the CPU"
        if speed >= margin {
            return ProcessorChoice(device: best.identity, reason: words, ground: "measured as faster")
        }
        return ProcessorChoice(
            reason: "\(words), less than \(twoDigits(margin)) times", ground: "no GPU measured as faster")
    }

    private static func byEnergy(_ cpu: Double?, _ devices: [ProcessorMeasurement.Device]) -> ProcessorChoice {
        let metered = devices.compactMap { device -> (ProcessorMeasurement.Device, Double)? in
            // A device that failed to run the model has no times.
            guard device.figures.workMS != nil, let joules = device.figures.joules, joules > 0 else { return nil }
            return (device, joules)
        }
        guard let cpu, cpu > 0, let (best, joules) = metered.min(by: { $0.1 < $1.1 }) else {
            return ProcessorChoice(
                reason: "energy is to be saved, and was not measured for both", ground: "saves energy")
        }
        if joules < cpu {
            return ProcessorChoice(
                device: best.identity,
                reason: "energy is to be saved, and \(best.name) needs \(twoDigits(joules / cpu)) times the CPU's",
                ground: "saves energy")
        }
        return ProcessorChoice(reason: "energy is to be saved, and the CPU needs the least", ground: "saves energy")
    }

    private static func twoDigits(_ value: Double) -> String {
        guard value < 1e6 else { return "over 1000000" }
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
