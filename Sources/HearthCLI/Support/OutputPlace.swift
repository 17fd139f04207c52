import HearthModels
import HearthSystem

/// What a command writes must not go into what it reads.
enum OutputPlace {
    /// Refuses standard output where only a file will do; an output that is a model, or lies inside one: a package is a folder,
    /// and a file more makes it another package; and one that is a file which the command reads.
    /// - Parameters:
    ///   - output: path of a file or a folder, which may exist.
    ///   - option: that names it.
    ///   - models: paths of the models that the command reads.
    ///   - files: the files that other options name.
    /// - Throws: `UsageError`.
    static func check(
        _ output: String?, option: String, command: String, apartFrom models: [String] = [],
        files: [(option: String, path: String?)] = []
    ) throws {
        guard let output else { return }
        guard output != "-" else {
            throw UsageError(
                "'\(option)' takes a path and does not write to standard output", command: command,
                suggestion: "Pass ./- for a file of that name.")
        }
        let real = RealPath.of(output)
        let place = real ?? RealPath.ofFolder(above: output)
        for model in models {
            guard let real = RealPath.of(model), place == real || place.hasPrefix(real + "/") else { continue }
            throw UsageError(
                "'\(option) \(output)' would write into the model '\(model)'", command: command,
                suggestion: "Choose another place.")
        }
        for case (let reader, let path?) in files where path == output || isOneFile(real, path) {
            throw UsageError(
                "'\(option) \(output)' would replace the file that '\(reader)' names", command: command,
                suggestion: "Choose another place.")
        }
    }

    /// The paths of models that can be found; what is wrong with others is reported where they are opened.
    static func models(_ names: [String]) -> [String] { names.compactMap { try? ModelLocator.current.path(of: $0) } }

    /// Nothing is lost in a terminal or a pipe that is read and written.
    private static func isOneFile(_ real: String?, _ path: String) -> Bool {
        guard let real, RealPath.of(path) == real else { return false }
        return (try? SystemFiles().status(real))??.kind == .file
    }
}
