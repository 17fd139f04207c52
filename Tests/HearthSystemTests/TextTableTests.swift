import HearthSystem
import Testing

@Suite("Tables of text")
struct TextTableTests {
    @Test("columns are as wide as their longest cells, and lines end with their last letter")
    func columns() {
        let table = TextTable(
            [["NAME", "SIZE", "NOTE"], ["größe", "1.5 GB", ""], ["b", "2 MB", "current"], ["", "", ""]],
            rightAligned: [1])
        #expect(
            table.lines == [
                "NAME     SIZE  NOTE",
                "größe  1.5 GB",
                "b        2 MB  current",
                "",
            ])
        #expect(table.text == table.lines.joined(separator: "\n") + "\n")
        #expect(TextTable([]).text.isEmpty)
    }

    @Test("text that is longer than its column is left as it is")
    func padding() {
        #expect("ab".padded(to: 4) == "ab  " && "ab".leftPadded(to: 4) == "  ab")
        #expect("abcde".padded(to: 4) == "abcde" && "abcde".leftPadded(to: 4) == "abcde")
        #expect(" a b  ".withoutTrailingSpaces == " a b")
    }
}
