import Foundation
import HearthGrammar
import HearthText
import Testing

/// Schemas of types, as they decode themselves.
@Suite("Schemas of types") struct TextSchemaTests {
    enum Colour: String, CaseIterable, Decodable, Sendable { case red, green }
    enum Step: Int, CaseIterable, Decodable { case one = 1, three = 3 }

    struct Trip: Decodable, Sendable, TextSchemaHints {
        struct Stop: Decodable, Sendable {
            var town: String
            var nights: UInt8
        }
        enum CodingKeys: String, CodingKey {
            case name, stops, colour
            case isFar = "is_far"
            case note, tags, prices
        }
        var name: String
        var stops: [Stop]
        var colour: Colour
        var isFar: Bool
        var note: String?
        var tags: [Colour]?
        var prices: [String: Double]

        static let schemaHints: [String: [TextSchemaHint]] = [
            "name": [.length(2...9), .description("Where to.")], "stops": [.count(0...2)],
        ]
    }

    @Test("Members, names, optionals, arrays, dictionaries, enumerations, hints")
    func trip() throws {
        let text = try TextSchema(of: Trip.self).json
        let byte = #"{"type":"integer","minimum":0,"maximum":255}"#
        #expect(
            text
                == #"{"type":"object","properties":{"name":{"type":"string","minLength":2,"maxLength":9,"description":"Where to."},"#
                + #""stops":{"type":"array","items":{"type":"object","properties":{"town":{"type":"string"},"nights":\#(byte)},"#
                + #""required":["town","nights"],"additionalProperties":false},"minItems":0,"maxItems":2},"#
                + #""colour":{"enum":["red","green"]},"is_far":{"type":"boolean"},"note":{"type":"string"},"#
                + #""tags":{"type":"array","items":{"enum":["red","green"]}},"prices":{"type":"object","additionalProperties":"#
                + #"{"type":"number","minimum":-1000000000000000,"maximum":1000000000000000}}},"#
                + #""required":["name","stops","colour","is_far","prices"],"additionalProperties":false}"#)
    }

    @Test("Types with a meaning, and lone values")
    func leaves() throws {
        struct All: Decodable {
            var date: Date
            var address: URL
            var id: UUID
            var amount: Decimal
            var data: Data
            var step: Step
            var maybe: [Int?]
            var set: Set<Int8>
        }
        let schema = try JSONDocument(TextSchema(of: All.self).json.utf8)
        let members = try #require(schema["properties"])
        #expect(members["date"]?["format"] == .string("date-time") && members["address"]?["format"] == .string("uri"))
        #expect(members["id"]?["format"] == .string("uuid") && members["amount"]?["type"] == .string("number"))
        #expect(members["step"]?.text == #"{"enum":[1,3]}"#)
        #expect(members["maybe"]?["items"]?["anyOf"]?.text.hasSuffix(#"{"type":"null"}]"#) == true)
        #expect(members["set"]?["items"]?["minimum"] == .number("-128"))
        #expect(throws: Never.self) { try Grammar(jsonSchema: schema) }
        #expect(try TextSchema(of: Bool.self).json == #"{"type":"boolean"}"#)
        #expect(try TextSchema(of: [Colour].self).json == #"{"type":"array","items":{"enum":["red","green"]}}"#)
    }

    final class Tree: Decodable {
        var name: String
        var left: Tree?
        var children: [Tree]
    }

    struct Link: Decodable {
        var tree: Tree
        var other: Tree?
    }

    @Test("Types that contain themselves refer to themselves")
    func recursion() throws {
        let text = try TextSchema(of: Tree.self).json
        #expect(text.contains(##""left":{"$ref":"#/$defs/type0"}"##) && text.contains(##""$ref":"#/$defs/type0"}"##))
        for type in [Tree.self, Link.self] as [any Decodable.Type] {
            let grammar = try Grammar(jsonSchema: TextSchema(of: type).json)
            let tree = #"{"name":"a","left":{"name":"b","children":[]},"children":[{"name":"c","children":[]}]}"#
            let value = type == Link.self ? #"{"tree":\#(tree),"other":\#(tree)}"# : tree
            #expect(try grammar.verdict(of: value.utf8) == .accepted)
            #expect(throws: Never.self) { try JSONDecoder().decode(type, from: Data(value.utf8)) }
        }
    }

    enum Shape: Decodable { case circle(radius: Double), dot }
    enum Bare: String, Decodable { case a, b }
    struct Even: Decodable {
        var value: Int
        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Int.self)
            guard value == 4 else { throw CocoaError(.coderInvalidValue) }
        }
    }
    /// Takes any members.
    struct Bag: Decodable {
        struct Name: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        var numbers: [Int] = []
        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            for name in members.allKeys { numbers.append(try members.decode(Int.self, forKey: name)) }
        }
    }
    struct Holder<Value: Decodable>: Decodable { var value: Value }
    struct Misled: Decodable, TextSchemaHints {
        var a: Int
        static let schemaHints: [String: [TextSchemaHint]] = ["b": [.range(0...1)]]
    }

    @Test("A type that cannot be described is an error that names it")
    func refusals() {
        for (type, name) in [
            (Holder<Shape>.self, "Shape"), (Holder<Bare>.self, "Bare"), (Holder<Even>.self, "Even"),
            (Misled.self, "Misled"), (Holder<[Int: String]>.self, "Dictionary<Int, String>"),
            ([Colour: Int].self, "Dictionary<Colour, Int>"), (Holder<[UUID: Int]>.self, "Dictionary<UUID, Int>"),
            (Holder<Bag>.self, "Bag"),
        ] as [(any Decodable.Type, String)] {
            do {
                _ = try TextSchema(of: type)
                Issue.record("\(type) was described")
            } catch {
                guard case .indescribableType(let found, let reason) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(found == name && !reason.isEmpty)
                #expect(!reason.contains("DecodingError"), "what the decoder says of its placeholder helps nobody")
            }
        }
    }
}
