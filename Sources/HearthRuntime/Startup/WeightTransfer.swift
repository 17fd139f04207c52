/// How the weights of a model came to a GPU in one start, and what waited for them.
package struct WeightTransfer: Sendable, Equatable, Codable {
    /// `imported` from the mapped file, `copied` by the processor, or `staged` for copies by the device.
    package var way: String
    /// Bytes of the matrices that the device reads in place in the mapped file.
    package var importedBytes: Int
    /// Bytes of the matrices that are copied, while the first layers run.
    package var copiedBytes: Int
    /// Milliseconds from the first copy to the end of the last; nil before it.
    package var copyMS: Double?
    /// Milliseconds in which a step could not go on because its weights were not there.
    package var waitMS: Double
    /// Milliseconds in which pipelines were created, beside the copies.
    package var pipelineMS: Double

    package init(
        way: String, importedBytes: Int, copiedBytes: Int, copyMS: Double?, waitMS: Double, pipelineMS: Double
    ) {
        (self.way, self.importedBytes, self.copiedBytes) = (way, importedBytes, copiedBytes)
        (self.copyMS, self.waitMS, self.pipelineMS) = (copyMS, waitMS, pipelineMS)
    }
}
