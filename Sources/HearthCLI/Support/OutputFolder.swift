import Foundation

/// A folder that a command writes its results to; each file appears when it is complete.
struct OutputFolder {
    private let path: String

    /// The folder at `path`, which is made where it is missing.
    init(_ path: String) throws {
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure(
                .failure, "cannot create the folder", at: path,
                todo: "Check the path, its permissions and the free space.")
        }
    }

    /// Writes `<name>.f32`. A name of a model becomes the name of a file as it is, without leading anywhere else.
    func write(_ values: [Float], name: String) throws {
        guard !name.contains("/"), name != ".", name != "..", !name.isEmpty, name.utf8.count <= 200 else {
            throw CommandFailure(
                .invalidInput, "an output has a name that is not a valid file name", at: String(name.prefix(80)),
                todo: "Rename the model's output.")
        }
        let writer = try FloatFileWriter(path: "\(path)/\(name).f32")
        do {
            try writer.append(values)
            try writer.finish()
        } catch {
            writer.discard()
            throw error
        }
    }
}
