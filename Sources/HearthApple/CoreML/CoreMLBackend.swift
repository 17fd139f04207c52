/// What runs a Core ML package.
public enum CoreMLBackend: String, Sendable, Codable, CaseIterable {
    /// Hearth's own kernels, on the processor.
    case hearth
    /// The system's Core ML: processor, GPU and Neural Engine.
    case system
}

/// Which of the two runs a model. A plain value: facts in, decision out.
///
/// The first row that applies decides:
///
/// | fact | backend |
/// |---|---|
/// | the system has no Core ML (Linux) | hearth |
/// | the model is compiled already (`.mlmodelc`) | system: nothing else reads it |
/// | the app asked for one | that one |
/// | a simulator | hearth: its Core ML is another one than the device's |
/// | a device | system |
package struct CoreMLBackendPolicy: Sendable, Equatable {
    /// What is known where the model is opened.
    package struct Situation: Sendable, Equatable {
        /// Whether the system has Core ML.
        package var hasSystem: Bool
        /// Whether this is a simulator.
        package var isSimulator: Bool
        /// Whether the model is a folder `.mlmodelc`.
        package var isCompiled: Bool

        package init(hasSystem: Bool, isSimulator: Bool = false, isCompiled: Bool = false) {
            self.hasSystem = hasSystem
            self.isSimulator = isSimulator
            self.isCompiled = isCompiled
        }
    }

    /// What the app asks for, such as ours for a palette that is compared with its original; nil leaves it to the policy.
    package var preference: CoreMLBackend?

    package init(preference: CoreMLBackend? = nil) { self.preference = preference }

    /// The backend, and why.
    package func decide(_ facts: Situation) -> (backend: CoreMLBackend, reason: String) {
        guard facts.hasSystem else { return (.hearth, "This system has no Core ML.") }
        if facts.isCompiled { return (.system, "Only the system reads compiled models (.mlmodelc).") }
        if let preference { return (preference, "The app asked for it.") }
        if facts.isSimulator { return (.hearth, "A simulator's Core ML is not the device's.") }
        return (.system, "Core ML has the GPU and the Neural Engine.")
    }
}
