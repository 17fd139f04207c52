internal import HearthCompute
internal import HearthGGUF
import HearthSystem

/// Loads tensors by name and checks their shape.
struct TensorLoader {
    let gguf: GGUFFile

    func matrix(_ name: String, rows: Int?, columns: Int) throws -> WeightMatrix {
        guard let matrix = try optionalMatrix(name, rows: rows, columns: columns) else {
            throw TextError.missingTensor(file: gguf.path, tensor: name + ".weight")
        }
        return matrix
    }

    func optionalMatrix(_ name: String, rows: Int?, columns: Int) throws -> WeightMatrix? {
        let name = name + ".weight"
        guard let tensor = gguf.tensor(named: name) else { return nil }
        let matrix = try matrix(of: tensor)
        // Trailing dimensions count as rows: stacked matrices are concatenated vertically.
        let found = [tensor.shape.first ?? 0, tensor.shape.dropFirst().reduce(1, *)]
        guard found[0] == columns, rows.map({ $0 == found[1] }) ?? (found[1] > 0) else {
            throw TextError.tensorShape(
                file: gguf.path, tensor: name, expected: [columns, rows ?? found[1]], found: tensor.shape)
        }
        return matrix
    }

    /// A tensor in its own shape.
    func matrix(of tensor: GGUFTensor) throws -> WeightMatrix {
        guard let format = TensorFormat(rawValue: tensor.type.rawValue) else {
            throw TextError.tensorFormat(file: gguf.path, tensor: tensor.name, format: tensor.type.name)
        }
        return try WeightMatrix(
            format: format, rows: tensor.shape.dropFirst().reduce(1, *), columns: tensor.shape.first ?? 0,
            base: gguf.file.base + tensor.offset, byteCount: tensor.byteCount, owner: gguf.file)
    }

    /// A group of a single matrix.
    func group(_ name: String, rows: Int, columns: Int, takesWords: Bool = false) throws -> MatrixGroup {
        try MatrixGroup([matrix(name, rows: rows, columns: columns)], takesWords: takesWords)
    }

    /// A row of values, copied and multiplied by `factor`.
    func gain(_ name: String, count: Int, factor: Float = 1) throws -> Rows {
        let tensor = try matrix(name, rows: 1, columns: count)
        let rows = try Rows(count: 1, width: count)
        rows.set(0, to: tensor.row(0, kernels: try KernelSet.selected(by: nil)).map { $0 * factor })
        return rows
    }

    /// A single number; nil if the file does not contain it.
    func optionalNumber(_ name: String) throws -> Float? {
        guard let tensor = try optionalMatrix(name, rows: 1, columns: 1) else { return nil }
        return tensor.row(0, kernels: try KernelSet.selected(by: nil)).first
    }

    /// The divisors of rotary frequencies, one per pair; values that are zero, negative or NaN are rejected.
    func optionalDivisors(_ name: String, count: Int) throws -> [Float]? {
        guard let tensor = try optionalMatrix(name, rows: 1, columns: count) else { return nil }
        let values = tensor.row(0, kernels: try KernelSet.selected(by: nil))
        if let bad = values.firstIndex(where: { !($0 > 0) }) {
            throw TextError.badValue(file: gguf.path, key: name + ".weight", index: bad, value: "\(values[bad])")
        }
        return values
    }
}
