/// The commands of a network of layers. Its tensors are float32; pictures have their channels in blocks of 16, [pictures]
/// [channels / 16][height][width][16], or are plain, [pictures][channels][height][width].
extension GPUCommands {
    /// What the result of a product becomes before it is stored.
    package struct Epilogue {
        /// One value for each channel or column.
        package var bias: GPUPlace?
        /// A tensor of the result's shape that is added.
        package var residual: GPUPlace?
        /// Whether it is added after the function.
        package var residualIsLast: Bool
        package var function: Function

        package init(bias: GPUPlace?, residual: GPUPlace?, residualIsLast: Bool, function: Function) {
            (self.bias, self.residual, self.residualIsLast) = (bias, residual, residualIsLast)
            self.function = function
        }
    }

    /// A function of one value, by its number in CHearthKernels.
    package struct Function {
        package var number: UInt32
        package var a: Float
        package var b: Float

        package init(number: UInt32, a: Float, b: Float) { (self.number, self.a, self.b) = (number, a, b) }
    }

    /// Pictures.
    package struct Pictures {
        package var count: Int
        package var channels: Int
        package var height: Int
        package var width: Int

        package init(count: Int, channels: Int, height: Int, width: Int) {
            (self.count, self.channels, self.height, self.width) = (count, channels, height, width)
        }

        var blocks: Int { (channels + 15) / 16 }
        var positions: Int { height * width }
    }

    /// A window over pictures; pairs are of rows and columns.
    package struct Window {
        package var kernel: (Int, Int)
        package var stride: (Int, Int)
        package var dilation: (Int, Int)
        /// Rows above, columns on the left, and the others.
        package var before: (Int, Int)
        package var after: (Int, Int)

        package init(
            kernel: (Int, Int), stride: (Int, Int), dilation: (Int, Int), before: (Int, Int), after: (Int, Int)
        ) {
            (self.kernel, self.stride, self.dilation) = (kernel, stride, dilation)
            (self.before, self.after) = (before, after)
        }

        fileprivate var sizes: [Int] {
            [kernel.0, kernel.1, stride.0, stride.1, dilation.0, dilation.1, before.0, before.1]
        }
    }

    /// How the weights of a convolution are packed; raw values are those of HearthCompute's `ConvolutionShape.Form`.
    package enum ConvolutionForm: UInt32, CaseIterable, Sendable {
        case direct = 0
        case plain = 1
        case depthwise = 2
        case planes = 3
    }

    /// Channels of a convolution's groups.
    package struct Groups {
        package var inputs: Int
        package var outputs: Int
        /// Number of blocks of inputs that a block of outputs depends on; in the form `planes` 0 for a plain input.
        package var blocks: Int

        package init(inputs: Int, outputs: Int, blocks: Int) {
            (self.inputs, self.outputs, self.blocks) = (inputs, outputs, blocks)
        }
    }

    /// All pipelines of networks: they are few, so that every network has the same.
    package static var networkPipelines: Set<GPUPipelineKey> {
        let others: [GPUShader] = [.apply, .axis, .channels, .combine, .layer, .linear, .move, .pool]
        return Set(ConvolutionForm.allCases.map(convolveKey) + others.map { GPUPipelineKey($0) })
    }

    package static func convolveKey(_ form: ConvolutionForm) -> GPUPipelineKey {
        GPUPipelineKey(.convolve, [form.rawValue])
    }

    /// A convolution of x, which is blocked, or plain in the form of that name. The result is blocked, or plain in the form
    /// `planes`.
    package func convolve(
        _ x: GPUPlace, _ shape: Pictures, form: ConvolutionForm, window: Window, groups: Groups, weights: GPUPlace,
        _ epilogue: Epilogue, into y: GPUPlace, _ result: Pictures
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x, weights, epilogue.bias, epilogue.residual, y)
        a.add(shape.channels, shape.height, shape.width, result.blocks, result.height, result.width)
        for size in window.sizes { a.add(size) }
        a.add(groups.inputs, groups.outputs, groups.blocks)
        a.add(Int(epilogue.function.number), epilogue.residualIsLast ? 1 : 0)
        a.add(epilogue.function.a, epilogue.function.b)
        try run(Self.convolveKey(form), a, (result.positions + 15) / 16, result.count * result.blocks)
    }

    /// A matrix of a product, by where its values are: those of 16 columns are a panel.
    package struct Panels {
        package var place: GPUPlace
        package var panel: Int
        package var column: Int
        package var inner: Int

        package init(_ place: GPUPlace, panel: Int, column: Int, inner: Int) {
            (self.place, self.panel, self.column, self.inner) = (place, panel, column, inner)
        }
    }

    /// The sizes of products of `batch` pairs of matrices; strides are in values.
    package struct Linear {
        package var batch: Int
        package var rows: Int
        package var inner: Int
        package var columns: Int
        package var x: (row: Int, inner: Int, batch: Int)
        package var weightBatch: Int
        package var y: (row: Int, batch: Int)
        package var scale: Float

        package init(
            batch: Int, rows: Int, inner: Int, columns: Int, x: (row: Int, inner: Int, batch: Int), weightBatch: Int,
            y: (row: Int, batch: Int), scale: Float
        ) {
            (self.batch, self.rows, self.inner, self.columns) = (batch, rows, inner, columns)
            (self.x, self.weightBatch, self.y, self.scale) = (x, weightBatch, y, scale)
        }
    }

    /// `y = f(scale * x W + bias)`.
    package func multiply(
        _ x: GPUPlace, by weights: Panels, _ sizes: Linear, _ epilogue: Epilogue, into y: GPUPlace
    ) throws(GPUError) {
        let groups = (sizes.rows + 3) / 4
        var a = Arguments()
        a.add(x, weights.place, epilogue.bias, epilogue.residual, y)
        a.add(sizes.rows, sizes.inner, sizes.columns, sizes.x.row, sizes.x.inner, sizes.y.row)
        a.add(weights.panel, weights.column, weights.inner, sizes.x.batch, sizes.weightBatch, sizes.y.batch, groups)
        a.add(Int(epilogue.function.number), epilogue.residualIsLast ? 1 : 0)
        a.add(sizes.scale, epilogue.function.a, epilogue.function.b)
        try run(GPUPipelineKey(.linear), a, (sizes.columns + 15) / 16, groups * sizes.batch)
    }

    /// The maximum or mean of windows.
    package func pool(
        _ x: GPUPlace, _ shape: Pictures, window: Window, averages: Bool, countsPadding: Bool, into y: GPUPlace,
        _ result: Pictures
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x, y)
        a.add(shape.height, shape.width, result.height, result.width)
        for size in window.sizes { a.add(size) }
        a.add(window.after.0, window.after.1, averages ? 1 : 0, countsPadding ? 1 : 0)
        try run(GPUPipelineKey(.pool), a, (result.positions + 3) / 4, result.count * result.blocks)
    }

    /// `y = f(x)` for `count` values.
    package func apply(_ function: Function, _ x: GPUPlace, count: Int, into y: GPUPlace) throws(GPUError) {
        try apply(function, x, count, 1, 1, nil, nil, y)
    }

    /// `y = f(x * scale + shift)`, by channels of blocked pictures; nil for 1 and 0.
    package func apply(
        _ function: Function, _ x: GPUPlace, _ shape: Pictures, scale: GPUPlace?, shift: GPUPlace?, into y: GPUPlace
    ) throws(GPUError) {
        let count = shape.count * shape.blocks * shape.positions * 16
        try apply(function, x, count, shape.positions, shape.blocks, scale, shift, y)
    }

    private func apply(
        _ function: Function, _ x: GPUPlace, _ count: Int, _ positions: Int, _ blocks: Int, _ scale: GPUPlace?,
        _ shift: GPUPlace?, _ y: GPUPlace
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x, scale, shift, y)
        a.add(count, positions, blocks, Int(function.number))
        a.add(function.a, function.b)
        try run(GPUPipelineKey(.apply), a, Self.loops(count), 1)
    }

    /// Number of dimensions of `combine` and `move`.
    package static let dimensions = 6

    /// A function of two tensors by its number in CHearthKernels, then one of its result; a stride of 0 repeats a tensor.
    package func combine(
        _ operation: UInt32, _ x: GPUPlace, strides xStrides: [Int], _ z: GPUPlace, strides zStrides: [Int],
        sizes: [Int], then function: Function, into y: GPUPlace
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x, z, y)
        for size in Self.padded(sizes, by: 1) + Self.padded(xStrides, by: 0) + Self.padded(zStrides, by: 0) {
            a.add(size)
        }
        a.add(Int(operation), Int(function.number))
        a.add(function.a, function.b)
        try run(GPUPipelineKey(.combine), a, Self.loops(sizes.reduce(1, *)), 1)
    }

    /// Values to other places; places and strides are in values.
    package func move(
        _ x: GPUPlace, from first: Int, strides: [Int], sizes: [Int], to y: GPUPlace, from yFirst: Int,
        strides yStrides: [Int]
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x, y)
        for size in Self.padded(sizes, by: 1) { a.add(size) }
        for stride in Self.padded(strides, by: 0) + Self.padded(yStrides, by: 0) { a.add(signed: stride) }
        a.add(first, yFirst)
        try run(GPUPipelineKey(.move), a, Self.loops(sizes.reduce(1, *)), 1)
    }

    /// Pictures, and whether they are plain.
    package struct Channels {
        package var place: GPUPlace
        package var channels: Int
        package var isPlain: Bool
        /// The first channel, and the distance of the others.
        package var first: Int
        package var step: Int

        package init(_ place: GPUPlace, channels: Int, isPlain: Bool, first: Int = 0, step: Int = 1) {
            (self.place, self.channels, self.isPlain) = (place, channels, isPlain)
            (self.first, self.step) = (first, step)
        }
    }

    /// Copies `count` channels of pictures. With `fills`, the channels after them in their block become 0.
    package func copy(
        channels count: Int, _ pictures: Int, positions: Int, of x: Channels, to y: Channels, fills: Bool
    ) throws(GPUError) {
        precondition(x.step == 1)
        let filled = fills ? (count + 15) / 16 * 16 : count
        var a = Arguments()
        a.add(x.place, y.place)
        a.add(pictures, positions, count, filled, x.first, y.first, y.step, x.channels, y.channels)
        a.add(x.isPlain ? 1 : 0, y.isPlain ? 1 : 0)
        try run(GPUPipelineKey(.channels), a, Self.loops(pictures * filled * positions), 1)
    }

    /// What is computed of the values of an axis; raw values are those in the shader.
    package enum AxisOperation: UInt32, CaseIterable, Sendable { case softmax, sum, mean, maximum, minimum }

    /// Softmax over an axis, or one value of it: [outer][count][stride] to the same or [outer][stride].
    package func over(
        _ operation: AxisOperation, _ x: GPUPlace, outer: Int, count: Int, stride: Int, into y: GPUPlace
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x, y)
        a.add(outer * stride, count, stride, Int(operation.rawValue))
        try run(GPUPipelineKey(.axis), a, min(outer * stride, Self.mostGroups), 1)
    }

    /// `y = (x - mean) / sqrt(variance + epsilon) * gain + shift` for each row; nil for 1 and 0.
    package func normalizeLayers(
        _ x: GPUPlace, rows: Int, width: Int, gain: GPUPlace?, shift: GPUPlace?, epsilon: Float, into y: GPUPlace
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x, gain, shift, y)
        a.add(rows, width)
        a.add(epsilon)
        try run(GPUPipelineKey(.layer), a, min(rows, Self.mostGroups), 1)
    }

    private static let mostGroups = 65_535

    /// Groups of threads that go over `count` values together.
    private static func loops(_ count: Int) -> Int { min(max((count + 63) / 64, 1), mostGroups) }

    private static func padded(_ values: [Int], by filler: Int) -> [Int] {
        [Int](repeating: filler, count: dimensions - values.count) + values
    }
}
