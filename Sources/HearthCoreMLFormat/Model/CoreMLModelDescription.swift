/// The inputs and outputs of a model, and its metadata. Read-only: a copy of a model keeps it as it is.
package struct CoreMLModelDescription: Sendable, Equatable {
    /// What goes in.
    package private(set) var inputs: [CoreMLFeature] = []
    /// What comes out.
    package private(set) var outputs: [CoreMLFeature] = []
    /// The output that holds a classifier's label; empty where there is none.
    package private(set) var predictedFeatureName = ""
    /// The output that holds the probability of each label; empty where there is none.
    package private(set) var predictedProbabilitiesName = ""
    /// State that outlives a prediction.
    package private(set) var states: [CoreMLFeature] = []
    /// Descriptions of the functions of a program that has several.
    package private(set) var functions: [CoreMLFunctionDescription] = []
    /// The function that runs; empty for `main`.
    package private(set) var defaultFunctionName = ""
    /// What people wrote: `shortDescription`, `versionString`, `author`, `license` and keys of their own, in order.
    package private(set) var metadata: [(key: String, value: String)] = []
    package var origin = WireOrigin()

    init() {}

    /// The same with another function to run.
    func running(_ function: String) -> Self {
        var description = self
        description.defaultFunctionName = function
        return description
    }

    /// Inputs of the function that runs.
    package var effectiveInputs: [CoreMLFeature] { defaultFunction?.inputs ?? inputs }
    /// Outputs of the function that runs.
    package var effectiveOutputs: [CoreMLFeature] { defaultFunction?.outputs ?? outputs }

    private var defaultFunction: CoreMLFunctionDescription? {
        let name = defaultFunctionName.isEmpty ? "main" : defaultFunctionName
        return functions.first { $0.name == name }
    }

    /// Equal content, whatever bytes it came from.
    package static func == (left: Self, right: Self) -> Bool {
        left.inputs == right.inputs && left.outputs == right.outputs
            && left.predictedFeatureName == right.predictedFeatureName
            && left.predictedProbabilitiesName == right.predictedProbabilitiesName && left.states == right.states
            && left.functions == right.functions && left.defaultFunctionName == right.defaultFunctionName
            && left.metadata.elementsEqual(right.metadata) { $0 == $1 } && left.origin == right.origin
    }
}

/// What one function of several takes and gives.
package struct CoreMLFunctionDescription: Sendable, Equatable {
    /// The function.
    package private(set) var name = ""
    /// What goes in.
    package private(set) var inputs: [CoreMLFeature] = []
    /// What comes out.
    package private(set) var outputs: [CoreMLFeature] = []
    package var origin = WireOrigin()
}

extension CoreMLFunctionDescription: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        self.init()
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: name = try field.string("name")
            case 2: inputs.append(try field.message("input", inputs.count))
            case 3: outputs.append(try field.message("output", outputs.count))
            default: origin.keep(field)
            }
        }
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) {
        writer.string(1, name)
        writer.messages(2, inputs)
        writer.messages(3, outputs)
    }
}

extension CoreMLModelDescription: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: inputs.append(try field.message("input", inputs.count))
            case 10: outputs.append(try field.message("output", outputs.count))
            case 11: predictedFeatureName = try field.string("predictedFeatureName")
            case 12: predictedProbabilitiesName = try field.string("predictedProbabilitiesName")
            case 13: states.append(try field.message("state", states.count))
            case 20: functions.append(try field.message("functions", functions.count))
            case 21: defaultFunctionName = try field.string("defaultFunctionName")
            case 100: try readMetadata(field)
            default: origin.keep(field)
            }
        }
        origin.settle(input)
    }

    private mutating func readMetadata(_ field: WireField) throws(WireFault) {
        let names = [1: "shortDescription", 2: "versionString", 3: "author", 4: "license"]
        var reader = WireReader(try field.input.child(field.bytes("metadata")))
        while let inner = try reader.next() {
            if let name = names[inner.number] {
                metadata.append((name, try inner.string("metadata")))
            } else if inner.number == 100 {
                var entry = WireReader(try inner.input.child(inner.bytes("metadata")))
                var (key, value) = ("", "")
                while let part = try entry.next() {
                    switch part.number {
                    case 1: key = try part.string("metadata")
                    case 2: value = try part.string("metadata")
                    default: break
                    }
                }
                metadata.append((key, value))
            }
        }
    }

    // A description is only ever written as it was read; what a program makes is empty.
    package func encode(into writer: inout WireWriter) {}
}
