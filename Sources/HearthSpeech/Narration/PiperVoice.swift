internal import Foundation
internal import HearthSystem

/// A voice of the speech program Piper: a network, `NAME.onnx`, and its description beside it, `NAME.onnx.json`.
package struct PiperVoice: Sendable, Equatable {
    /// The file's name without `.onnx`, such as `en_US-lessac-medium`.
    package var name: String
    /// Path of the network.
    package var path: String
    /// A BCP 47 tag such as `en-US`.
    package var language: String
    package var sampleRate: Int
    /// The voice's own duration of a phoneme; longer is slower.
    package var lengthScale: Double

    /// Opens the voice at a path.
    /// - Throws: ``PiperError/unusableVoice(path:reason:)``.
    package init(path: String) throws(PiperError) {
        func unusable(_ file: String, _ reason: String) -> PiperError { .unusableVoice(path: file, reason: reason) }
        guard FileAccess.exists(path) else { throw unusable(path, "there is no such file") }
        guard let head = SmallFile.bytes(path, limit: 64), !head.isEmpty else {
            throw unusable(path, "it is no file that can be read, or is empty")
        }
        // What a browser or git stores where the real file was not fetched.
        if head.starts(with: "version https://git-lfs".utf8) || head.starts(with: "<".utf8) {
            throw unusable(path, "it is a pointer or a web page, not the network itself")
        }
        let description = path + ".json"
        guard FileAccess.exists(description) else {
            throw unusable(description, "the voice's description is missing")
        }
        guard let bytes = SmallFile.bytes(description, limit: Self.longestDescription + 1),
            bytes.count <= Self.longestDescription
        else { throw unusable(description, "it is no file that can be read, or is too large for a description") }
        do {
            try self.init(path: path, description: bytes)
        } catch {
            throw unusable(description, error.reason)
        }
    }

    /// Bytes; the descriptions in use have at most 20 kB.
    private static let longestDescription = 1 << 20

    /// Why a description is invalid.
    package struct Flaw: Error, Equatable { package var reason: String }

    /// A voice with this description, in JSON.
    package init(path: String, description: [UInt8]) throws(Flaw) {
        let json = try? JSONSerialization.jsonObject(with: Data(description))
        guard let fields = json as? [String: Any] else { throw Flaw(reason: "it is not a JSON object") }
        func field(_ group: String, _ name: String) -> Any? { (fields[group] as? [String: Any])?[name] }
        guard let rate = field("audio", "sample_rate") as? Int, (8000...48_000).contains(rate) else {
            throw Flaw(reason: "audio.sample_rate has to be a number from 8000 to 48000")
        }
        // Older voices have only the name that espeak-ng gives the language.
        let tag = field("language", "code") as? String ?? field("espeak", "voice") as? String
        guard let tag, let language = Self.language(tag) else {
            throw Flaw(reason: "neither language.code nor espeak.voice names a language")
        }
        let scale = field("inference", "length_scale")
        let lengthScale = scale == nil ? 1 : (scale as? Double) ?? 0
        guard (0.1...10).contains(lengthScale) else {
            throw Flaw(reason: "inference.length_scale has to be a number from 0.1 to 10")
        }
        let file = path.split(separator: "/").last.map(String.init) ?? path
        name = file.hasSuffix(".onnx") ? String(file.dropLast(5)) : file
        (self.path, self.language, sampleRate, self.lengthScale) = (path, language, rate, lengthScale)
    }

    /// `en_US` and `en-us` as a BCP 47 tag; nil for what is none.
    private static func language(_ code: String) -> String? {
        var parts = code.split { $0 == "_" || $0 == "-" }.map { $0.lowercased() }
        guard let first = parts.first, (2...3).contains(first.count), first.allSatisfy(\.isLetter) else { return nil }
        if first == "cmn" { parts[0] = "zh" }
        for index in parts.indices.dropFirst() where parts[index].count == 2 {
            parts[index] = parts[index].uppercased()
        }
        return parts.joined(separator: "-")
    }

    /// Whether it speaks a language, whatever the region.
    package func speaks(_ language: String) -> Bool {
        VoiceChoice.best(
            of: [InstalledVoice(identifier: name, language: self.language, quality: 1)], for: language) != nil
    }
}

// MARK: - Finding

extension PiperVoice {
    /// Folders where voices lie, the first takes precedence: those of `PIPER_VOICES` (`:` between them), Hearth's own, the user's
    /// and the system's.
    package static func folders(environment: [String: String]) -> [String] {
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        var folders = (environment["PIPER_VOICES"] ?? "").split(separator: ":").map(String.init)
        if let data = HearthFolders(environment: environment)?.data { folders.append(data + "/voices") }
        if let data = absolute("XDG_DATA_HOME") ?? absolute("HOME").map({ $0 + "/.local/share" }) {
            folders += [data + "/piper-voices", data + "/piper"]
        }
        return folders + ["/usr/share/piper-voices"]
    }

    /// Paths of the networks in these folders and, as the voices are published in folders of languages and qualities, in those
    /// below; of several with the same name the first.
    package static func paths(in folders: [String]) -> [String] {
        var paths: [String] = []
        var names: Set<String> = []
        for folder in folders {
            // Links are not followed, except for the folder itself.
            guard let entries = FileManager.default.enumerator(atPath: RealPath.of(folder) ?? folder) else { continue }
            var found: [String] = []
            // Bounded: a folder that is named by mistake may hold a whole disk.
            for (count, entry) in entries.enumerated() {
                guard count < 20_000, let entry = entry as? String else { break }
                if entries.level >= 5 { entries.skipDescendants() }
                if entry.hasSuffix(".onnx") { found.append(entry) }
            }
            for entry in found.sorted() where names.insert((entry as NSString).lastPathComponent).inserted {
                paths.append(folder.hasSuffix("/") ? folder + entry : "\(folder)/\(entry)")
            }
        }
        return paths
    }

    /// The voices in these folders, and what is wrong with those that cannot be used.
    package static func installed(in folders: [String]) -> (voices: [PiperVoice], errors: [PiperError]) {
        var (voices, errors): ([PiperVoice], [PiperError]) = ([], [])
        for path in paths(in: folders) {
            do {
                voices.append(try PiperVoice(path: path))
            } catch {
                errors.append(error)
            }
        }
        return (voices.sorted { ($0.name, $0.path) < ($1.name, $1.path) }, errors)
    }

    /// The voice that a user named: by its path, or by the name of one in these folders.
    /// - Throws: ``PiperError``.
    package static func named(_ name: String, in folders: [String]) throws(PiperError) -> PiperVoice {
        if name.contains("/") || name.hasSuffix(".onnx") { return try PiperVoice(path: name) }
        let paths = paths(in: folders)
        guard let path = paths.first(where: { ($0 as NSString).lastPathComponent == name + ".onnx" }) else {
            let known = paths.map { String(($0 as NSString).lastPathComponent.dropLast(5)) }
            throw .unknownVoice(name, known: known.sorted())
        }
        return try PiperVoice(path: path)
    }
}
