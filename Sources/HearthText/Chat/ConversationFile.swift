internal import Foundation
internal import HearthSystem

/// A conversation file: readable text with a digest.
///
/// The first line is `{"format":"hearth-chat","version":1,"bytes":N,"sha256":"…"}`; the N bytes after it are one JSON object
/// with the conversation and the model that answered. The file is written under a temporary name and renamed, so that after a
/// crash there is either the old file or the new one. The KV cache is in a separate file (`keys`) and is only an optimisation.
package struct ConversationFile: Sendable {
    package static let format = "hearth-chat"
    package static let version = 1
    /// Maximum file size; more text than any context can hold.
    package static let byteLimit = 64 << 20

    /// The path as given.
    package let path: String
    /// Path of the KV cache file.
    package var keys: String { target + ".kv" }
    /// Absolute path, so that its folder is known; a symbolic link is not replaced.
    private let target: String

    package init(path: String) {
        self.path = path
        if let there = RealPath.of(path) {
            target = there
        } else {
            let name = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? path
            let folder = path.dropLast(name.count)
            target = (RealPath.of(folder.isEmpty ? "." : String(folder)).map { $0 + "/" } ?? String(folder)) + name
        }
    }

    /// The stored content.
    package struct Content: Sendable, Equatable {
        package var conversation: Conversation
        /// `TextModel.identity` of the model that answered last; nil before the first answer.
        package var model: String?

        package init(conversation: Conversation, model: String? = nil) {
            (self.conversation, self.model) = (conversation, model)
        }
    }

    private struct Head: Codable {
        var format: String
        var version: Int
        var bytes: Int
        var sha256: String
    }
    private struct Body: Codable {
        var model: String?
        var instructions: String?
        var messages: [ChatMessage]
        var forgotten: Int
        var attempt: Int
    }

    /// - Throws: ``TextError/unwritableConversation(file:reason:)``.
    package func write(_ content: Content) throws(TextError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let talk = content.conversation
        let body = Body(
            model: content.model, instructions: talk.instructions, messages: talk.messages, forgotten: talk.forgotten,
            attempt: talk.attempt)
        do {
            let bytes = try Array(encoder.encode(body)) + [0x0A]
            let head = Head(
                format: Self.format, version: Self.version, bytes: bytes.count, sha256: SHA256.digest(of: bytes))
            // Readable by the owner only, as conversations are private.
            try SystemFiles().replaceFile(
                target, with: Array(encoder.encode(head)) + [0x0A] + bytes, permissions: 0o600)
        } catch let failure as FileFailure {
            throw .unwritableConversation(file: path, reason: failure.reason)
        } catch {
            throw .unwritableConversation(file: path, reason: error.localizedDescription)
        }
    }

    /// - Returns: nil if there is no file.
    /// - Throws: ``TextError/damagedConversation(file:field:problem:)``, ``TextError/unreadableConversation(file:reason:)``.
    package func read() throws(TextError) -> Content? {
        let bytes: [UInt8]
        do {
            guard try SystemFiles().status(target) != nil else { return nil }
            bytes = try WholeFile.read(target, limit: Self.byteLimit)
        } catch {
            throw .unreadableConversation(file: path, reason: error.reason)
        }
        return try Self.content(of: bytes, file: path)
    }

    /// Parses a file and validates all of it: lengths are not trusted, and a matching digest does not imply valid content.
    package static func content(of bytes: [UInt8], file: String) throws(TextError) -> Content {
        func damaged(_ field: String, _ problem: String) -> TextError {
            .damagedConversation(file: file, field: field, problem: problem)
        }
        guard let end = bytes.prefix(4096).firstIndex(of: 0x0A),
            let head = try? JSONDecoder().decode(Head.self, from: Data(bytes[..<end]))
        else { throw damaged("first line", "it is not that of a conversation") }
        guard head.format == format else { throw damaged("format", "it is \(head.format.debugDescription)") }
        guard head.version == version else {
            throw damaged("version", "it is \(head.version), and this program reads \(version)")
        }
        let rest = bytes[(end + 1)...]
        guard head.bytes == rest.count else { throw damaged("bytes", "\(rest.count) follow instead of \(head.bytes)") }
        guard SHA256.digest(of: rest) == head.sha256 else { throw damaged("sha256", "the text was changed") }
        let body: Body
        do {
            body = try JSONDecoder().decode(Body.self, from: Data(rest))
        } catch {
            throw damaged("conversation", "it is not a conversation in JSON")
        }
        var allowed: Set<ChatRole> = [.user]
        for (index, message) in body.messages.enumerated() {
            guard allowed.contains(message.role) else {
                throw damaged("messages[\(index)].role", "it is \(message.role.rawValue)")
            }
            guard message.calls == nil || message.role == .assistant && message.calls?.isEmpty == false else {
                throw damaged("messages[\(index)].calls", "they belong to answers")
            }
            switch message.role {
            case .user, .system: allowed = [.assistant]
            case .assistant: allowed = message.calls == nil ? [.user] : [.tool]
            case .tool: allowed = [.tool, .assistant]
            }
        }
        guard body.messages.isEmpty || allowed == [.user] else {
            throw damaged("messages", "the last one has no answer")
        }
        let isBeginning = body.messages.indices.contains(body.forgotten) && body.messages[body.forgotten].role == .user
        guard body.forgotten == 0 || isBeginning else {
            throw damaged("forgotten", "it is \(body.forgotten) of \(body.messages.count) messages")
        }
        // The next attempt has to be a number, too.
        guard (0..<Int(Int32.max)).contains(body.attempt) else { throw damaged("attempt", "it is \(body.attempt)") }
        var conversation = Conversation(instructions: body.instructions, messages: body.messages)
        (conversation.forgotten, conversation.attempt) = (body.forgotten, body.attempt)
        return Content(conversation: conversation, model: body.model)
    }
}
