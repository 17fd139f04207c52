import HearthGrammar
import Testing

@Suite("JSON Schema", .timeLimit(.minutes(20))) struct SchemaTests {
    @Test("An unconstrained place is any JSON, compact, with nothing around it")
    func anything() throws {
        let values = [
            "null", "true", "-0", "1.5e-3", "\"\"", "[]", "{}", "[1,[2,{\"a\":[]}]]",
            "{\"a\":{\"b\":\"é\\n\\u0001\\\"\"}}",
            "\"\\ud83d\\ude00\"",
        ]
        let others = [
            "", " 1", "1 ", "01", "1.", "+1", "[1,]", "{\"a\"}", "\"\u{1}\"", "\"\\x\"", "\"\\ud83d\"", "nul", "NaN",
        ]
        for schema in ["true", "{}", #"{"title":"x","unknown":1}"#] {
            try expectSchema(schema, accepts: values, rejects: others)
        }
    }

    @Test("Types, one or several; integers are written as such")
    func types() throws {
        try expectSchema(#"{"type":"integer"}"#, accepts: ["0", "-12"], rejects: ["1.5", "1e2", "\"1\""])
        try expectSchema(#"{"type":["string","null"]}"#, accepts: ["null", "\"\""], rejects: ["1", "[]", "{}"])
    }

    @Test("Properties come in order, optional ones may be left out, others follow")
    func properties() throws {
        let schema = #"{"type":"object","properties":{"b":{"type":"integer"},"a":true},"required":["c","b"]}"#
        try expectSchema(
            schema, accepts: [#"{"b":1,"c":2}"#, #"{"b":1,"a":[],"c":{}}"#, #"{"b":1,"c":2,"d":3,"bb":"x"}"#],
            rejects: [
                #"{"c":2}"#, #"{"b":"x","c":1}"#, #"{"c":1,"b":1}"#, #"{"b":1,"c":2,"b":1}"#, #"{"b":1,"c":2,"a":1}"#,
            ])
    }

    @Test("Other properties: none, of a kind, by pattern")
    func otherProperties() throws {
        try expectSchema(
            #"{"properties":{"a":true},"additionalProperties":false,"type":"object"}"#, accepts: ["{}", #"{"a":1}"#],
            rejects: [#"{"b":1}"#, #"{"a":1,"b":1}"#])
        try expectSchema(
            #"{"type":"object","patternProperties":{"^n_":{"type":"number"},"x$":{"maximum":3}},"additionalProperties":{"type":"string"}}"#,
            accepts: [#"{"n_a":5}"#, #"{"n_x":3}"#, #"{"b":"t"}"#, #"{"bx":"t"}"#],
            rejects: [#"{"n_a":"t"}"#, #"{"n_x":4}"#, #"{"b":1}"#, #"{"ax":4}"#])
    }

    @Test("How many properties: counted with those that are listed and those that are not")
    func propertyCounts() throws {
        let listed = #"{"type":"object","properties":{"a":true,"b":true,"c":true},"additionalProperties":false,"#
        try expectSchema(
            listed + #""minProperties":2,"maxProperties":2}"#, accepts: [#"{"a":1,"b":1}"#, #"{"b":1,"c":1}"#],
            rejects: ["{}", #"{"a":1}"#, #"{"a":1,"b":1,"c":1}"#])
        try expectSchema(
            #"{"type":"object","properties":{"a":true},"minProperties":2,"maxProperties":3}"#,
            accepts: [#"{"a":1,"x":1}"#, #"{"x":1,"y":1,"z":1}"#],
            rejects: [#"{"a":1}"#, #"{"x":1}"#, #"{"a":1,"x":1,"y":1,"z":1}"#])
    }

    @Test("Arrays: items, first items, counts, both drafts")
    func arrays() throws {
        try expectSchema(
            #"{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"null"},"minItems":1,"maxItems":3}"#,
            accepts: ["[1]", "[1,\"a\"]", "[1,\"a\",null]"],
            rejects: ["[]", "[\"a\"]", "[1,2]", "[1,\"a\",1]", "[1,\"a\",null,null]"])
        let draft7 = #"{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","#
        try expectSchema(
            draft7 + #""items":[{"type":"integer"}],"additionalItems":false}"#, accepts: ["[]", "[1]"],
            rejects: ["[1,1]", "[\"\"]"])
        // Not a keyword of draft 7.
        try expectSchema(draft7 + #""prefixItems":[{"type":"integer"}]}"#, accepts: ["[\"a\"]"])
    }

    @Test("Lengths count characters, patterns search, both see what escapes mean")
    func strings() throws {
        try expectSchema(
            #"{"type":"string","minLength":2,"maxLength":3}"#,
            accepts: ["\"ab\"", "\"äöü\"", "\"😀😀\"", #""\n\n""#, #""\u00e4x""#],
            rejects: ["\"a\"", "\"abcd\"", "\"😀\""])
        try expectSchema(
            #"{"type":"string","pattern":"a[\\n\"]b"}"#, accepts: [#""xa\nby""#, #""a\"b""#, #""a\u000ab""#],
            rejects: ["\"ab\"", "\"a b\""])
        try expectSchema(
            #"{"type":"string","pattern":"^[a-z]+$","maxLength":3}"#, accepts: ["\"abc\""],
            rejects: ["\"\"", "\"abcd\"", "\"aB\""])
    }

    @Test("Enumerated values, filtered by what stands beside them")
    func values() throws {
        try expectSchema(
            #"{"enum":[1,"a/b",null,{"k":[1.50]}],"type":["integer","string","object"]}"#,
            accepts: ["1", "\"a/b\"", #""a\/b""#, #"{"k":[1.5]}"#], rejects: ["null", "2", "\"a\""])
        try expectSchema(#"{"const":"é\u0007","minLength":2}"#, accepts: ["\"é\\u0007\""], rejects: ["\"e\\u0007\""])
    }

    @Test("Enumerated objects and arrays: their names count, and what is not enforced is refused")
    func structuredValues() throws {
        let values = #"{"enum":[{"a":1},{"bb":2},{}],"propertyNames":"#
        try expectSchema(values + #"{"maxLength":1}}"#, accepts: [#"{"a":1}"#, "{}"], rejects: [#"{"bb":2}"#])
        try expectSchema(values + #"{"pattern":"b"}}"#, accepts: [#"{"bb":2}"#, "{}"], rejects: [#"{"a":1}"#])
        try expectSchema(values + "false}", accepts: ["{}"], rejects: [#"{"a":1}"#, #"{"bb":2}"#])
        try expectSchema(
            #"{"items":{"propertyNames":{"enum":["a"]}},"const":[{"a":1}]}"#, accepts: [#"[{"a":1}]"#])
        expectUnsupported(#"{"const":[1],"unevaluatedItems":false}"#, ["#: unevaluatedItems"])
        try expectSchema(#"{"const":[],"unevaluatedItems":false}"#, accepts: ["[]"])
        // A letter with its accent, in one character and in two, are different names.
        #expect(throws: GrammarError.self) {
            _ = try Grammar(jsonSchema: #"{"const":{"é":1},"enum":[{"é":1}]}"#)
        }
    }

    @Test("anyOf, allOf and what stands beside them hold together")
    func combinations() throws {
        let schema = #"""
            {"allOf":[{"properties":{"a":{"minimum":3}},"required":["a"]},{"properties":{"a":{"type":"integer"},"b":{"type":"boolean"}}}],
             "anyOf":[{"required":["b"]},{"properties":{"a":{"maximum":4}}}],"type":"object","additionalProperties":true}
            """#
        try expectSchema(
            schema, accepts: [#"{"a":3}"#, #"{"a":9,"b":true}"#],
            rejects: [#"{"a":2}"#, #"{"a":9}"#, #"{"b":true}"#, #"{"a":3.5}"#])
    }

    @Test("oneOf where no value fits two, and where one does")
    func oneOf() throws {
        try expectSchema(
            #"{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"x":{"type":"integer"}},"required":["k","x"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}"#,
            accepts: [#"{"k":"a","x":1}"#, #"{"k":"b"}"#], rejects: [#"{"k":"a"}"#, #"{"k":"c"}"#])
        try expectSchema(#"{"oneOf":[{"type":"integer"},{"minimum":2}]}"#, accepts: ["1", "2.5"], rejects: ["2", "3"])
    }

    @Test("References: recursion, anchors, embedded resources, siblings")
    func references() throws {
        try expectSchema(
            ##"{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"array","items":{"$ref":"#/$defs/tree"},"maxItems":2}}}"##,
            accepts: ["[]", "[[],[[[]]]]"], rejects: ["[[],[],[]]", "[1]"])
        try expectSchema(
            ##"{"$id":"http://a/b/c","properties":{"x":{"$ref":"d#e"}},"required":["x"],"type":"object","$defs":{"1":{"$id":"d","$defs":{"e":{"$anchor":"e","type":"integer"}}}}}"##,
            accepts: [#"{"x":1}"#], rejects: [#"{"x":""}"#])
        try expectSchema(
            ##"{"$ref":"#/$defs/a","maximum":3,"$defs":{"a":{"type":"integer"}}}"##, accepts: ["3"], rejects: ["4"])
        let draft7 =
            ##"{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/a","maximum":3}},"definitions":{"a":{"type":"integer"}}}"##
        try expectSchema(draft7, accepts: [#"{"a":4}"#])
        expectUnsupported(##"{"$ref":"http://example.com/other.json"}"##, ["#: $ref"])
        expectUnsupported(##"{"properties":{"a/b":{"$ref":"#/$defs/none"}}}"##, ["#/properties/a~1b: $ref"])
    }

    @Test("What is not enforced is refused by name, all of it at once")
    func refused() throws {
        for (keyword, value) in [
            ("uniqueItems", "true"), ("unevaluatedItems", "false"), ("$dynamicRef", "\"#\""),
            ("format", "\"regex\""),
            ("pattern", "\"(?=a)b\""),
        ] {
            expectUnsupported("{\"\(keyword)\":\(value)}", ["#: \(keyword)"])
        }
        expectUnsupported(
            #"{"properties":{"a":{"not":{"multipleOf":2}},"b":{"items":{"if":{"format":"date"},"then":{}}}}}"#,
            ["#/properties/a/not: multipleOf", "#/properties/b/items/if: format"])
        // What these would have to rule out is not told exactly.
        expectUnsupported(#"{"not":{"uniqueItems":true}}"#, ["#/not: uniqueItems"])
        expectUnsupported(#"{"oneOf":[{"multipleOf":2},{"multipleOf":3}]}"#, ["#: oneOf"])
        expectUnsupported(
            #"{"contains":{"const":1},"allOf":[{"contains":{"const":2}}]}"#, ["#: contains", "#/allOf/0: contains"])
        // Not at work: it concerns another type, or says nothing.
        try expectSchema(#"{"type":"string","uniqueItems":true,"if":{},"dependentRequired":{}}"#, accepts: ["\"a\""])
    }

    @Test("Opposites: of types, values, bounds, patterns, members, items, and of what they are put together of")
    func opposites() throws {
        try expectSchema(
            #"{"not":{"type":["string","integer"]}}"#, accepts: ["1.5", "null", "[]", "{}", "true"],
            rejects: ["\"a\"", "1", "-20"])
        try expectSchema(
            #"{"type":["string","integer","null","boolean"],"not":{"enum":["a",3,null,true]}}"#,
            accepts: ["\"b\"", "\"\"", "\"aa\"", "4", "33", "-3", "false"], rejects: ["\"a\"", "3", "null", "true"])
        try expectSchema(
            #"{"type":"integer","not":{"minimum":3,"maximum":5}}"#, accepts: ["2", "6"], rejects: ["3", "5"])
        try expectSchema(
            #"{"type":"string","not":{"pattern":"^a"}}"#, accepts: ["\"ba\"", "\"\""], rejects: ["\"a\"", "\"ab\""])
        try expectSchema(
            #"{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false,"not":{"required":["a","b"]}}"#,
            accepts: ["{}", #"{"a":1}"#, #"{"b":1}"#], rejects: [#"{"a":1,"b":2}"#])
        try expectSchema(
            #"{"type":"object","properties":{"a":{"type":"integer"}},"not":{"properties":{"a":{"const":1}},"required":["a"]}}"#,
            accepts: ["{}", #"{"a":2}"#], rejects: [#"{"a":1}"#])
        try expectSchema(
            #"{"type":"array","not":{"items":{"type":"integer"}}}"#, accepts: ["[1,null]", "[\"a\"]"],
            rejects: ["[]", "[1,2]"])
        try expectSchema(
            #"{"type":"integer","not":{"anyOf":[{"const":1},{"allOf":[{"minimum":5},{"not":{"const":7}}]}]}}"#,
            accepts: ["2", "7"], rejects: ["1", "5", "8"])
        try expectSchema(
            #"{"oneOf":[{"type":"integer"},{"minimum":3}]}"#, accepts: ["1", "3.5", "null"], rejects: ["3", "4", "1.5"])
        try expectSchema(
            ##"{"$defs":{"a":{"properties":{"x":{"not":{"$ref":"#/$defs/a"}}}}},"$ref":"#/$defs/a"}"##,
            accepts: ["1", "{}", #"{"x":{"x":1}}"#], rejects: [#"{"x":1}"#, #"{"x":{}}"#])
    }

    @Test("Conditions, and what depends on a member")
    func conditions() throws {
        let shape = #"""
            {"type":"object","properties":{"kind":{"enum":["circle","square"]},"radius":{"type":"integer"},"side":{"type":"integer"}},
             "required":["kind"],"additionalProperties":false,
             "if":{"properties":{"kind":{"const":"circle"}}},"then":{"required":["radius"]},"else":{"required":["side"]}}
            """#
        try expectSchema(
            shape, accepts: [#"{"kind":"circle","radius":1}"#, #"{"kind":"square","radius":1,"side":2}"#],
            rejects: [#"{"kind":"circle","side":1}"#, #"{"kind":"square"}"#, "{}"])
        let dependent = #""properties":{"a":{},"b":{},"c":{}},"additionalProperties":false"#
        try expectSchema(
            "{\"type\":\"object\",\(dependent),\"dependentRequired\":{\"a\":[\"b\"]}}",
            accepts: ["{}", #"{"b":1}"#, #"{"a":1,"b":2}"#], rejects: [#"{"a":1}"#, #"{"a":1,"c":2}"#])
        try expectSchema(
            "{\(dependent),\"dependentSchemas\":{\"a\":{\"properties\":{\"b\":{\"type\":\"null\"}}}}}",
            accepts: ["1", #"{"a":1,"b":null}"#, #"{"b":1}"#], rejects: [#"{"a":1,"b":1}"#])
    }

    @Test("What arrays contain, and that nothing is there twice")
    func counting() throws {
        let items = #""type":"array","items":{"type":"integer"},"contains":{"minimum":5}"#
        try expectSchema("{\(items)}", accepts: ["[5]", "[1,6,2]", "[1,2,9]"], rejects: ["[]", "[1]", "[5,null]"])
        try expectSchema(
            "{\(items),\"minContains\":2,\"maxContains\":2,\"maxItems\":4}", accepts: ["[5,6]", "[1,6,2,7]"],
            rejects: ["[5]", "[5,6,7]", "[1,1,5,5,1]"])
        try expectSchema(
            "{\(items),\"minContains\":0,\"maxContains\":1}", accepts: ["[]", "[1,5]"], rejects: ["[5,6]"])
        try expectSchema(
            #"{"type":"array","prefixItems":[{"type":"string"}],"contains":{"type":"null"},"minItems":2}"#,
            accepts: ["[\"a\",null]", "[\"a\",1,null,2]"], rejects: ["[\"a\"]", "[null,null]", "[\"a\",1]"])
        try expectSchema(
            #"{"type":"array","items":{"enum":["a","b","c"]},"uniqueItems":true,"minItems":1}"#,
            accepts: ["[\"b\"]", "[\"c\",\"a\",\"b\"]"],
            rejects: ["[]", "[\"a\",\"a\"]", "[\"d\"]", "[\"a\",\"b\",\"a\"]"])
        try expectSchema(
            #"{"type":"array","items":{"type":["boolean","null"]},"uniqueItems":true,"maxItems":2,"contains":{"const":null}}"#,
            accepts: ["[null]", "[true,null]"], rejects: ["[]", "[true,false]", "[null,null]", "[true,false,null]"])
        try expectSchema(
            #"{"type":"array","prefixItems":[{"const":1},{"enum":[1,2]}],"items":false,"uniqueItems":true}"#,
            accepts: ["[]", "[1]", "[1,2]"], rejects: ["[1,1]", "[2]"])
        try expectSchema(#"{"enum":[[1,1],[1,2]],"uniqueItems":true}"#, accepts: ["[1,2]"], rejects: ["[1,1]"])
    }

    @Test("A schema that allows nothing, and one that is none")
    func impossible() {
        for schema in [
            "false", #"{"type":"integer","minimum":3,"maximum":2}"#,
            #"{"type":"object","properties":{"a":false},"required":["a"]}"#,
            ##"{"type":"string","pattern":"^a$","minLength":2}"##,
            ##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"},"minItems":1}}}"##,
        ] {
            #expect(throws: GrammarError.allowsNothing(place: "#"), "\(schema)") { _ = try Grammar(jsonSchema: schema) }
        }
        for schema in [
            "1", "{", #"{"type":"thing"}"#, #"{"minLength":"a"}"#, #"{"required":[1]}"#, #"{"pattern":"("}"#,
            #"{"a":1,"a":2}"#,
        ] {
            #expect(throws: GrammarError.self, "\(schema)") { _ = try Grammar(jsonSchema: schema) }
        }
    }

    @Test("Formats")
    func formats() throws {
        let cases: [(String, [String], [String])] = [
            (
                "date", ["2024-02-29", "2000-02-29", "1999-12-31"],
                ["2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "24-01-01"]
            ),
            ("time", ["23:59:60Z", "08:30:06.283185+23:59"], ["22:59:60Z", "24:00:00Z", "08:30:06"]),
            ("date-time", ["1963-06-19T08:30:06.283185Z"], ["1963-06-19 08:30:06Z", "1963-02-30T00:00:00Z"]),
            ("duration", ["P4DT12H30M5S", "P1Y2M3D", "PT0S", "P3W"], ["P", "PT", "P1YT", "P1Y2D", "4D", "P1W1D"]),
            ("email", ["joe.b@example.com"], ["joe", ".joe@example.com", "a..b@c.de", "a@-b.c"]),
            (
                "hostname", ["a.b-c.example", "localhost"],
                ["-a", "a-", "a..b", "xn--X", String(repeating: "a", count: 64)]
            ),
            ("ipv4", ["127.0.0.1", "255.255.255.255"], ["256.0.0.1", "01.2.3.4", "1.2.3"]),
            (
                "ipv6", ["::", "::1", "1::8", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2::3:4"],
                [":::", "1:2", "12345::", "1::2::3", "1:2:3:4:5:6:7:8:9"]
            ),
            ("uuid", ["2EB8AA08-AA98-11EA-B4AA-73B441D16380"], ["2EB8AA08AA9811EAB4AA73B441D16380"]),
            ("uri-reference", ["", "/a/b?c#d", "../x", "a/b:c", "http://h:1/%20"], ["a b", "1:b", "%2", "é", "#a#b"]),
            ("iri", ["http://ƒøø.ßår/?∂éœ=πîx", "a:漢"], ["/漢", "http:// ", "é:x"]),
            ("iri-reference", ["/âππ", "#ƒräg", ""], ["â b", "é:x", "a<"]),
            ("uri-template", ["http://x/{term:1}/{term}", "{?q,lang*}", "{+path}"], ["{term", "{a b}", "}", "{/id*"]),
            ("json-pointer", ["", "/a~0b/~1/0", "/é"], ["a", "/~", "/~2", "#/a"]),
            ("relative-json-pointer", ["0", "12/a", "3#"], ["", "/a", "01", "-1", "0##"]),
            (
                "uri", ["http://a.b/c?d=e#f", "urn:a:b", "mailto:x@y", "ftp://[::1]:21/"],
                ["//a", "abc", "http:// x", "http://a/%zz"]
            ),
        ]
        for (format, valid, invalid) in cases {
            try expectSchema(
                "{\"type\":\"string\",\"format\":\"\(format)\"}", accepts: valid.map { "\"\($0)\"" },
                rejects: invalid.map { "\"\($0)\"" })
        }
    }
}
