import Foundation
import HearthDelivery
import HearthSystem
import Testing

/// https against a real TLS server, `openssl s_server`, which serves whole answers from files.
@Suite(
    "Download over TLS", .timeLimit(.minutes(20)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
struct DownloadTLSTests {
    /// A server with a certificate that it has signed itself, and files that hold answers with their heads.
    private static func serving(
        _ answers: [String: String], _ body: (_ origin: String, _ certificate: String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/hearth-tls-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, answer) in answers {
            let path = URL(filePath: folder).appending(path: name)
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(answer.utf8).write(to: path)
        }
        let certificate = "\(folder)/certificate.pem"
        let making = try openssl(
            folder,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                "key.pem",
                "-out", "certificate.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1",
            ])
        wait(for: making)
        let messages = "\(folder)/messages"
        // The system chooses a free port, and the server names it once it listens.
        let server = try openssl(
            folder,
            ["s_server", "-HTTP", "-accept", "127.0.0.1:0", "-cert", "certificate.pem", "-key", "key.pem"],
            output: messages)
        defer {
            kill(server, SIGKILL)
            wait(for: server)
        }
        while true {
            let text = (try? String(contentsOfFile: messages, encoding: .utf8)) ?? ""
            if let port = text.firstMatch(of: /ACCEPT 127\.0\.0\.1:(\d+)\n/)?.1 {
                return try await body("https://localhost:\(port)", certificate)
            }
            try #require(!text.contains("rror") && !text.contains("sage:"), "\(text)")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Not Foundation's `Process`: its waiting turns a run loop on a thread that other tests need.
    private static func openssl(
        _ folder: String, _ words: [String], output: String = "/dev/null"
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // The server reads the files of the folder that it runs in.
        let script = "cd '\(folder)' && exec openssl \"$@\""
        let arguments = (["/bin/sh", "-c", script, "sh"] + words).map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        let strings = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { strings.forEach { free($0) } }
        var process = pid_t()
        let error = posix_spawn(&process, "/bin/sh", &actions, nil, arguments, strings)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EINVAL) }
        return process
    }

    private static func wait(for process: pid_t) {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    private func fetch(_ url: String, trusting certificate: String?) async throws -> DownloadedFile {
        let fixture = DownloadFixture()
        var environment = DownloadFixture.environment
        environment["CURL_CA_BUNDLE"] = nil
        environment["SSL_CERT_FILE"] = certificate
        let file = try await fixture.downloader(environment: environment).download(
            DownloadRequest(urls: [url]), into: fixture.folder)
        let content = try fixture.content(file)
        #expect(String(decoding: content, as: UTF8.self) == "GGUF and more")
        return file
    }

    @Test("Certificates are verified; another authority can be named")
    func verification() async throws {
        let answers = ["model": "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nGGUF and more"]
        try await Self.serving(answers) { origin, certificate in
            await #expect {
                try await fetch("\(origin)/model", trusting: nil)
            } throws: { error in
                if case DeliveryError.unreachable(_, let reason) = error {
                    reason.contains("certificate")
                } else {
                    false
                }
            }
            _ = try await fetch("\(origin)/model", trusting: certificate)
        }
    }

    /// `https://huggingface.co/OWNER/REPO/resolve/main/FILE.gguf`: the hub names the file's digest and leads to another
    /// host, by an address with a signature.
    @Test("A hub's address: the redirect's digest is what the bytes have to have", arguments: [true, false])
    func hub(isRight: Bool) async throws {
        let body = "GGUF and more"
        let digest = SHA256.digest(of: (isRight ? body : "GGUF or less").utf8)
        let signed = "cdn/\(digest)?X-Amz-Signature=5e0e&Expires=1"
        let path = "ggml-org/gemma-3-270m-it-GGUF/resolve/main/gemma-3-270m-it-Q8_0.gguf"
        // The port is known when the server runs; both hosts are this machine and two origins.
        let answers = [signed: "HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 13\r\n\r\n\(body)"]
        try await Self.serving(answers) { origin, certificate in
            let elsewhere = origin.replacing("localhost", with: "127.0.0.1")
            let head = """
                HTTP/1.1 302 Found\r\nLocation: \(elsewhere)/\(signed)\r\nX-Linked-Size: 13\r\n\
                X-Linked-ETag: "\(digest)"\r\nX-Repo-Commit: 0a1b\r\nContent-Length: 0\r\n\r\n
                """
            let file = URL(filePath: certificate).deletingLastPathComponent().appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(head.utf8).write(to: file)
            do {
                let fetched = try await fetch("\(origin)/\(path)", trusting: certificate)
                #expect(isRight && fetched.sha256 == digest)
            } catch let error as DeliveryError {
                guard case .wrongDigest(let url, digest, _) = error, !isRight else { throw error }
                #expect(url == "\(origin)/\(path)", "no signature in a message")
            }
        }
    }

    @Test("10d From https nothing leads to http or into a private network")
    func downgrade() async throws {
        let targets = [
            "http://localhost:1/m", "http://example.org/m", "https://10.0.0.1/m", "https://[fe80::1]/m",
            "file:///etc/passwd",
        ]
        var answers = ["good": "HTTP/1.1 302 Found\r\nLocation: /model\r\nContent-Length: 0\r\n\r\n"]
        answers["model"] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nGGUF and more"
        for (index, target) in targets.enumerated() {
            answers["\(index)"] = "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n"
        }
        try await Self.serving(answers) { origin, certificate in
            for index in targets.indices {
                await #expect {
                    try await fetch("\(origin)/\(index)", trusting: certificate)
                } throws: { error in
                    if case DeliveryError.redirectRefused = error { true } else { false }
                }
            }
            _ = try await fetch("\(origin)/good", trusting: certificate)
        }
    }
}
