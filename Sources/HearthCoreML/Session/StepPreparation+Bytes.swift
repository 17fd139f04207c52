internal import HearthCompute

/// Steps that read or write 8-bit codes.
extension StepPreparation {
    /// A tensor of codes.
    /// - Throws: `ComputeError.shapeMismatch` for any other.
    func codes(_ id: Int?) throws -> (shape: CodeShape, region: FloatRegion) {
        let tensor = try tensor(id)
        guard tensor.layout == .codes, let code = tensor.code else {
            throw ComputeError.shapeMismatch(what: "codes", expected: 1, found: 0)
        }
        return (try code.shape(of: tensor.shape), try region(id))
    }

    /// The order of the floats that become codes: those of pictures are blocked or planes, others have the channels last.
    func order(_ floats: Int?, beside codes: Int?) throws -> CodedFloats {
        let isPicture = try tensor(codes).code?.isChannelsLast == false
        let layout = try tensor(floats).layout
        guard layout == .plain || layout == .blocked && isPicture else {
            throw ComputeError.shapeMismatch(what: "layouts of codes", expected: 1, found: 0)
        }
        if isPicture {
            let (floats, codes) = (try tensor(floats).shape, try tensor(codes).shape)
            guard try ImageShape(floats) == ImageShape(codes) else {
                throw ComputeError.shapeMismatch(
                    what: "elements of codes", expected: codes.reduce(1, *), found: floats.reduce(1, *))
            }
        }
        return layout == .blocked ? .blocked : isPicture ? .planes : .channelsLast
    }

    /// Whether the floats that codes become are blocked; otherwise they have the channels last.
    func isBlocked(_ floats: Int?, beside codes: Int?) throws -> Bool {
        let order = try order(floats, beside: codes)
        guard order != .planes else {
            throw ComputeError.shapeMismatch(what: "layouts of codes", expected: 1, found: 0)
        }
        return order == .blocked
    }

    func byteConvolution(_ plan: PlanByteConvolution, _ step: PlanStep) throws -> PreparedStep.Work {
        let (input, x) = try codes(step.inputs.first ?? nil)
        let result = try tensor(step.outputs.first)
        let output: ByteConvolution.Output
        let image: ImageShape
        switch result.layout {
        case .codes:
            let shape = try codes(step.outputs.first).shape
            (output, image) = (.codes(shape), shape.image)
        case .blocked: (output, image) = (.blocked, try ImageShape(result.shape))
        case .plain:
            output = .rows
            image = try ImageShape(
                channels: result.shape.last ?? 1, height: 1, width: result.shape.dropLast().reduce(1, *))
        }
        let shape = try ByteConvolutionShape(
            inputChannels: input.image.channels, outputChannels: image.channels, window: plan.window.picture(),
            groups: plan.groups)
        let convolution = try ByteConvolution(
            shape, input: input, output: output, weights: floats(plan.weights), sums: floats(plan.sums),
            scales: floats(plan.scales), bias: plan.bias.map(floats), epilogue: epilogue(plan.epilogue))
        guard convolution.image == image else {
            throw ComputeError.shapeMismatch(
                what: "positions of a convolution", expected: convolution.image.positions, found: image.positions)
        }
        return .byteConvolution(convolution, x, residual: try residual(plan.epilogue, step))
    }
}
