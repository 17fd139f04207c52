import Foundation
import HearthCLI
import Testing

@Suite("What the commands share", .timeLimit(.minutes(20)))
struct SupportTests {
    @Test("Token lists: JSON arrays of whole numbers, and nothing else")
    func tokenLists() throws {
        #expect(try TokenList.parse(Array(" [1, 2,\n-3,0] \n".utf8)) == [1, 2, -3, 0])
        #expect(try TokenList.parse(Array("[]".utf8)).isEmpty)
        let wrong: [(String, String)] = [
            ("", "byte 0"), ("{}", "byte 0"), ("1", "byte 0"), ("[1,[2]]", "[1]"), ("[1.5]", "[0]"), ("[1e3]", "[0]"),
            ("[\"1\"]", "[0]"), ("[1,]", "[1]"), ("[1 2]", "[0]"), ("[1", "[0]"), ("[", "[0]"), ("[1]x", "byte 3"),
            ("[1,99999999999999999999]", "[1]"), ("[null]", "[0]"), ("[01]", "[0]"), ("[-]", "[0]"), ("[NaN]", "[0]"),
        ]
        for (text, field) in wrong {
            do {
                _ = try TokenList.parse(Array(text.utf8))
                Issue.record("\(text) was taken")
            } catch let problem {
                #expect(problem.field == field, "\(text)")
            }
        }
    }

    @Test("A hundred megabytes of brackets are refused at the first byte that is wrong")
    func junk() {
        let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 100_000_000)
        #expect(throws: TokenList.Problem.self) { try TokenList.parse(bytes) }
    }

    @Test("Errors stay on one line and send nothing to the terminal")
    func failureLine() {
        let failure = CommandFailure(.invalidInput, "bad\nname", at: "\u{1B}[2J", todo: "Rename it.")
        #expect(failure.line == "hearth: error: bad\\u{a}name (\\u{1b}[2J). Rename it.")
        #expect("a\u{1B}[1mb\tc\nd\u{7F}".withoutTerminalControls == "a[1mb\tc\nd")
    }

    @Test(
        "A progress bar ends at 100 %, and not before",
        arguments: [1, 7, 99, 100, 101, 150, 1000, 123_457, Int.max])
    func progress(total: Int) {
        #expect(ProgressMeter.percent(-1, of: total) == 0)
        #expect(ProgressMeter.percent(0, of: total) == 0)
        #expect(ProgressMeter.percent(total / 2, of: total) <= 50)
        #expect(ProgressMeter.percent(total - 1, of: total) < 100)
        #expect(ProgressMeter.percent(total, of: total) == 100)
        if total < Int.max { #expect(ProgressMeter.percent(total + 1, of: total) == 100) }
        #expect(ProgressMeter.percent(29, of: 100) == 29)
    }

    @Test("Lines are wrapped at blanks, and between Han characters as Chinese is")
    func wrapping() {
        var english = TextWrapper(width: 20)
        #expect(english.wrap("Once upon a time there was") == "Once upon a time\nthere was")
        #expect(english.wrap(" a bear.") == " a bear.")
        #expect(english.wrap("\n\nThe end.") == "\n\nThe end.")

        var chinese = TextWrapper(width: 20)
        // Ten wide characters fill the line; a full stop never begins one.
        let lines = chinese.wrap("很久很久以前有一只小熊。它睡了。").split(separator: "\n")
        #expect(lines.allSatisfy { $0.reduce(0) { $0 + TextWrapper.columnCount(of: $1) } <= 20 })
        #expect(lines.allSatisfy { $0.first != "。" })
        #expect(lines.joined() == "很久很久以前有一只小熊。它睡了。")

        #expect(TextWrapper.columnCount(of: "e\u{301}") == 1)
        #expect(TextWrapper.columnCount(of: "熊") == 2)
        #expect(TextWrapper.columnCount(of: "🌙") == 2)
        #expect(TextWrapper.columnCount(of: "é") == 1)
        var pieces = TextWrapper(width: 20)
        let parts = ["A sentence. ", "Another one that is long."].map { pieces.wrap($0) }.joined()
        #expect(parts.split(separator: "\n").allSatisfy { $0.count <= 20 })
    }

    @Test("Lines of standard input: long ones, broken ones, the last without a line break")
    func inputLines() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        var bytes = Array("one\r\n\n".utf8) + [0xFF, 0x0A]
        bytes += Array("last".utf8)
        #expect(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        var lines = InputLines(descriptor: ends[0])
        var all: [InputLines.Line] = []
        while let line = try lines.next() { all.append(line) }
        close(ends[0])
        #expect(all == [.text("one"), .text(""), .problem("the line is not UTF-8"), .text("last")])
    }

    @Test("Fields without a value are null, numbers without a JSON form are names")
    func json() throws {
        struct Sample: Encodable {
            @ExplicitNull var notice: String?
            var url = "a/b"
        }
        #expect(try jsonText(Sample(notice: nil)) == #"{"notice":null,"url":"a/b"}"#)
        #expect(try jsonText([MetadataValue.float(-.infinity), .float(0.1)]) == #"["-inf",0.1]"#)
    }

    @Test("A report that cannot be encoded is an error that names the field, not a success without a report")
    func reports() throws {
        struct Row: Encodable { var drop: Double }
        struct Sample: Encodable { var rows: [Row] }
        #expect(try reportText(Sample(rows: [Row(drop: 0.5)])) == #"{"rows":[{"drop":0.5}]}"#)
        let error = #expect(throws: CommandFailure.self) {
            try reportText(Sample(rows: [Row(drop: 1), Row(drop: .nan)]))
        }
        let line = try #require(error).line
        #expect(line.contains("rows.1.drop") && line.contains("cannot be written as JSON"), "\(line)")
        #expect(!line.contains(".."), "\(line)")
    }
}
