internal import HearthGrammar
internal import HearthTokenizer

/// Separates text and calls in an answer that follows `ToolRules`, incrementally. A pure value.
package struct ToolCallReader: Sendable {
    package enum Event: Sendable, Equatable {
        case text(String)
        /// A call begins; the calls of an answer are numbered from 0.
        case began(call: Int, name: String)
        /// A piece of the call's arguments; the concatenated pieces are a JSON object.
        case arguments(call: Int, String)
        case ended(call: Int)
    }

    private enum Place {
        /// White space or a bracket, which may precede text or a call.
        case beginning
        /// Text that may still be the head of a call.
        case undecided
        case text
        /// Before the arguments.
        case head
        case arguments
        /// After the arguments.
        case foot
        /// After a call.
        case between
    }

    private let isNative: Bool
    private var place: Place
    private var held = String.UnicodeScalarView()
    private var json = JSONExtent()
    private var native = NativeArguments()
    /// Number of calls that have begun.
    package private(set) var calls = 0
    private var events: [Event] = []
    /// Possible beginnings of a call.
    private var heads: [String] = []

    /// - Parameter rules: nil if no functions are offered, so that everything is text.
    package init(_ rules: ToolRules?) {
        isNative = rules.map { $0.format != .json } ?? false
        place = rules == nil || isNative ? .text : .beginning
        // A JSON answer begins with a brace as well.
        if let rules, !isNative, rules.answer != nil, rules.choice == .auto {
            heads = rules.callHeads
            place = .undecided
        }
    }

    package mutating func feed(_ text: String) -> [Event] {
        if place == .text, !isNative { return text.isEmpty ? [] : [.text(text)] }
        events = []
        for scalar in text.unicodeScalars { take(scalar) }
        return events
    }

    /// Ends the answer, possibly within a call.
    package mutating func finish() -> [Event] {
        events = []
        if place == .beginning || place == .undecided { emitText() }
        return events
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        switch place {
        case .beginning:
            if scalar == "{" {
                held = .init()
                place = .head
            } else if !held.contains("["), scalar == "[" || scalar.properties.isWhitespace {
                held.append(scalar)
            } else {
                place = .text
                held.append(scalar)
                emitText()
            }
        case .undecided:
            held.append(scalar)
            let begun = String(held)
            heads.removeAll { !$0.hasPrefix(begun) }
            if heads.isEmpty {
                place = .text
                emitText()
            } else if scalar == ":", heads.contains(begun) {
                begin()
            }
        case .text:
            if isNative, scalar == ToolMarkers.startCharacter {
                place = .head
            } else {
                emit(scalar)
            }
        case .head:
            held.append(scalar)
            if isNative ? scalar == "{" : scalar == ":" && String(held).hasSuffix("\"parameters\":") { begin() }
        case .arguments:
            let piece = isNative ? native.take(scalar) : json.take(scalar)
            if !piece.isEmpty { emitArguments(piece) }
            if isNative ? native.isComplete : json.isComplete { place = .foot }
        case .foot:
            guard scalar == (isNative ? ToolMarkers.endCharacter : "}") else { return }
            events.append(.ended(call: calls - 1))
            place = isNative ? .text : .between
        case .between: if scalar == "{" { place = .head }
        }
    }

    private mutating func begin() {
        let head = String(held)
        held = .init()
        let name =
            isNative
            ? head.dropFirst("call:".count).dropLast()
            : head.firstRange(of: /"name": ?"/).map { head[$0.upperBound...].prefix { $0 != "\"" } } ?? ""
        calls += 1
        events.append(.began(call: calls - 1, name: String(name)))
        json = JSONExtent()
        native = NativeArguments()
        place = .arguments
        if isNative { emitArguments("{") }
    }

    private mutating func emit(_ scalar: Unicode.Scalar) {
        if case .text(var text) = events.last {
            text.unicodeScalars.append(scalar)
            events[events.count - 1] = .text(text)
        } else {
            events.append(.text(String(scalar)))
        }
    }

    private mutating func emitText() {
        if !held.isEmpty { events.append(.text(String(held))) }
        held = .init()
    }

    private mutating func emitArguments(_ piece: String) {
        if case .arguments(let call, let before) = events.last, call == calls - 1 {
            events[events.count - 1] = .arguments(call: call, before + piece)
        } else {
            events.append(.arguments(call: calls - 1, piece))
        }
    }
}

/// Finds the end of a JSON object or array.
private struct JSONExtent: Sendable {
    private var depth = 0
    private var isString = false
    private var isEscaped = false
    private(set) var isComplete = false

    mutating func take(_ scalar: Unicode.Scalar) -> String {
        if isString {
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                isString = false
            }
            return String(scalar)
        }
        switch scalar {
        case "\"": isString = true
        case "{", "[": depth += 1
        case "}", "]": depth -= 1
        default: if depth == 0 { return "" }
        }
        isComplete = depth == 0
        return String(scalar)
    }
}

/// Converts Gemma's notation of arguments to JSON incrementally, starting after the opening brace.
private struct NativeArguments: Sendable {
    /// The open objects and arrays; true for an object.
    private var open = [true]
    private var name: String? = ""
    private var isString = false
    private(set) var isComplete = false

    mutating func take(_ scalar: Unicode.Scalar) -> String {
        if isString {
            guard scalar == ToolMarkers.quoteCharacter else { return JSONDocument.escaped(scalar) }
            isString = false
            return "\""
        }
        // The name of an object's member, as far as it was read; nil after its colon.
        if let begun = name {
            switch scalar {
            case ":":
                name = nil
                return "\"" + begun.unicodeScalars.map(JSONDocument.escaped).joined() + "\":"
            case "}", ",": break
            default:
                name?.unicodeScalars.append(scalar)
                return ""
            }
        }
        switch scalar {
        case ToolMarkers.quoteCharacter:
            isString = true
            return "\""
        case "{":
            open.append(true)
            name = ""
        case "[": open.append(false)
        case "}", "]":
            open.removeLast()
            name = nil
            isComplete = open.isEmpty
        case ",": name = open.last == true ? "" : nil
        default: break
        }
        return String(scalar)
    }

}
