internal import HearthCompute
import HearthGGUF

/// The low-rank path parallel to attention (LAuReL, Gemma 3n; "Learned Augmented Residual Layer", arXiv 2411.07501):
///
///     lau = a + norm(Wright (Wleft a)), where a is the normalised input of attention
struct LaurelBlock: Sendable {
    /// A layer's matrices.
    struct Layer: Sendable {
        let left: MatrixGroup
        let right: MatrixGroup
        let norm: Rows
        /// Inner width, as given by the file.
        var rank: Int { left.rows }

        init(loader: TensorLoader, configuration c: GemmaConfiguration, index: Int) throws {
            let left = try loader.matrix("blk.\(index).laurel_l", rows: nil, columns: c.width)
            guard left.rows <= c.width else {
                throw TextError.tensorShape(
                    file: loader.gguf.path, tensor: "blk.\(index).laurel_l.weight", expected: [c.width, c.width],
                    found: [c.width, left.rows])
            }
            self.left = try MatrixGroup([left])
            right = try loader.group("blk.\(index).laurel_r", rows: c.width, columns: left.rows)
            norm = try loader.gain("blk.\(index).laurel_post_norm", count: c.width)
        }
    }

    private let compute: Compute
    private let epsilon: Float
    private let middle: Rows

    init(compute: Compute, configuration c: GemmaConfiguration, maximumRank: Int, maximumStep: Int) throws {
        self.compute = compute
        epsilon = c.epsilon
        middle = try Rows(count: maximumStep, width: maximumRank)
    }

    /// `h = (h + lau) / √2`, where `h` holds the residual stream plus the output of attention.
    func add(_ layer: Layer, of a: Rows, scratch: Rows, to h: Rows) {
        let middle = middle.prefix(a.count).columns(0..<layer.rank)
        compute.multiply(layer.left, a, into: middle)
        compute.multiply(layer.right, middle, into: scratch)
        compute.add(a, normalizedBy: nil, epsilon: epsilon, to: h)
        compute.add(scratch, normalizedBy: layer.norm, epsilon: epsilon, to: h)
        compute.scale(h, by: Float(0.5).squareRoot())
    }
}
