import Foundation
import HearthReports
import HearthTestSupport
import Testing

@Suite("Lists of labels", .timeLimit(.minutes(20)))
struct LabelListTests {
    private static let names = ["zero", "one", "two, or so", "three"]

    private func list(_ text: String) throws -> LabelList { try LabelList(Array(text.utf8), file: "l.csv") }

    @Test(
        "With a header or without, with quotes, a byte order mark, any line break, blank lines and spaces",
        arguments: [
            "file,label\na.png,one\nb/c.png,\"two, or so\"\n",
            "a.png,one\nb/c.png,\"two, or so\"",
            "\u{FEFF}file,label\r\na.png,one\r\nb/c.png,\"two, or so\"\r\n\r\n",
            "Label , File\none, a.png\n\"two, or so\",\"b/c.png\" \n",
            "\n\na.png , one\rb/c.png,\"two, or so\"\r",
            "id,path,class,label\n1,a.png,x,one\n2,b/c.png,y,\"two, or so\"\n",
            "\"a.png\",\"one\",further,\"columns\"\nb/c.png,\"two, or so\",,\n",
        ])
    func forms(text: String) throws {
        let list = try list(text)
        #expect(list.rows.map(\.file) == ["a.png", "b/c.png"])
        #expect(list.rows.map(\.label) == ["one", "two, or so"])
        #expect(try list.classes(Self.names) == [1, 2])
    }

    @Test("Rows are named by the lines of the file, quoted line breaks and all")
    func lines() throws {
        let list = try list("file,label\n\"a\nb.png\",one\n\nc.png,\"say \"\"three\"\"\"\n")
        #expect(list.rows.map(\.line) == [2, 5])
        #expect(list.rows.map(\.file) == ["a\nb.png", "c.png"])
        #expect(list.rows[1].label == "say \"three\"")
    }

    @Test(
        "What cannot be used is named by its row",
        arguments: [
            ("", 1, "names no picture"), ("file,label\n", 1, "names no picture"), ("a.png\n", 1, "one cell"),
            ("a.png;one\n", 1, "one cell"), ("a.png,one\n,two\n", 2, "names no file"),
            ("a.png,one\nb.png,\n", 2, "no label"), ("a.png,one\nb.png,one\n./a.png,two\n", 3, "row 1 already"),
            ("d/a.png,one\nd//a.png,one\n", 2, "row 1 already"), ("a.png,\"one\n", 1, "not closed"),
            ("a.png,\"one\"x\n", 1, "after its closing quote"), ("a.png,one\nb\u{0},one\n", 2, "NUL"),
            ("label,file\none\n", 2, "one cell"),
        ])
    func refusals(text: String, row: Int, words: String) throws {
        do {
            _ = try list(text)
            Issue.record("no error for \(text.debugDescription)")
        } catch let error as ReportError {
            guard case .malformedLabels(let file, let found, let problem) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(file == "l.csv" && found == row && problem.contains(words), "\(error)")
        }
        #expect(throws: ReportError.self) { try LabelList([0x61, 0x2C, 0xFF, 0x0A], file: "l.csv") }
    }

    @Test("Labels are names, or places where not all are names; numbers that are names are names")
    func classes() throws {
        #expect(try list("a,3\nb,0\n").classes(Self.names) == [3, 0])
        #expect(try list("a,1\nb,2\n").classes(["2", "1", "0"]) == [1, 0], "names of classes that are numbers")
        #expect(try list("a,0\nb,2\n").classes(["1", "2", "3"]) == [0, 2], "'0' is no name, so all are places")
        let failures: [(text: String, row: Int, names: [String])] = [
            ("a,one\nb,four\n", 2, Self.names), ("a,4\n", 1, Self.names), ("a,-1\n", 1, Self.names),
            ("a,one\nb,2\n", 2, Self.names), ("a,2\nb,one\nc,five", 3, Self.names), ("a,One\n", 1, Self.names),
            ("a,zero\nb,crane\n", 2, ["zero", "crane", "crane"]),
        ]
        for (text, row, names) in failures {
            do {
                _ = try list(text).classes(names)
                Issue.record("no error for \(text.debugDescription)")
            } catch {
                guard case .malformedLabels(_, let found, _) = error as? ReportError else { throw error }
                #expect(found == row, "\(text.debugDescription): \(error.localizedDescription)")
            }
        }
        #expect(try list("a,1\nb,2\n").classes(["zero", "crane", "crane"]) == [1, 2])
    }

    @Test("A list's digest is that of files and classes in their order, however it is written")
    func digest() throws {
        let (named, placed) = (try list("file,label\na,one\nb,three\n"), try list("\"a\",1\r\nb,3\r\n"))
        func digest(_ list: LabelList) throws -> String { try EvaluationList(list, classes: Self.names).sha256 }
        #expect(try digest(named) == digest(placed))
        #expect(try digest(list("a,one\nb,one\n")) != digest(named))
        #expect(try digest(list("b,3\na,1\n")) != digest(named))
        // As in files of earlier versions.
        #expect(try digest(list("a,one\n")) == "2ff7a872cf771a286a479b40a27d80d23806255fa88a6d54f30853b6b69d4559")
    }

    @Test("No bytes make it crash; what it takes has files of their own", arguments: 0..<40)
    func fuzz(seed: UInt64) {
        var generator = SeededNumbers(seed: seed)
        let letters = Array("ab,\"\n\r 1\u{FEFF}é,,\"\"".utf8) + [0xFF, 0]
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                letters.randomElement(using: &generator) ?? 0
            }
            guard let list = try? LabelList(bytes, file: "f") else { continue }
            #expect(!list.rows.isEmpty && Set(list.rows.map(\.file)).count == list.rows.count)
        }
    }

    private func numbers(_ text: String, _ outputs: [(String, Int)]) throws -> [[Double]] {
        try list(text).numbers(outputs.map { (name: $0.0, count: $0.1) }).values
    }

    @Test("Numbers: the label, the columns that are named as the outputs, or all columns in the order of the outputs")
    func columnsOfNumbers() throws {
        #expect(try numbers("a.png,1.5\nb.png,-2e1\n", [("age", 1)]) == [[1.5], [-20]])
        #expect(try numbers("file,label,x\na.png,1,9\n", [("age", 1)]) == [[1]])
        #expect(try numbers("image,height,age\na.png,1,2\n", [("age", 1), ("height", 1)]) == [[2, 1]])
        #expect(try numbers("height,image,age\n1,a.png,2\n", [("age", 1)]) == [[2]])
        #expect(try numbers("image,x,y\na.png, 1 ,2\n", [("point", 2)]) == [[1, 2]])
        #expect(try numbers("a.png,1,2,3\n", [("point", 2), ("age", 1)]) == [[1, 2, 3]])
        #expect(try list("image,x,y\na.png,1,2\n").numbers([(name: "point", count: 2)]).names == ["x", "y"])
        #expect(try list("a.png,1,2\n").numbers([(name: "point", count: 2)]).names == ["point[0]", "point[1]"])
    }

    @Test(
        "A row that does not fit the numbers of a model is named",
        arguments: [
            ("a.png,1\nb.png,two\n", 1, 2, "'two' is not a number"), ("a.png,nan\n", 1, 1, "'nan'"),
            ("a.png,1e39\n", 1, 1, "'1e39'"), ("a.png,1,2\nb.png,1\n", 2, 2, "returns 2 numbers where the row has 1"),
            ("a.png,1,2\n", 3, 1, "no labels"),
        ])
    func wrongNumbers(text: String, count: Int, row: Int, problem: String) throws {
        do {
            _ = try numbers(text, [("y", count)])
            Issue.record("no error")
        } catch let error as ReportError {
            guard case .malformedNumbers("l.csv", row, let found) = error else { throw error }
            #expect(found.contains(problem), "\(found)")
        }
    }
}
