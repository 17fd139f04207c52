/// The backend that runs a Core ML package.
public enum CoreMLBackend: String, Sendable, Codable, CaseIterable {
    /// Hearth's own kernels, on the CPU.
    case hearth
    /// The system's Core ML: CPU, GPU and Neural Engine.
    case system
}

/// Chooses the backend of a model. A plain value: facts in, decision out.
///
/// The first row that matches decides:
///
/// | fact | backend |
/// |---|---|
/// | the system has no Core ML (Linux) | hearth |
/// | the model is already compiled (`.mlmodelc`) | system, which alone can read it |
/// | the app requested a backend | that one |
/// | running in a simulator | hearth, because the simulator's Core ML differs from a device's |
/// | a device | system |
package struct CoreMLBackendPolicy: Sendable, Equatable {
    /// The facts known when the model is opened.
    package struct Situation: Sendable, Equatable {
        /// Whether the system has Core ML.
        package var hasSystem: Bool
        /// Whether this is a simulator.
        package var isSimulator: Bool
        /// Whether the model is an `.mlmodelc` folder.
        package var isCompiled: Bool

        package init(hasSystem: Bool, isSimulator: Bool = false, isCompiled: Bool = false) {
            self.hasSystem = hasSystem
            self.isSimulator = isSimulator
            self.isCompiled = isCompiled
        }
    }

    /// The backend requested by the app, for example Hearth's to compare a palettized model with its original; nil to let the
    /// policy decide.
    package var preference: CoreMLBackend?

    package init(preference: CoreMLBackend? = nil) { self.preference = preference }

    /// Returns the backend, and the reason.
    package func decide(_ facts: Situation) -> (backend: CoreMLBackend, reason: String) {
        guard facts.hasSystem else { return (.hearth, "This system has no Core ML.") }
        if facts.isCompiled { return (.system, "Only the system reads compiled models (.mlmodelc).") }
        if let preference { return (preference, "The app asked for it.") }
        if facts.isSimulator { return (.hearth, "A simulator's Core ML is not the device's.") }
        return (.system, "Core ML has the GPU and the Neural Engine.")
    }
}
