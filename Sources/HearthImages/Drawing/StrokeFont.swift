internal import Foundation

/// Letters as lines, for labels on images: no font file, and any size. Others than ASCII are transliterated.
enum StrokeFont {
    /// A point on the grid: x to the right, y downwards; capitals and digits from 0 to 6, small letters from 2, descenders to 8.
    struct Point: Equatable {
        var x: Double
        var y: Double
    }

    /// A character: lines through points; a line between equal points is a dot.
    struct Glyph: Equatable {
        var lines: [[Point]]
        /// The distance to the next character.
        var advance: Double
    }

    /// The height of capitals on the grid, and how far letters reach below them.
    static let height = 6.0
    static let descent = 2.0
    private static let gap = 1.8

    /// The glyphs of a text, in Latin letters without accents; what has none becomes a question mark.
    static func glyphs(_ text: String) -> [Glyph] {
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
        let plain = isPlain ? text : text.applyingTransform(.init("Any-Latin; Latin-ASCII"), reverse: false) ?? text
        return plain.compactMap { table[$0] ?? table["?"] }
    }

    private static let table = drawings.mapValues { drawing in
        let lines = drawing.split(separator: " ").map { line in
            let digits = line.utf8.map { Double($0) - 48 }
            return stride(from: 0, to: digits.count - 1, by: 2).map { Point(x: digits[$0], y: digits[$0 + 1]) }
        }
        return Glyph(lines: lines, advance: (lines.joined().map(\.x).max() ?? 1) + gap)
    }

    /// For each character its lines, each point as its two coordinates.
    private static let drawings: [Character: String] = [
        " ": "", "!": "0004 0606", "\"": "0002 2022", "#": "1016 3036 0242 0444", "$": "413010010213334445361605 2026",
        "%": "4006 1111 3535", "&": "4612112031320405162644", "'": "0002", "(": "10020416", ")": "00121406",
        "*": "2125 0244 4204", "+": "2125 0343", ",": "1607", "-": "0333", ".": "0606", "/": "0640",
        "0": "103041453616050110 1531", "1": "012026 0646", "2": "01103041420646", "3": "01103041423313 334445361605",
        "4": "36300444", "5": "400002324345361605", "6": "413010010516364544331304", "7": "004016",
        "8": "13020110304142334445361605041333", "9": "051636454130100102133342",
        ":": "0303 0606", ";": "1313 1607", "<": "300336", "=": "0242 0444", ">": "003306", "?": "01103041422324 2626",
        "@": "343222131424344441301001051646",
        "A": "062046 1434", "B": "06003041423303 3344453606", "C": "4130100105163645", "D": "06002042442606",
        "E": "40000646 0333", "F": "400006 0333", "G": "41301001051636454323", "H": "0006 4046 0343",
        "I": "2026 1030 1636",
        "J": "4045361605", "K": "0006 4004 1346", "L": "000646", "M": "0600234046", "N": "06004640",
        "O": "103041453616050110", "P": "06003041423303", "Q": "103041453616050110 2446", "R": "06003041423303 2346",
        "S": "413010010213334445361605", "T": "0040 2026", "U": "000516364540", "V": "002640", "W": "0016223640",
        "X": "0046 4006", "Y": "002340 2326", "Z": "00400646",
        "[": "20000626", "\\": "0046", "]": "00202606", "^": "022042", "_": "0747", "`": "0011",
        "a": "12324346 441405163645", "b": "0006 0312324345361605", "c": "4332120305163645",
        "d": "4046 4332120305163645",
        "e": "04444332120305163645", "f": "30201116 0232", "g": "4332120305163645 42473818", "h": "0006 0312324346",
        "i": "0206 0000", "j": "121708 1010", "k": "0006 3205 1436", "l": "000516", "m": "0206 0312223336 3342526366",
        "n": "0206 0312324346", "o": "123243453616050312", "p": "0208 0312324345361605", "q": "4248 4332120305163645",
        "r": "0206 031232", "s": "43321203143445361605", "t": "10152636 0232", "u": "0205163645 4246", "v": "022642",
        "w": "0216233642", "x": "0246 4206", "y": "0226 4218", "z": "02420646",
        "{": "20110213041526", "|": "0007", "}": "00111223141506", "~": "03123443",
    ]
}
