import HearthSystem

/// What a command writes must not go into what it reads.
enum OutputPlace {
    /// Refuses an output that is a model, or lies inside one: a package is a folder, and a file more makes it another package.
    /// - Parameters:
    ///   - output: path of a file or a folder, which may exist.
    ///   - option: that names it.
    ///   - models: paths of the models that the command reads.
    /// - Throws: `UsageError`.
    static func check(_ output: String?, option: String, command: String, apartFrom models: [String]) throws {
        guard let output else { return }
        let place = RealPath.of(output) ?? RealPath.ofFolder(above: output)
        for model in models {
            guard let real = RealPath.of(model), place == real || place.hasPrefix(real + "/") else { continue }
            throw UsageError(
                "'\(option) \(output)' would write into the model '\(model)'", command: command,
                suggestion: "Choose another place.")
        }
    }
}
