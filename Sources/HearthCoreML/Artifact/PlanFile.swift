package import Foundation
package import HearthSystem

/// `plan.bin`: what runs, and what goes in and comes out. The header says which version of plans it is; a file of another
/// version, or one that was cut off or changed, is refused before any of it is used.
package struct PlanFile: Codable, Sendable {
    package var plan: CoreMLPlan
    package var interface: CoreMLInterface
    /// How the weights file is to be read; nil where it is mapped as it is.
    package var segments: [WeightSegment]?

    package static let magic = Array("HRTHPLAN".utf8)
    private static let content: UInt32 = 1
    /// A plan of some hundred steps takes about 100 kB.
    private static let limit = 64 << 20

    package init(plan: CoreMLPlan, interface: CoreMLInterface, segments: [WeightSegment]? = nil) {
        self.plan = plan
        self.interface = interface
        self.segments = segments
    }

    /// - Throws: `FileError` where the file is not one of this version, `CoreMLError` where the plan makes no sense.
    package init(path: String) throws {
        let file = try MappedFile(path: path)
        let sections = try SectionFile(file, magic: Self.magic, version: UInt32(CoreMLPlan.version))
        let bytes = try sections.array(Self.content, of: UInt8.self)
        let at = CoreMLError.Place(file: path, field: "plan")
        guard bytes.count <= Self.limit else {
            throw CoreMLError.tooLarge(at, what: "bytes of a plan", claimed: bytes.count, limit: Self.limit)
        }
        do {
            self = try bytes.withBytes { try Self.decoder.decode(Self.self, from: Data($0)) }
        } catch {
            throw CoreMLError.invalid(at, problem: "the plan cannot be read")
        }
        if let problem = problem() { throw CoreMLError.invalid(at, problem: problem) }
    }

    /// The file in memory.
    package func encoded() throws -> MappedFile {
        var builder = SectionFileBuilder(magic: Self.magic, version: UInt32(CoreMLPlan.version))
        builder.append(Self.content, FlatArray(Array(try Self.encoder.encode(self))))
        return builder.file()
    }

    /// An error in the plan, or a contradiction between the plan and the model's interface.
    package func problem() -> String? {
        if let problem = plan.problem() { return problem }
        func shape(_ port: PlanPort) -> [Int] { plan.tensors[port.tensor].shape }
        // States are the network's inputs behind all others.
        guard interface.inputs.map(\.shape) + interface.states.map(\.shape) == plan.inputs.map(shape) else {
            return "the inputs are not the model's"
        }
        for state in interface.states {
            guard plan.outputs.indices.contains(state.result),
                GraphShape.count(state.shape) == plan.tensors[plan.outputs[state.result].tensor].count
            else { return "the state '\(state.name)' has no tensor of its shape" }
        }
        for output in interface.outputs {
            guard plan.outputs.indices.contains(output.result) else { return "an output has no tensor" }
            let count = plan.tensors[plan.outputs[output.result].tensor].count
            guard output.kind == .label ? count > 0 : GraphShape.count(output.shape, limit: count) == count else {
                return "the output '\(output.name)' has another shape"
            }
        }
        return nil
    }

    package static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }

    package static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        // The same plan gives the same bytes.
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }
}
