/// Access to the Core ML of the current system.
enum SystemCoreMLLibrary {
    /// nil if the system has no Core ML.
    static var current: (any SystemCoreML)? {
        #if canImport(CoreML)
        AppleCoreML()
        #else
        nil
        #endif
    }

    static var isSimulator: Bool {
        #if targetEnvironment(simulator)
        true
        #else
        false
        #endif
    }
}
