/// Convolutions and pooling: geometry resolved, shapes computed.
extension GraphBuilder {
    /// How a border is padded, before it is known how large the picture is.
    enum Padding: Equatable {
        /// Numbers: before and after, by axis.
        case numbers(before: [Int], after: [Int])
        /// As much as makes the result ceil(size / stride) long; the odd one goes after, or before.
        case same(oddBefore: Bool)
    }

    /// What windows have in common.
    struct WindowGeometry {
        var kernel: [Int]
        var strides: [Int]
        var dilations: [Int]
        var padding: Padding
    }

    /// Checks a geometry for pictures of `spatial` sizes; returns what is padded.
    private func resolve(_ geometry: WindowGeometry, _ spatial: [Int]) throws -> (before: [Int], after: [Int]) {
        let rank = spatial.count
        guard (1...3).contains(rank) else {
            throw unsupported("a picture of \(rank) dimensions")
        }
        for (name, list) in [
            ("kernel", geometry.kernel), ("strides", geometry.strides), ("dilations", geometry.dilations),
        ] {
            guard list.count == rank else { throw invalid("\(list.count) \(name) for \(rank) dimensions") }
            guard list.allSatisfy({ $0 > 0 }) else { throw invalid("the \(name) are \(list)") }
        }
        switch geometry.padding {
        case .numbers(let before, let after):
            guard before.count == rank, after.count == rank else {
                throw invalid("pads for \(before.count) of \(rank) dimensions")
            }
            guard (before + after).allSatisfy({ $0 >= 0 }) else { throw invalid("the pads are \(before) and \(after)") }
            return (before, after)
        case .same(let oddBefore):
            let totals = spatial.indices.map { axis in
                let size = spatial[axis]
                let stride = geometry.strides[axis]
                let covered = ((size + stride - 1) / stride - 1) * stride + extent(geometry, axis)
                return max(covered - size, 0)
            }
            let halves = totals.map { $0 / 2 }
            let rests = zip(totals, halves).map { $0 - $1 }
            return oddBefore ? (rests, halves) : (halves, rests)
        }
    }

    /// Elements from the first to the last one that a window touches.
    private func extent(_ geometry: WindowGeometry, _ axis: Int) -> Int {
        (geometry.kernel[axis] - 1) * geometry.dilations[axis] + 1
    }

    private func requireChannels(_ bias: TensorID?, _ count: Int, _ what: String) throws {
        guard let bias else { return }
        guard shape(bias) == [count] || count == 1 && shape(bias).isEmpty else {
            throw invalid("a \(what) of shape \(shape(bias)) for \(count) channels")
        }
    }

    /// A convolution; the weight is [O, C / groups, kernel…].
    mutating func convolution(
        _ x: TensorID, _ weight: TensorID, _ bias: TensorID?, strides: [Int]?, dilations: [Int]?, padding: Padding?,
        groups: Int
    ) throws -> TensorID {
        let (input, filter) = (shape(x), shape(weight))
        guard input.count >= 3, filter.count == input.count else {
            throw invalid("a weight of shape \(filter) for an input of shape \(input)")
        }
        let spatial = Array(input[2...])
        guard groups > 0, input[1] % groups == 0, filter[0] % groups == 0, filter[1] == input[1] / groups else {
            throw invalid("a weight of shape \(filter) in \(groups) groups for an input of shape \(input)")
        }
        try requireChannels(bias, filter[0], "bias")
        let ones = [Int](repeating: 1, count: spatial.count)
        let zeros = [Int](repeating: 0, count: spatial.count)
        let geometry = WindowGeometry(
            kernel: Array(filter[2...]), strides: strides ?? ones, dilations: dilations ?? ones,
            padding: padding ?? .numbers(before: zeros, after: zeros))
        let (before, after) = try resolve(geometry, spatial)
        let output = try spatial.indices.map { axis in
            let room = spatial[axis] + before[axis] + after[axis] - extent(geometry, axis)
            guard room >= 0 else {
                throw invalid("the kernel \(geometry.kernel) is larger than the padded input \(input)")
            }
            return room / geometry.strides[axis] + 1
        }
        return try emit(
            .convolution(
                GraphConvolution(
                    kernel: geometry.kernel, strides: geometry.strides, dilations: geometry.dilations, before: before,
                    after: after, groups: groups)), [x, weight, bias], [input[0], filter[0]] + output)
    }

    /// The transpose of a convolution; the weight is [C, O / groups, kernel…].
    /// - Parameter target: the sizes that are wanted, where the file says them.
    mutating func transposedConvolution(
        _ x: TensorID, _ weight: TensorID, _ bias: TensorID?, strides: [Int]?, dilations: [Int]?, padding: Padding?,
        groups: Int, target: [Int]?
    ) throws -> TensorID {
        let (input, filter) = (shape(x), shape(weight))
        guard input.count >= 3, filter.count == input.count else {
            throw invalid("a weight of shape \(filter) for an input of shape \(input)")
        }
        let spatial = Array(input[2...])
        guard groups > 0, filter[0] == input[1], input[1] % groups == 0 else {
            throw invalid("a weight of shape \(filter) in \(groups) groups for an input of shape \(input)")
        }
        let (channels, overflow) = filter[1].multipliedReportingOverflow(by: groups)
        guard !overflow else { throw invalid("\(groups) groups") }
        try requireChannels(bias, channels, "bias")
        let ones = [Int](repeating: 1, count: spatial.count)
        let zeros = [Int](repeating: 0, count: spatial.count)
        var geometry = WindowGeometry(
            kernel: Array(filter[2...]), strides: strides ?? ones, dilations: dilations ?? ones,
            padding: .numbers(before: zeros, after: zeros))
        _ = try resolve(geometry, spatial)
        let full = spatial.indices.map { (spatial[$0] - 1) * geometry.strides[$0] + extent(geometry, $0) }
        guard GraphShape.count(full) != nil else {
            throw CoreMLError.tooLarge(
                .init(file: file, field: place), what: "elements before the crop",
                claimed: GraphShape.count(full, limit: .max) ?? .max, limit: GraphLimits.elements)
        }
        var output = full
        var before = zeros
        switch padding ?? geometry.padding {
        case .numbers(let first, let last):
            geometry.padding = .numbers(before: first, after: last)
            (before, _) = try resolve(geometry, spatial)
            output = spatial.indices.map { full[$0] - first[$0] - last[$0] }
        case .same(let oddBefore):
            // The convolution that this undoes made `spatial` out of these sizes.
            output = target ?? spatial.indices.map { spatial[$0] * geometry.strides[$0] }
            guard output.count == spatial.count else {
                throw invalid("an output of \(output) for an input of \(input)")
            }
            before = spatial.indices.map { axis in
                let total = max(full[axis] - output[axis], 0)
                return oddBefore ? total - total / 2 : total / 2
            }
        }
        if let target {
            guard target.count == output.count,
                zip(target, output).enumerated().allSatisfy({ axis, sizes in
                    (0..<geometry.strides[axis] + geometry.dilations[axis]).contains(sizes.0 - sizes.1)
                })
            else { throw invalid("an output of \(target), but the parameters give \(output)") }
            output = target
        }
        guard output.allSatisfy({ $0 > 0 }) else { throw invalid("an output of \(output)") }
        let after = output.indices.map { max(full[$0] - before[$0] - output[$0], 0) }
        return try emit(
            .transposedConvolution(
                GraphConvolution(
                    kernel: geometry.kernel, strides: geometry.strides, dilations: geometry.dilations, before: before,
                    after: after, groups: groups)), [x, weight, bias], [input[0], channels] + output)
    }

    /// Pooling.
    /// - Parameter ceil: whether windows may hang over the padded end.
    mutating func pool(
        _ x: TensorID, _ kind: GraphPooling.Kind, kernel: [Int], strides: [Int]?, padding: Padding, ceil: Bool,
        countsPadding: Bool
    ) throws -> TensorID {
        let input = shape(x)
        guard input.count >= 3 else { throw invalid("an input of shape \(input)") }
        let spatial = Array(input[2...])
        let ones = [Int](repeating: 1, count: spatial.count)
        let geometry = WindowGeometry(kernel: kernel, strides: strides ?? ones, dilations: ones, padding: padding)
        let (before, after) = try resolve(geometry, spatial)
        guard GraphShape.count(kernel, limit: GraphLimits.window) != nil else {
            throw CoreMLError.tooLarge(
                .init(file: file, field: place), what: "elements of a window",
                claimed: GraphShape.count(kernel, limit: .max) ?? .max, limit: GraphLimits.window)
        }
        let output = try spatial.indices.map { axis in
            let (size, stride) = (spatial[axis], geometry.strides[axis])
            let room = size + before[axis] + after[axis] - kernel[axis]
            guard room >= 0 || ceil && room + stride > 0 else {
                throw invalid("the window \(kernel) is larger than the padded input \(input)")
            }
            var count = (room + (ceil ? stride - 1 : 0)) / stride + 1
            // The last window begins in the picture or in the padding before it, or it is none.
            if ceil, (count - 1) * stride >= size + before[axis] { count -= 1 }
            let isEmpty = before[axis] >= kernel[axis] || (count - 1) * stride - before[axis] >= size
            guard !isEmpty || countsPadding && kind == .average else {
                throw invalid("a window of \(kernel) lies in the padding alone")
            }
            return count
        }
        return try emit(
            .pool(
                GraphPooling(
                    kind: kind, kernel: kernel, strides: geometry.strides, before: before, after: after,
                    countsPadding: countsPadding)), [x], Array(input[..<2]) + output)
    }
}
