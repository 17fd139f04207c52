/// All rewrites, until none changes anything.
package enum GraphOptimizer {
    /// In the order in which they help each other.
    static var passes: [any GraphPass.Type] {
        [
            DeadSteps.self, ConstantFolding.self, CommonSteps.self, IdentityRemoval.self, ShapeChains.self,
            PaddingFolding.self, ActivationRecognition.self, LayerNormRecognition.self, MatrixForms.self,
            AttentionRecognition.self, LogSoftmaxRecognition.self, AffineFolding.self,
        ]
    }
    /// Each round needs another one to have changed something; real networks take two or three.
    private static let rounds = 8

    /// The same outputs, in the same order, for every input.
    /// - Parameter isCancelled: asked before each pass.
    /// - Throws: `CoreMLError` where a constant cannot be read, `CancellationError`.
    package static func optimized(_ graph: CoreMLGraph, isCancelled: () -> Bool = { false }) throws -> CoreMLGraph {
        var graph = graph
        for _ in 0..<rounds {
            var changed = false
            for pass in passes {
                if isCancelled() { throw CancellationError() }
                if try pass.apply(to: &graph) { changed = true }
            }
            if !changed { break }
        }
        return graph
    }
}
