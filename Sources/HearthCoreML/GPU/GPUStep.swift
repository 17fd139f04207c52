internal import HearthCompute
internal import HearthGPU

/// A step on a GPU: commands, which find tensors and weights at fixed places.
struct GPUStep {
    typealias Command = (GPUCommands) throws(GPUError) -> Void

    var commands: [Command]
}

/// Turns prepared steps into commands for a GPU. Tensors are in one block of the device's memory, as they are in the CPU's.
struct GPUStepPreparation {
    private let arena: FloatRegion
    private let block: GPUBuffer
    private let device: GPUDevice
    private let memory: GPUWeightMemory
    private let compute: Compute
    private var scoreBuffer: GPUBuffer?
    /// Constants that steps take as tensors, by the identity of their memory.
    private var constants: [ObjectIdentifier: GPUPlace] = [:]
    private(set) var weightBytes = 0

    /// - Parameters:
    ///   - block: has room for the arena.
    ///   - compute: expands codes.
    init(arena: FloatRegion, block: GPUBuffer, on device: GPUDevice, compute: Compute) {
        (self.arena, self.block, self.compute) = (arena, block, compute)
        self.device = device
        memory = GPUWeightMemory(device)
    }

    /// Groups of threads in a dimension that every device supports.
    private static let mostGroups = 65_535

    // MARK: - Operands

    private mutating func place(_ region: FloatRegion) throws -> GPUPlace {
        if region.buffer === arena.buffer { return block.place.advanced(byValues: region.offset - arena.offset) }
        let id = ObjectIdentifier(region.buffer)
        if let known = constants[id] { return known.advanced(byValues: region.offset) }
        let all = try FloatRegion(region.buffer, offset: 0, count: region.buffer.count)
        let place = try keep(FloatWeights(all))
        constants[id] = place
        return place.advanced(byValues: region.offset)
    }

    private mutating func keep(_ weights: FloatWeights) throws -> GPUPlace {
        weightBytes += weights.count * MemoryLayout<Float>.stride
        return try weights.withBytes { try memory.keep($0) }
    }

    private mutating func keep(_ weights: ProductWeights) throws -> GPUPlace {
        switch weights {
        case .floats(let values): try keep(values)
        case .coded(let codes): try keep(compute.expanded(codes))
        }
    }

    private mutating func epilogue(
        _ epilogue: Epilogue, bias: FloatWeights?, residual: FloatRegion?
    ) throws -> GPUCommands.Epilogue {
        let added = epilogue.residual == .none ? nil : residual
        return GPUCommands.Epilogue(
            bias: try bias.map { try keep($0) }, residual: try added.map { try place($0) },
            residualIsLast: epilogue.residual == .afterFunction, function: .init(epilogue.function))
    }

    // MARK: - Steps

    /// The commands of a step; nil where there is no shader for it.
    /// - Throws: `GPUError`; `ComputeError` where codes cannot be expanded.
    mutating func step(_ step: PreparedStep) throws -> GPUStep? {
        guard step.work.hasShaderFunctions, let commands = try commands(step) else { return nil }
        return GPUStep(commands: commands)
    }

    private mutating func commands(_ step: PreparedStep) throws -> [GPUStep.Command]? {
        let output = step.outputs[0]
        switch step.work {
        case .convolution(let convolution, let x, let residual):
            return try convolve(convolution, x, residual, output).map { [$0] }
        case .product(let product, let x, let weights, let residual):
            return try multiply(product, x, weights, residual, output).map { [$0] }
        case .matrices(let product, let x, let y): return try multiply(product, x, y, output).map { [$0] }
        case .pool(let pooling, let x):
            return try pool(pooling.input, pooling.output, pooling.window, pooling, x, output).map { [$0] }
        case .average(let shape, let x):
            let whole = ImageWindow(kernelHeight: shape.height, kernelWidth: shape.width)
            let one = try ImageShape(batch: shape.batch, channels: shape.channels, height: 1, width: 1)
            return try pool(shape, one, whole, nil, x, output).map { [$0] }
        case .softmax(let x, let outer, let count, let stride):
            return [try over(.softmax, x, outer, count, stride, output)]
        case .reduce(let reduction, let x, let outer, let count, let stride):
            return [try over(.init(reduction), x, outer, count, stride, output)]
        case .function(let function, let x, let count): return [try apply(function, x, count, output)]
        case .planes(let planes):
            return try planes.map { try apply($0.function, $0.input, $0.input.count, $0.output) }
        case .scale(let shape, let x, let scale, let shift, let function):
            return [try self.scale(shape, x, scale, shift, function, output)]
        case .pair(let operation, let x, let y): return try combine(operation, x, y, output).map { [$0] }
        case .copies(let copies):
            guard copies.allSatisfy({ $0.copy.sizes.count <= GPUCommands.dimensions }) else { return nil }
            return try copies.map { try move($0.copy, $0.input, $0.output) }
        case .toBlocked(let shape, let x):
            return [try copy(shape, x, isPlain: true, output)]
        case .fromBlocked(let shape, let x):
            return [try copy(shape, x, isPlain: false, output)]
        case .channels(let copies): return try copies.map { try copy($0) }
        case .layerNorm(let x, let rows, let width, let epsilon, let gain, let shift):
            return [try normalize(x, rows, width, epsilon, gain, shift, output)]
        case .attention(let shape, let q, let k, let v, let mask):
            return try attend(shape, q, k, v, mask, output).map { [$0] }
        case .byteConvolution, .quantize, .dequantize, .codeSum, .recurrent, .gather, .select, .extreme, .runningSum,
            .order, .resize, .reference:
            return nil
        }
    }

    private mutating func convolve(
        _ convolution: Convolution, _ x: FloatRegion, _ residual: FloatRegion?, _ y: FloatRegion
    ) throws -> GPUStep.Command? {
        let shape = convolution.shape, (input, output) = (shape.input, shape.output)
        guard let form = GPUCommands.ConvolutionForm(rawValue: UInt32(shape.form.rawValue)),
            output.positions <= 16 * Self.mostGroups, output.batch * output.blocks <= Self.mostGroups
        else { return nil }
        let groups = GPUCommands.Groups(
            inputs: input.channels / shape.groups, outputs: output.channels / shape.groups,
            blocks: form == .direct ? shape.inputBlocks : form == .planes && shape.inputIsPlain ? 0 : 1)
        let (from, to) = (try place(x), try place(y))
        let weights = try keep(convolution.weights)
        let epilogue = try epilogue(convolution.epilogue, bias: convolution.bias, residual: residual)
        return { commands throws(GPUError) in
            try commands.convolve(
                from, .init(input), form: form, window: .init(shape.window), groups: groups, weights: weights, epilogue,
                into: to, .init(output))
        }
    }

    private mutating func multiply(
        _ product: MatrixProduct, _ x: FloatRegion, _ weights: ProductWeights, _ residual: FloatRegion?,
        _ y: FloatRegion
    ) throws -> GPUStep.Command? {
        guard (product.rows + 3) / 4 <= Self.mostGroups, product.columns <= 16 * Self.mostGroups else { return nil }
        let sizes = GPUCommands.Linear(
            batch: 1, rows: product.rows, inner: product.inner, columns: product.columns,
            x: (product.inputStride.row, product.inputStride.value, 0), weightBatch: 0, y: (product.outputStride, 0),
            scale: product.scale)
        let panels = GPUCommands.Panels(
            try keep(weights), panel: 16 * MatrixProduct.padded(product.inner), column: 1, inner: 16)
        let (from, to) = (try place(x), try place(y))
        let epilogue = try epilogue(product.epilogue, bias: product.bias, residual: residual)
        return { commands throws(GPUError) in
            try commands.multiply(from, by: panels, sizes, epilogue, into: to)
        }
    }

    private mutating func multiply(
        _ batched: BatchedProduct, _ x: FloatRegion, _ weights: FloatRegion, _ y: FloatRegion
    ) throws -> GPUStep.Command? {
        let product = batched.product, columns = product.columns, inner = product.inner
        guard (product.rows + 3) / 4 * batched.batch <= Self.mostGroups, columns <= 16 * Self.mostGroups else {
            return nil
        }
        let sizes = GPUCommands.Linear(
            batch: batched.batch, rows: product.rows, inner: inner, columns: columns,
            x: (product.inputStride.row, product.inputStride.value, batched.strides.x),
            weightBatch: batched.strides.w, y: (product.outputStride, batched.strides.y), scale: product.scale)
        let place = try place(weights)
        let panels =
            batched.isTransposed
            ? GPUCommands.Panels(place, panel: 16 * inner, column: inner, inner: 1)
            : GPUCommands.Panels(place, panel: 16, column: 1, inner: columns)
        let (from, to) = (try self.place(x), try self.place(y))
        let epilogue = try epilogue(product.epilogue, bias: product.bias, residual: nil)
        return { commands throws(GPUError) in
            try commands.multiply(from, by: panels, sizes, epilogue, into: to)
        }
    }

    /// - Parameter pooling: nil for a mean.
    private mutating func pool(
        _ input: ImageShape, _ output: ImageShape, _ window: ImageWindow, _ pooling: Pooling?, _ x: FloatRegion,
        _ y: FloatRegion
    ) throws -> GPUStep.Command? {
        guard output.positions <= 4 * Self.mostGroups, output.batch * output.blocks <= Self.mostGroups else {
            return nil
        }
        let (from, to) = (try place(x), try place(y))
        let averages = pooling?.isAverage ?? true, countsPadding = pooling?.countsPadding ?? false
        return { commands throws(GPUError) in
            try commands.pool(
                from, .init(input), window: .init(window), averages: averages, countsPadding: countsPadding, into: to,
                .init(output))
        }
    }

    private mutating func over(
        _ operation: GPUCommands.AxisOperation, _ x: FloatRegion, _ outer: Int, _ count: Int, _ stride: Int,
        _ y: FloatRegion
    ) throws -> GPUStep.Command {
        let (from, to) = (try place(x), try place(y))
        return { commands throws(GPUError) in
            try commands.over(operation, from, outer: outer, count: count, stride: stride, into: to)
        }
    }

    private mutating func normalize(
        _ x: FloatRegion, _ rows: Int, _ width: Int, _ epsilon: Float, _ gain: FloatWeights?, _ shift: FloatWeights?,
        _ y: FloatRegion
    ) throws -> GPUStep.Command {
        let (from, to) = (try place(x), try place(y))
        let gains = try gain.map { try keep($0) }, shifts = try shift.map { try keep($0) }
        return { commands throws(GPUError) in
            try commands.normalizeLayers(
                from, rows: rows, width: width, gain: gains, shift: shifts, epsilon: epsilon, into: to)
        }
    }

    /// Three steps: the products of queries and keys with the mask, their softmax, and its product with the values.
    private mutating func attend(
        _ shape: AttentionShape, _ q: FloatRegion, _ k: FloatRegion, _ v: FloatRegion, _ mask: FloatRegion?,
        _ y: FloatRegion
    ) throws -> GPUStep.Command? {
        let rows = shape.heads * shape.queries, each = shape.queries * shape.keys
        let (count, overflow) = shape.heads.multipliedReportingOverflow(by: each)
        guard !overflow, count < 1 << 30, (shape.queries + 3) / 4 * shape.heads <= Self.mostGroups,
            max(shape.keys, shape.valueWidth) <= 16 * Self.mostGroups
        else { return nil }
        let scores = try scores(count).place
        let (queries, keys, values) = (try place(q), try place(k), try place(v))
        let (masks, to) = (try mask.map { try place($0) }, try place(y))
        let plain = GPUCommands.Epilogue(bias: nil, residual: nil, residualIsLast: false, function: .init(.identity))
        let first = GPUCommands.Linear(
            batch: shape.heads, rows: shape.queries, inner: shape.width, columns: shape.keys,
            x: (shape.queryStride.row, 1, shape.queryStride.head), weightBatch: shape.keyStride.head,
            y: (shape.keys, each), scale: shape.scale)
        let last = GPUCommands.Linear(
            batch: shape.heads, rows: shape.queries, inner: shape.keys, columns: shape.valueWidth,
            x: (shape.keys, 1, each), weightBatch: shape.valueStride.head,
            y: (shape.outputStride.row, shape.outputStride.head), scale: 1)
        let keyPanels = GPUCommands.Panels(keys, panel: 16 * shape.keyStride.row, column: shape.keyStride.row, inner: 1)
        let valuePanels = GPUCommands.Panels(values, panel: 16, column: 1, inner: shape.valueStride.row)
        return { commands throws(GPUError) in
            try commands.multiply(queries, by: keyPanels, first, plain, into: scores)
            if let masks {
                try commands.combine(
                    PairFunction.add.number, scores, strides: [each, 1], masks, strides: [shape.maskStride, 1],
                    sizes: [shape.heads, each], then: .init(.identity), into: scores)
            }
            try commands.over(.softmax, scores, outer: rows, count: shape.keys, stride: 1, into: scores)
            try commands.multiply(scores, by: valuePanels, last, plain, into: to)
        }
    }

    /// Memory for the scores of one attention at a time.
    private mutating func scores(_ count: Int) throws -> GPUBuffer {
        let bytes = count * MemoryLayout<Float>.stride
        if let scoreBuffer, scoreBuffer.byteCount >= bytes { return scoreBuffer }
        let made = try GPUBuffer(device, byteCount: bytes)
        scoreBuffer = made
        return made
    }

    private mutating func apply(
        _ function: ElementFunction, _ x: FloatRegion, _ count: Int, _ y: FloatRegion
    ) throws -> GPUStep.Command {
        let (from, to) = (try place(x), try place(y))
        return { commands throws(GPUError) in
            try commands.apply(.init(function), from, count: count, into: to)
        }
    }

    private mutating func scale(
        _ shape: ImageShape, _ x: FloatRegion, _ scale: FloatWeights, _ shift: FloatWeights?,
        _ function: ElementFunction, _ y: FloatRegion
    ) throws -> GPUStep.Command {
        let (from, to) = (try place(x), try place(y))
        // The numbers of a scale may be a tensor, which changes.
        let scales = try scale.region(in: arena).map { try place($0) } ?? keep(scale)
        let shifts = try shift.map { try keep($0) }
        return { commands throws(GPUError) in
            try commands.apply(.init(function), from, .init(shape), scale: scales, shift: shifts, into: to)
        }
    }

    private mutating func combine(
        _ operation: PairOperation, _ x: FloatRegion, _ z: FloatRegion, _ y: FloatRegion
    ) throws -> GPUStep.Command? {
        guard operation.sizes.count <= GPUCommands.dimensions else { return nil }
        let (left, right, to) = (try place(x), try place(z), try place(y))
        return { commands throws(GPUError) in
            try commands.combine(
                operation.function.number, left, strides: operation.xStrides, right, strides: operation.yStrides,
                sizes: operation.sizes, then: .init(operation.then), into: to)
        }
    }

    private mutating func move(
        _ copy: StridedCopy, _ x: FloatRegion, _ y: FloatRegion
    ) throws -> GPUStep.Command {
        let (from, to) = (try place(x), try place(y))
        return { commands throws(GPUError) in
            try commands.move(
                from, from: copy.inputOffset, strides: copy.inputStrides, sizes: copy.sizes, to: to,
                from: copy.outputOffset, strides: copy.outputStrides)
        }
    }

    /// From one layout to the other.
    private mutating func copy(
        _ shape: ImageShape, _ x: FloatRegion, isPlain: Bool, _ y: FloatRegion
    ) throws -> GPUStep.Command {
        let (from, to) = (try place(x), try place(y))
        return { commands throws(GPUError) in
            try commands.copy(
                channels: shape.channels, shape.batch, positions: shape.positions,
                of: .init(from, channels: shape.channels, isPlain: isPlain),
                to: .init(to, channels: shape.channels, isPlain: !isPlain), fills: isPlain)
        }
    }

    private mutating func copy(_ copy: PreparedStep.ChannelCopy) throws -> GPUStep.Command {
        let (from, to, part) = (try place(copy.input), try place(copy.output), copy.part)
        let (source, target) = (copy.source, copy.target)
        return { commands throws(GPUError) in
            if part.count == 0 { return }
            try commands.copy(
                channels: part.count, source.batch, positions: source.positions,
                of: .init(from, channels: source.channels, isPlain: false, first: part.first),
                to: .init(
                    to, channels: target.channels, isPlain: false, first: part.resultFirst, step: part.resultStep),
                fills: false)
        }
    }
}

extension GPUCommands.Function {
    fileprivate init(_ function: ElementFunction) {
        let (number, a, b) = function.numbers
        self.init(number: number, a: a, b: b)
    }
}

extension GPUCommands.Pictures {
    fileprivate init(_ shape: ImageShape) {
        self.init(count: shape.batch, channels: shape.channels, height: shape.height, width: shape.width)
    }
}

extension GPUCommands.Window {
    fileprivate init(_ window: ImageWindow) {
        self.init(
            kernel: (window.kernelHeight, window.kernelWidth), stride: (window.strideY, window.strideX),
            dilation: (window.dilationY, window.dilationX), before: (window.top, window.left),
            after: (window.bottom, window.right))
    }
}

extension GPUCommands.AxisOperation {
    fileprivate init(_ reduction: Compute.Reduction) {
        self =
            switch reduction {
            case .sum: .sum
            case .mean: .mean
            case .maximum: .maximum
            case .minimum: .minimum
            }
    }
}
