import Foundation
import HearthSystem
import HearthText
import Testing

/// Conversations in files: what is damaged or foreign is named, whatever it is.
@Suite("Conversation files", .timeLimit(.minutes(20))) struct ConversationFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-talk-\(UUID())").path
    private var path: String { folder + "/talk.chat" }
    private let content = ConversationFile.Content(
        conversation: Conversation(
            instructions: "Be \"kind\".\u{0}",
            messages: [
                ChatMessage(role: .user, content: "Hi\n<end_of_turn>"), ChatMessage(role: .assistant, content: "晚安 😀"),
            ]),
        model: "0123")

    private func with(_ body: (ConversationFile) throws -> Void) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(ConversationFile(path: path))
    }

    /// The field that is named; nil where the file is taken.
    private func field(_ bytes: [UInt8]) -> String? {
        do {
            _ = try ConversationFile.content(of: bytes, file: "f")
            return nil
        } catch {
            guard case .damagedConversation(file: "f", let field, _) = error else { return "\(error)" }
            #expect(error.localizedDescription.contains("f: \(field)"))
            return field
        }
    }

    private func bytes(_ body: String, version: Int = 1, format: String = "hearth-chat") -> [UInt8] {
        let head =
            #"{"bytes":\#(body.utf8.count),"format":"\#(format)","sha256":"\#(SHA256.digest(of: Array(body.utf8)))","version":\#(version)}"#
        return Array((head + "\n" + body).utf8)
    }

    @Test("What was written is read, and is nobody else's to read")
    func roundTrip() throws {
        try with { file in
            #expect(try file.read() == nil)
            try file.write(content)
            #expect(try file.read() == content)
            #expect(try SystemFiles().status(path)?.permissions == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["talk.chat"])
            // A link stays one.
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: path)
            var changed = content
            changed.conversation.instructions = nil
            try ConversationFile(path: folder + "/link").write(changed)
            #expect(try file.read() == changed)
        }
    }

    @Test("Every byte counts, and so does every length")
    func damage() throws {
        try with { file in
            try file.write(content)
            let good = try WholeFile.read(path, limit: 1 << 20)
            for index in good.indices {
                for change: UInt8 in [1, 0x20, 0x80] {
                    var bad = good
                    bad[index] ^= change
                    // In the digest's own letters, upper case is as wrong as any.
                    #expect(field(bad) != nil, "byte \(index)")
                }
            }
            for count in good.indices { #expect(field(Array(good[..<count])) != nil, "\(count) bytes") }
            #expect(field(good + [0x0A]) == "bytes")
        }
    }

    @Test("What no writer writes is refused with its field, sound digest or not")
    func foreign() {
        let good =
            #"{"attempt":0,"forgotten":0,"messages":[{"content":"a","role":"user"},{"content":"b","role":"assistant"}]}"#
        #expect(field(bytes(good)) == nil)
        #expect(field(bytes(good, version: 2)) == "version")
        #expect(field(bytes(good, format: "other")) == "format")
        #expect(field(Array("GGUF".utf8)) == "first line")
        #expect(field([]) == "first line")
        #expect(field([UInt8](repeating: 0x7B, count: 10_000)) == "first line")
        #expect(field(bytes("{}")) == "conversation")
        #expect(field(bytes(good.replacing("assistant", with: "user"))) == "messages[1].role")
        #expect(field(bytes(good.replacing("assistant", with: "nobody"))) == "conversation")
        #expect(field(bytes(good.replacing(#",{"content":"b","role":"assistant"}"#, with: ""))) == "messages")
        #expect(field(bytes(good.replacing(#""forgotten":0"#, with: #""forgotten":2"#))) == "forgotten")
        #expect(field(bytes(good.replacing(#""forgotten":0"#, with: #""forgotten":-2"#))) == "forgotten")
        #expect(field(bytes(good.replacing(#""attempt":0"#, with: #""attempt":-1"#))) == "attempt")
        #expect(field(bytes(good.replacing(#""attempt":0"#, with: #""attempt":9223372036854775807"#))) == "attempt")
    }

    @Test("What is no file, or cannot be read or written, is told")
    func places() throws {
        try with { _ in
            #expect(throws: TextError.self) { try ConversationFile(path: folder).read() }
            #expect(throws: TextError.self) { try ConversationFile(path: folder + "/none/talk").write(content) }
            #expect(throws: TextError.self) { try ConversationFile(path: folder).write(content) }
        }
    }
}
