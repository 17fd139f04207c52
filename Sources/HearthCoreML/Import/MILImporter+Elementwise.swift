internal import HearthCoreMLFormat

/// What programs compute for each element by itself.
extension MILImporter {
    static let elementwiseLowerings: [String: Lowering] = plainFunctions.merging(others) { first, _ in first }

    /// Functions without parameters, and pairs.
    private static let plainFunctions: [String: Lowering] = {
        let functions: [String: GraphFunction] = [
            "relu": .relu, "relu6": .relu6, "sigmoid": .sigmoid, "tanh": .tanh, "silu": .silu, "softplus": .softplus,
            "softsign": .softsign, "exp": .exp, "exp2": .exp2, "sqrt": .sqrt, "erf": .erf, "abs": .abs,
            "square": .square, "floor": .floor, "ceil": .ceil, "round": .round, "sign": .sign, "sin": .sin, "cos": .cos,
            "tan": .tan, "asin": .asin, "acos": .acos, "atan": .atan, "sinh": .sinh, "cosh": .cosh, "atanh": .atanh,
            "logical_not": .not,
        ]
        let pairs: [String: GraphBinary] = [
            "add": .add, "sub": .subtract, "mul": .multiply, "real_div": .divide, "maximum": .maximum,
            "minimum": .minimum, "pow": .power, "floor_div": .floorDivide, "mod": .modulo, "equal": .equal,
            "not_equal": .notEqual, "less": .less, "less_equal": .lessOrEqual, "greater": .greater,
            "greater_equal": .greaterOrEqual, "logical_and": .and, "logical_or": .or, "logical_xor": .notEqual,
        ]
        var lowerings: [String: Lowering] = [:]
        for (name, function) in functions {
            lowerings[name] = { try [$0.emitter.unary(function, $0.tensor("x"))] }
        }
        for (name, pair) in pairs { lowerings[name] = { try [$0.binary(pair)] } }
        return lowerings
    }()

    private static let others: [String: Lowering] = [
        "clip": { try [$0.function(.clip(low: $0.required("alpha"), high: $0.required("beta")))] },
        "leaky_relu": { try [$0.function(.leakyRelu(alpha: $0.number("alpha") ?? 0.01))] },
        "elu": { try [$0.function(.elu(alpha: $0.number("alpha") ?? 1))] },
        "thresholded_relu": { try [$0.function(.thresholdedRelu(alpha: $0.number("alpha") ?? 1))] },
        "sigmoid_hard": {
            try [$0.function(.hardSigmoid(alpha: $0.number("alpha") ?? 0.2, beta: $0.number("beta") ?? 0.5))]
        },
        "linear_activation": {
            try [$0.function(.linear(alpha: $0.number("alpha") ?? 1, beta: $0.number("beta") ?? 0))]
        },
        "scaled_tanh": { try [$0.function(.scaledTanh(alpha: $0.number("alpha") ?? 1, beta: $0.number("beta") ?? 1))] },
        "clamped_relu": { try [$0.function(.clampedRelu(alpha: $0.required("alpha"), beta: $0.required("beta")))] },
        "threshold": { try [$0.function(.clip(low: $0.required("alpha"), high: .infinity))] },
        "rsqrt": { try [$0.function(.rsqrt(epsilon: $0.number("epsilon") ?? 1e-12))] },
        "inverse": { try [$0.function(.inverse(epsilon: $0.number("epsilon") ?? 1e-4))] },
        "log": { try [$0.function(.log(epsilon: $0.number("epsilon") ?? .leastNonzeroMagnitude))] },
        "gelu": { try [$0.gelu()] },
        "prelu": { try [$0.prelu()] },
        "softplus_parametric": { try [$0.parametricSoftplus()] },
        "select": { try [$0.select()] },
        "cast": { try [$0.cast()] },
        "identity": { try [$0.tensor("x")] },
    ]

    private mutating func function(_ function: GraphFunction) throws -> GraphBuilder.TensorID {
        try emitter.unary(function, tensor("x"))
    }

    private mutating func binary(_ kind: GraphBinary) throws -> GraphBuilder.TensorID {
        let (x, y) = (try tensor("x"), try tensor("y"))
        let type: MILDataType
        switch kind {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or: type = .bool
        default: type = emitter.type(x)
        }
        // A quotient of integers is one; before it is cut off it has another type, or the cast would be none.
        let isCut = kind == .divide && operation.outputs.first?.type.tensor?.dataType.isInteger == true
        let result = try emitter.binary(kind, x, y, type: isCut ? .float32 : type)
        guard isCut else { return result }
        return try emitter.emit(.cast(.integer), [result], emitter.shape(result), .int32)
    }

    private mutating func gelu() throws -> GraphBuilder.TensorID {
        switch try text("mode") ?? "EXACT" {
        case "EXACT": return try function(.gelu)
        case "TANH_APPROXIMATION": return try function(.geluTanh)
        case "SIGMOID_APPROXIMATION": return try function(.geluSigmoid)
        case let other: throw emitter.invalid("the mode '\(other)' does not exist")
        }
    }

    private mutating func prelu() throws -> GraphBuilder.TensorID {
        let (x, alpha) = (try tensor("x"), try tensor("alpha"))
        try emitter.requireChannels([("alpha", alpha)], x)
        return try emitter.emit(.prelu, [x, alpha], emitter.shape(x))
    }

    /// alpha · log(1 + exp(beta · x)), with parameters by channel.
    private mutating func parametricSoftplus() throws -> GraphBuilder.TensorID {
        let (x, alpha, beta) = (try tensor("x"), try tensor("alpha"), try tensor("beta"))
        try emitter.requireChannels([("alpha", alpha), ("beta", beta)], x)
        let column = [emitter.shape(x)[1]] + [Int](repeating: 1, count: emitter.rank(x) - 2)
        let scaled = try emitter.binary(.multiply, x, try emitter.reshape(beta, column))
        return try emitter.binary(
            .multiply, try emitter.unary(.softplus, scaled), try emitter.reshape(alpha, column))
    }

    private mutating func select() throws -> GraphBuilder.TensorID {
        let (condition, a, b) = (try tensor("cond"), try tensor("a"), try tensor("b"))
        guard let values = GraphShape.broadcast(emitter.shape(a), emitter.shape(b)),
            let result = GraphShape.broadcast(emitter.shape(condition), values)
        else {
            throw emitter.invalid(
                "shapes \(emitter.shape(condition)), \(emitter.shape(a)) and \(emitter.shape(b)) do not go together")
        }
        return try emitter.emit(.select, [condition, a, b], result, emitter.type(a))
    }

    private mutating func cast() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let casts: [String: (GraphCast, MILDataType)] = [
            "fp16": (.float16, .float16), "fp32": (.float32, .float32), "fp64": (.float32, .float64),
            "int32": (.integer, .int32), "int64": (.integer, .int64), "int16": (.integer, .int16),
            "uint16": (.integer, .uint16), "int8": (.integer, .int8), "uint8": (.integer, .uint8),
            "bool": (.boolean, .bool),
        ]
        guard let name = try text("dtype"), let (cast, type) = casts[name] else {
            throw emitter.invalid("a cast to '\(try text("dtype") ?? "nothing")'")
        }
        return try emitter.emit(.cast(cast), [x], emitter.shape(x), type)
    }
}
