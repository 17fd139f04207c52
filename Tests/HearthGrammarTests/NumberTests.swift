import Foundation
import HearthGrammar
import HearthTestSupport
import Testing

@Suite("Numbers", .timeLimit(.minutes(20))) struct NumberTests {
    /// Foundation's decimals are an independent arithmetic.
    @Test("Bounds and multiples hold exactly, compared with Foundation's decimals")
    func random() throws {
        var random = SeededNumbers.fresh()
        func number(_ places: Int) -> String {
            let whole = random.below(3) == 0 ? random.below(2000) : random.below(30)
            let fraction = random.below(3) == 0 ? "" : "." + String(random.below(1000))
            return (random.below(2) == 0 ? "-" : "") + "\(whole)" + fraction
        }
        for _ in 0..<150 {
            var schema = ["\"type\":\"\(random.below(3) == 0 ? "integer" : "number")\""]
            var checks: [(Decimal) -> Bool] = []
            for (name, holds) in [
                ("minimum", { $0 >= $1 }), ("maximum", { $0 <= $1 }), ("exclusiveMinimum", { $0 > $1 }),
                ("exclusiveMaximum", { $0 < $1 }),
            ] as [(String, (Decimal, Decimal) -> Bool)] where random.below(3) == 0 {
                let text = number(3)
                guard let bound = Decimal(string: text) else { continue }
                schema.append("\"\(name)\":\(text)")
                checks.append { holds($0, bound) }
            }
            if random.below(3) == 0 {
                let text = ["2", "3", "0.25", "0.1", "1.5", "7"][random.below(6)]
                guard let divisor = Decimal(string: text) else { continue }
                schema.append("\"multipleOf\":\(text)")
                checks.append {
                    var (quotient, rounded) = ($0 / divisor, Decimal())
                    NSDecimalRound(&rounded, &quotient, 0, .plain)
                    return rounded * divisor == $0
                }
            }
            let isInteger = schema[0].contains("integer")
            let text = "{" + schema.joined(separator: ",") + "}"
            guard let grammar = try satisfiable({ () throws(GrammarError) in try Grammar(jsonSchema: text) }) else {
                for value in -40...40 { #expect(!checks.allSatisfy { $0(Decimal(value)) }, "\(text) \(value)") }
                continue
            }
            for _ in 0..<60 {
                let value = number(3)
                guard let decimal = Decimal(string: value) else { continue }
                let isValid = checks.allSatisfy { $0(decimal) } && (!isInteger || !value.contains("."))
                #expect((try grammar.verdict(of: value.utf8) == .accepted) == isValid, "\(text) \(value)")
            }
        }
    }

    @Test("Large numbers, small ones, exponents where nothing is compared")
    func extremes() throws {
        try expectSchema(
            #"{"type":"integer","maximum":18446744073709551600}"#,
            accepts: ["18446744073709551600", "-99999999999999999999999"],
            rejects: ["18446744073709551601"])
        try expectSchema(#"{"type":"number","multipleOf":0.0001}"#, accepts: ["0.0075", "-1"], rejects: ["0.00751"])
        try expectSchema(
            #"{"type":"number","minimum":0}"#, accepts: ["1e30", "0.5E-2", "-0", "-0.0", "-0E5"],
            rejects: ["-1", "-0.1"])
        try expectSchema(
            #"{"type":"integer","minimum":-0}"#, accepts: ["0", "-0", "10"], rejects: ["-1", "-00", "-0.0"])
        expectUnsupported(#"{"type":"integer","multipleOf":123456789}"#, ["#: multipleOf"])
    }
}
