package import HearthCoreMLFormat
import HearthSystem

/// A Core ML model that runs: its interface, and the network as one graph, whatever file it came from.
///
///     let model = try CoreMLModel(path: "Digits.mlpackage")
///     let results = try model.predict(["image": CoreMLTensor(shape: [1, 3, 32, 32], values: pixels)])
///
/// A value; weights stay mapped.
package struct CoreMLModel: Sendable {
    /// The path of the model.
    package let path: String
    /// What goes in and what comes out.
    package let interface: CoreMLInterface
    /// The network. Its outputs are those that the interface refers to.
    package let graph: CoreMLGraph
    /// The files that its weights are in; nil for a network that was put together here.
    private var package: CoreMLPackage?

    /// What goes in, in the model's order.
    package var inputs: [CoreMLInterface.Input] { interface.inputs }
    /// What comes out, in the model's order.
    package var outputs: [CoreMLInterface.Output] { interface.outputs }
    /// The classes of a classifier.
    package var labels: CoreMLLabels? { interface.labels }
    /// What people and converters wrote about the model.
    package var metadata: [String: String] { interface.metadata }

    /// Opens the package or bare model at `path`.
    ///
    /// Throws `FileError` for what is wrong with the file and `CoreMLError` for a model that is not run here.
    /// - Parameter inputShapes: shapes of inputs that the model leaves open.
    package init(path: String, inputShapes: [String: [Int]] = [:]) throws {
        try self.init(CoreMLPackage(path: path), inputShapes: inputShapes)
    }

    /// A model out of a package that was opened.
    package init(_ package: CoreMLPackage, inputShapes: [String: [Int]] = [:]) throws {
        let build: ModelBuild
        do {
            build = try ModelBuild(package, inputShapes: inputShapes)
        } catch {
            // The model is being changed: errors in what was read are not its fault.
            try package.checkIntact()
            throw error
        }
        path = package.path
        interface = build.interface
        graph = build.graph
        self.package = package
        try checkIntact()
    }

    /// To be called after reading weights and before using the result.
    /// - Throws: `FileError.changed` with the file that was changed since the model was opened.
    func checkIntact() throws(FileError) { try package?.checkIntact() }

    /// A network that was changed, under the interface of the model that it comes from.
    init(path: String, interface: CoreMLInterface, graph: CoreMLGraph) {
        (self.path, self.interface, self.graph) = (path, interface, graph)
    }

    /// The results for some inputs, by name, computed by plain reference arithmetic.
    ///
    /// Throws `CoreMLError` for inputs that do not fit and results that are not finite, and `CancellationError`.
    package func predict(_ inputs: [String: CoreMLTensor]) throws -> [String: CoreMLTensor] {
        let prepared = try interface.prepared(inputs)
        let results = try ReferenceExecutor.stoppedByTask.run(graph, prepared)
        try checkIntact()
        return try interface.named(results, inputs, file: path)
    }
}
