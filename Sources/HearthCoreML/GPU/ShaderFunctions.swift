internal import HearthCompute

/// The functions that shaders know (`functions.glsl`, `combine.comp`): all but those of truth values and whole numbers.
extension PreparedStep.Work {
    /// Whether they know all that the step applies.
    var hasShaderFunctions: Bool {
        switch self {
        case .convolution(let convolution, _, _): convolution.epilogue.function.hasShader
        case .product(let product, _, _, _): product.epilogue.function.hasShader
        case .function(let function, _, _): function.hasShader
        case .planes(let planes): planes.allSatisfy { $0.function.hasShader }
        case .scale(_, _, _, _, let function): function.hasShader
        case .pair(let operation, _, _): operation.function.hasShader && operation.then.hasShader
        default: true
        }
    }
}

extension ElementFunction {
    fileprivate var hasShader: Bool {
        switch self {
        case .not, .truncate, .truth: false
        default: true
        }
    }
}

extension PairFunction {
    fileprivate var hasShader: Bool {
        switch self {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or: false
        default: true
        }
    }
}
