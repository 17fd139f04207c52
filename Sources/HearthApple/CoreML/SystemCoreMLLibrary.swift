/// Core ML of the system that this runs on.
enum SystemCoreMLLibrary {
    /// nil where there is none.
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
