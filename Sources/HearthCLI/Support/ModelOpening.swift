import Foundation
import HearthCompute
import HearthDelivery
import HearthGGUF
import HearthSystem
import HearthText
import HearthTokenizer

/// Opens the model that `--model` means: from its compiled artifact where there is one, else from its file, and then has
/// the artifact made in the background where that pays.
struct ModelOpening {
    let compiler: TextCompiler?

    init(kernels: KernelSet, environment: [String: String] = ProcessInfo.processInfo.environment) {
        compiler = HearthFolders(environment: environment).map { TextCompiler(folders: $0, kernels: kernels) }
    }

    /// - Parameters:
    ///   - path: a model's file, or the folder of a compiled artifact.
    ///   - context: what the artifact should be for.
    func model(_ path: String, context: Int?) throws -> (model: TextModel, wantsCompiling: Bool) {
        if Self.isFolder(path) { return (try TextModel(artifact: TextCompiler.open(folder: path)), false) }
        if let found = compiler?.find(path, contextLength: context) {
            Self.tell(found.driftedFields)
            // A model that changed a moment ago, or an artifact damaged where no start looks: the file itself decides.
            if let model = try? TextModel(artifact: found.artifact) { return (model, false) }
        }
        let model = try TextModel(path: path)
        return (model, compiler != nil && model.headerBytes >= Self.worthCompiling)
    }

    /// Says why an earlier artifact of the same model would not do.
    static func tell(_ driftedFields: [String]) {
        guard !driftedFields.isEmpty else { return }
        Output.error.writeLine("hearth: compiled a new artifact: \(driftedFields.joined(separator: ", ")) changed")
    }

    /// Text to tokens and back; a file needs no more than a vocabulary.
    func tokenizer(_ path: String) throws -> TextTokenizer {
        if Self.isFolder(path) { return try TextTokenizer(artifact: TextCompiler.open(folder: path)) }
        if let found = compiler?.find(path), let tokenizer = try? TextTokenizer(artifact: found.artifact) {
            return tokenizer
        }
        let gguf = try GGUFFile(path: path)
        let vocabulary = try Vocabulary(gguf: gguf)
        try gguf.file.checkIntact()
        return TextTokenizer(vocabulary)
    }

    /// Bytes in front of the tensors from which on reading them at each start is felt: a tenth of Gemma's vocabulary.
    static let worthCompiling = 512 << 10

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Starts `hearth compile` as a process of its own, at the lowest priority, that outlives this one: the model's digest
    /// takes a second a gigabyte, and nobody should wait for it. `HEARTH_BACKGROUND=0` leaves it out.
    static func compileInBackground(
        _ path: String, context: Int?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        guard environment["HEARTH_BACKGROUND"] != "0", let program = RealPath.of("/proc/self/exe") else { return }
        var words = [program, "compile", "--model", RealPath.of(path) ?? path, "--background"]
        if let context { words += ["--context", String(context)] }
        BackgroundProcess.start(words)
    }
}

/// A process that nobody waits for.
enum BackgroundProcess {
    static func start(_ words: [String]) {
        #if os(Linux)
        var attributes = posix_spawnattr_t()
        var actions = posix_spawn_file_actions_t()
        guard posix_spawnattr_init(&attributes) == 0 else { return }
        defer { posix_spawnattr_destroy(&attributes) }
        guard posix_spawn_file_actions_init(&actions) == 0 else { return }
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A group of its own: Ctrl-C in the terminal is not meant for it.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(
                &actions, descriptor, "/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { arguments.forEach { free($0) } }
        var process: pid_t = 0
        _ = posix_spawn(&process, words[0], &actions, &attributes, arguments, environ)
        #endif
    }

    /// Gives way to everything else on this machine.
    static func yieldToOthers() {
        #if os(Linux)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        #else
        _ = setpriority(PRIO_PROCESS, 0, 19)
        #endif
    }
}
