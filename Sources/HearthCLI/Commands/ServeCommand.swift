import Foundation
import HearthDelivery
import HearthFormats
import HearthServer
import HearthSystem

/// `hearth serve`: the page that tells stories, and models under OpenAI's interface.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves the story page and an OpenAI-compatible API to this machine.",
        discussion: """
            The server answers this machine alone, on 127.0.0.1 and ::1, and no pages of other origins. With --host other
            machines can reach it, and every request needs a token: 'Authorization: Bearer TOKEN', from the first line of
            --token-file or from HEARTH_TOKEN; the page takes it behind the address, as '#token=TOKEN'. A token on this
            machine's own addresses is asked for as well.

            GET  /                      the page
            GET  /health                what the model is doing
            GET  /metrics               figures for Prometheus
            GET  /v1/models             models by name
            POST /v1/chat/completions   also as a stream
            POST /v1/completions        also as a stream
            POST /v1/audio/speech       text to WAV
            POST /v1/moderations        what the filter of stories says

            One text is written at a time; others wait, and beyond that the answer is 503. Ctrl-C ends it. After SIGTERM or
            SIGHUP nobody new is let in, texts have --drain seconds to end, and the status is 0.

            It speaks HTTP without encryption. Where other machines are let in, put a proxy with TLS in front (docs/server.md).
            A token file may be readable for its owner alone (chmod 600).

            A model that is not installed yet is fetched while finished stories are told: --model takes the address of a GGUF
            file or a manifest as 'hearth pull' does, and the same command goes on with what has arrived. Until the model is
            there, the API answers 503 with Retry-After.

            The page's stories always pass the filter of stories. Answers of the API are the model's own, as with
            'hearth generate'; with --filter all of them pass it, sentence by sentence, and else those whose request says
            "hearth_filter": true. A text that the filter ends has the finish_reason "content_filter".
            """,
        examples: [
            ("serve --port 8080", "Serves http://127.0.0.1:8080 to this machine."),
            (
                "serve --host 192.168.1.20 --port 8080 --token-file token.txt",
                "Serves the network of that address, to who has the token."
            ),
            (
                "serve --model https://models.example/teller.gguf --name teller",
                "Tells finished stories while the model is fetched, then the model's own."
            ),
        ])

    @Option(valueName: "N", help: "Port; 0 takes any that is free.")
    var port: Int = 8080
    @Option(valueName: "H", help: "Address of this machine in numbers, for others to reach; needs a token.")
    var host: String?
    @Option(valueName: "F", help: "File whose first line is the token.")
    var tokenFile: String?
    @Option(
        valueName: "M",
        help: "Model that answers first: a GGUF file, a name, or the address of a model that is to be fetched.")
    var model: String = ModelLocator.bundled
    @Option(valueName: "H", help: "SHA-256 of what is fetched, 64 hexadecimal digits.")
    var sha256: String?
    @Option(valueName: "N", help: "Name for what is fetched.")
    var name: String?
    @Option(valueName: "S", help: "Seconds that texts may take to end after SIGTERM or SIGHUP.")
    var drain: Int = 10
    @Flag(help: "Lets every answer of the API pass the filter of stories.")
    var filter = false
    @OptionGroup var engine: EngineOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var simulation: DeviceScriptOptions

    func validate() throws {
        guard (0...65535).contains(port) else {
            throw UsageError("'--port \(port)' is out of range: expected 0 to 65535", command: "serve")
        }
        guard (0...3600).contains(drain) else {
            throw UsageError("'--drain \(drain)' is out of range: expected 0 to 3600", command: "serve")
        }
        if !ModelFetch.isSource(model), sha256 != nil || name != nil {
            throw UsageError(
                "'--sha256' and '--name' are for a model that is fetched", command: "serve",
                suggestion: "Pass its address as --model.")
        }
        try PullCommand.check(sha256: sha256, name: name, command: "serve")
    }

    mutating func run() async throws {
        _ = try EngineOptions.kernels()
        let environment = ProcessInfo.processInfo.environment
        let fetch = try await ModelFetch.ifNeeded(for: model, sha256: sha256?.lowercased(), name: name)
        var configuration = ServerConfiguration(
            models: try models(fetch), folders: HearthFolders(environment: environment),
            monitor: try simulation.monitor(),
            version: HearthVersion.number)
        configuration.host = host == "localhost" ? nil : host
        configuration.port = port
        configuration.threads = engine.threadCount
        configuration.cacheFormat = cache.format
        configuration.filtersTexts = filter
        configuration.token = try token(environment)
        configuration.onNotice = { Output.error.writeLine("hearth: note: " + $0.withVisibleControls) }
        configuration.onUncompiledStart = { path, headerBytes in
            if headerBytes >= ModelOpening.worthCompiling { ModelOpening.compileInBackground(path, context: nil) }
        }
        var interruptFetch: @Sendable () -> Void = {}
        if case .fetch(let fetch) = fetch {
            configuration.awaited = AwaitedModel(name: fetch.name) { try await fetch.bring($0) }
            interruptFetch = { fetch.interrupt() }
            Interruption.shared.setLastWords(interruptFetch)
        }
        RecentUse.record()
        let server: LocalServer
        do {
            server = try await LocalServer(configuration)
        } catch let error as ServerError {
            throw CommandFailure(error)
        }
        endInOrder(server, interruptFetch)
        Output.error.writeLine("listening on \(server.url)")
        if server.isOpenToOthers {
            Output.error.writeLine(
                "hearth: note: this server speaks HTTP without encryption: who listens in on the network reads texts and token. "
                    + "Put a proxy with TLS in front of it (docs/server.md).")
        }
        // Until it is interrupted; nothing else ends a server.
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    /// Ctrl-C ends every text where it is, at the end of an event; SIGTERM and SIGHUP give them `--drain` seconds to end.
    private func endInOrder(_ server: LocalServer, _ interruptFetch: @escaping @Sendable () -> Void) {
        @Sendable func end(within limit: Duration, orLeaveAfter patience: DispatchTimeInterval) {
            let ended = DispatchSemaphore(value: 0)
            Task {
                await server.drain(within: limit)
                ended.signal()
            }
            _ = ended.wait(timeout: .now() + patience)
        }
        // An interrupted program has 150 ms.
        Interruption.shared.setLastWords(interruptFetch) {
            end(within: .milliseconds(40), orLeaveAfter: .milliseconds(100))
        }
        let (drain, limit) = (drain, Duration.seconds(drain))
        Interruption.shared.setTermination {
            end(within: limit, orLeaveAfter: .seconds(drain + 5))
            interruptFetch()
            return .success
        }
    }

    /// The model of `--model` unless it has to be fetched, then the bundled one, then what is installed.
    private func models(_ fetch: ModelFetch.Need) throws -> [ServedModel] {
        var served: [ServedModel] = []
        func add(_ name: String, _ path: String?) {
            guard let path, !served.contains(where: { $0.name == name }) else { return }
            served.append(ServedModel(name: name, path: path))
        }
        switch fetch {
        case .fetch: break
        case .installed(let name): add(name, try ModelLocator.using.path(of: name))
        case .none: add(Self.name(of: model), try chosen())
        }
        add(ModelLocator.bundled, try? ModelLocator.using.path(of: ModelLocator.bundled))
        for installed in (try? InstalledModels.library())?.listing().models ?? []
        where installed.isCurrent && installed.isWhole {
            add(installed.name, try? ModelLocator.using.path(of: installed.name))
        }
        return served
    }

    /// The file of `--model`.
    private func chosen() throws -> String {
        let path = try ModelLocator.using.path(of: model)
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                .invalidInput, "there is no such file", at: "--model \(model)", todo: "Check the path.")
        }
        // What somebody asked for by name is looked at before the door opens; what is told of it later is a note.
        if model != ModelLocator.bundled, !ModelOpening.isFolder(path) { _ = try GGUFFile(path: path) }
        return path
    }

    /// What a model is called where `--model` was a path: its file's name, and nothing of its folder.
    private static func name(of model: String) -> String {
        let file = model.split(separator: "/").last.map(String.init) ?? model
        return file.hasSuffix(".gguf") ? String(file.dropLast(5)) : file
    }

    private func token(_ environment: [String: String]) throws -> String? {
        guard let tokenFile else { return environment["HEARTH_TOKEN"].flatMap { $0.isEmpty ? nil : $0 } }
        guard let handle = FileHandle(forReadingAtPath: tokenFile), let data = try? handle.read(upToCount: 4096) else {
            throw CommandFailure(
                .invalidInput, "the token cannot be read", at: "--token-file \(tokenFile)",
                todo: "Check the path and its permissions.")
        }
        try Self.checkPrivacy(of: handle, tokenFile)
        let line =
            String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).first ?? ""
        return line.trimmingCharacters(in: .whitespaces)
    }

    /// A secret that others on this machine can read is none.
    private static func checkPrivacy(of handle: FileHandle, _ path: String) throws {
        var status = stat()
        // A pipe has no name that others could open.
        guard fstat(handle.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        guard status.st_mode & 0o077 == 0 else {
            throw CommandFailure(
                .invalidInput, "others on this machine can read the token", at: "--token-file \(path)",
                todo: "Run: chmod 600 \(path)")
        }
    }
}

extension CommandFailure {
    /// A server that does not start.
    init(_ error: ServerError) {
        let status: ExitStatus =
            switch error {
            case .tokenMissing, .badAddress: .usage
            case .weakToken: .invalidInput
            case .cannotListen, .noModel, .system: .failure
            }
        self.init(status, passedOn: error.localizedDescription)
    }
}
