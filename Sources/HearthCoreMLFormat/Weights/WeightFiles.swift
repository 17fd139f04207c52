import HearthSystem

/// The weight files of a package, by the names that the program has for them.
package struct WeightFiles: Sendable {
    private(set) var files: [String: WeightFile] = [:]

    /// The placeholder for the model's folder in a file name.
    static let prefix = "@model_path/"
    /// The name that converters use.
    package static let usualName = name("weight.bin")
    static let folder = prefix + "weights/"

    /// The name that programs have for a file in the folder of weights.
    package static func name(_ file: String) -> String { folder + file }

    init() {}

    /// Opens every file that `program` refers to.
    init(
        _ program: MILProgram, modelPath: String, open: (String) throws(FileError) -> MappedFile
    ) throws(FileError) {
        var names: Set<String> = []
        do throws(WireFault) {
            try program.forEachBlob { reference, _ throws(WireFault) in
                guard names.insert(reference.fileName).inserted, names.count > CoreMLLimits.weightFiles else { return }
                throw .limit("fileName", names.count, CoreMLLimits.weightFiles)
            }
        } catch {
            throw error.inside("mlProgram").error(in: modelPath)
        }
        for name in names.sorted() { files[name] = try WeightFile(open(name)) }
    }

    /// A value as a tensor, its content where it lies. Every size is checked.
    func tensor(_ value: MILValue) throws(WireFault) -> MILTensor {
        guard let type = value.type.tensor else {
            throw .wrongType("type", expected: "a tensor", found: value.type.description)
        }
        guard let shape = type.shape else {
            throw .malformed("type", "a constant has unknown dimensions: \(type.description)")
        }
        guard let count = type.elementCount else { throw WireFault("type") { .sizeOverflow($0) } }
        let storage: MILTensor.Storage
        switch value.content {
        case .blob(let reference):
            let record = try inside("blobFileValue") { () throws(WireFault) in
                let record = try self.record(reference)
                try record.check(type.dataType, count: count)
                return record
            }
            storage = .bytes(record.data)
        case .immediate(let immediate):
            guard case .tensor(let data) = immediate.kind else {
                throw .wrongType("immediateValue", expected: "a tensor", found: "several values")
            }
            storage = try inside("immediateValue") { () throws(WireFault) in
                try MILTensor.Storage(data, type.dataType, count: count)
            }
        }
        return MILTensor(type: type.dataType, shape: shape, count: count, storage: storage)
    }

    /// The record that a reference points at.
    func record(_ reference: MILBlobReference) throws(WireFault) -> WeightRecord {
        guard let file = files[reference.fileName] else {
            throw .missing("fileName", "the weight file '\(reference.fileName)'")
        }
        return try file.record(at: reference.offset)
    }

    /// Fails where records share bytes, or where a header counts fewer records than the program uses.
    func checkLayout(of program: MILProgram, modelPath: String) throws(FileError) {
        var spans: [String: [Int: Int]] = [:]
        do throws(WireFault) {
            try program.forEachBlob { reference, _ throws(WireFault) in
                let record = try self.record(reference)
                spans[reference.fileName, default: [:]][record.offset] = record.end
            }
        } catch {
            throw error.inside("mlProgram").error(in: modelPath)
        }
        for (name, records) in spans {
            guard let file = files[name] else { continue }
            let location = FileError.Location(file: file.file.path, field: "records")
            guard records.count <= file.claimedCount else {
                throw .malformed(
                    location,
                    problem: "the header counts \(file.claimedCount) records, the program uses \(records.count)")
            }
            let order = records.sorted { $0.key < $1.key }
            for (left, right) in zip(order, order.dropFirst()) where left.value > right.key {
                throw .overlappingTensors(location, other: "the record at \(left.key)")
            }
        }
    }
}
