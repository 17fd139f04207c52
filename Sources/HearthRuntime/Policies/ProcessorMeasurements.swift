internal import Foundation
internal import HearthSystem

/// The file with a model's measurements by `hearth units`: one for each kernel set and number of threads.
///
/// It is verified when it is read, and replaced atomically, so that concurrent processes read either the old or the new one. A file
/// that is damaged, or too long to be one of these, is replaced by the next measurement.
package struct ProcessorMeasurements: Sendable {
    /// The result of looking for a measurement.
    package enum Finding: Sendable, Equatable {
        case missing
        case used(ProcessorMeasurement)
        /// There is one that does not apply, for the given reason.
        case refused(reason: String)
    }

    private static let title = "hearth processors 1\n"
    private static let mostBytes = 1 << 20
    /// Number of measurements that are kept; the oldest go first.
    private static let most = 16

    /// Path of the file.
    package let path: String

    /// - Parameters:
    ///   - cacheFolder: Hearth's cache folder.
    ///   - modelPath: absolute path of the model.
    package init(cacheFolder: String, modelPath: String) {
        path = "\(cacheFolder)/GPU/\(SHA256.digest(of: modelPath.utf8).prefix(32)).processors"
    }

    /// Looks for the measurement that applies.
    /// - Parameters:
    ///   - model: the version of the model's file.
    ///   - shaders: digest of this build's shaders; computed only if there is a measurement to compare it with.
    package func find(
        model: String, kernelSet: String, threads: Int, shaders: @autoclosure () -> String
    ) -> Finding {
        let bytes: [UInt8]
        do {
            bytes = try WholeFile.read(path, limit: Self.mostBytes)
        } catch {
            return error.code == ENOENT ? .missing : .refused(reason: "it cannot be read: \(error.reason)")
        }
        guard let all = Self.parse(bytes) else { return .refused(reason: "it is damaged") }
        let ofModel = all.filter { $0.model == model }
        guard !ofModel.isEmpty else { return all.isEmpty ? .missing : .refused(reason: "the model changed") }
        let ofKernels = ofModel.filter { $0.kernelSet == kernelSet }
        guard !ofKernels.isEmpty else { return .refused(reason: "the kernel set changed") }
        guard let found = ofKernels.last(where: { $0.threads == threads }) else {
            return .refused(reason: "the number of threads changed")
        }
        guard found.shaders == shaders() else { return .refused(reason: "the shaders changed") }
        return .used(found)
    }

    /// Stores a measurement in place of an earlier one with the same kernel set and threads. Those of an earlier version of the
    /// model are removed. Of two programs that store one at the same moment, the later one's is kept.
    /// - Throws: `FileFailure`, or an error of the encoder.
    package func keep(_ measurement: ProcessorMeasurement) throws {
        var all = (try? WholeFile.read(path, limit: Self.mostBytes)).flatMap(Self.parse) ?? []
        all.removeAll {
            $0.model != measurement.model
                || $0.kernelSet == measurement.kernelSet && $0.threads == measurement.threads
        }
        all.append(measurement)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let payload = try Array(encoder.encode(Array(all.suffix(Self.most))))
        let head = Self.title + SHA256.digest(of: payload) + "\n"
        if let slash = path.lastIndex(of: "/") { try SystemFiles().makeFolders(String(path[..<slash])) }
        try SystemFiles().replaceFile(path, with: Array(head.utf8) + payload)
    }

    /// The measurements in a file; nil if it is damaged.
    private static func parse(_ bytes: [UInt8]) -> [ProcessorMeasurement]? {
        let head = title.utf8.count + 65
        guard bytes.count > head, bytes.starts(with: title.utf8), bytes[head - 1] == 0x0a else { return nil }
        let payload = bytes[head...]
        let digest = String(decoding: bytes[title.utf8.count..<head - 1], as: UTF8.self)
        guard SHA256.digest(of: payload) == digest else { return nil }
        return try? JSONDecoder().decode([ProcessorMeasurement].self, from: Data(payload))
    }
}
