/// The enforced formats of JSON Schema, as regular expressions based on their standards. Where a standard is ambiguous, the
/// narrower reading is used: every validator accepts what is accepted here.
enum StringFormat {
    /// The patterns of a format, all of which must match; nil if the format is not enforced.
    static func patterns(_ name: String) -> [String]? {
        switch name {
        case "date": [date]
        case "time": [time]
        case "date-time": ["(?:\(date))[Tt](?:\(time))"]
        case "duration": [duration]
        case "email":
            [
                "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:\(hostname))",
                "[^@]{1,64}@[^@]{1,253}",
            ]
        case "hostname": [hostname, "[\\s\\S]{1,253}"]
        case "ipv4": [ipv4]
        case "ipv6": [ipv6]
        case "uuid": ["\(hex){8}-\(hex){4}-\(hex){4}-\(hex){4}-\(hex){12}"]
        case "uri": [uri.whole]
        case "uri-reference": [uri.reference]
        case "uri-template": [template]
        case "iri": [iri.whole]
        case "iri-reference": [iri.reference]
        case "json-pointer": [pointer]
        case "relative-json-pointer": ["(?:0|[1-9][0-9]*)(?:#|\(pointer))"]
        default: nil
        }
    }

    private static let hex = "[0-9A-Fa-f]"
    private static let percent = "%\(hex){2}"

    private static let date: String = {
        let long = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
        let short = "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
        let february = "02-(?:0[1-9]|1[0-9]|2[0-8])"
        let quarter = "(?:0[48]|[2468][048]|[13579][26])"
        let leap = "(?:[0-9]{2}\(quarter)|(?:00|\(quarter))00)-02-29"
        return "[0-9]{4}-(?:\(long)|\(short)|\(february))|\(leap)"
    }()

    /// A leap second is accepted only at midnight UTC.
    private static let time: String = {
        let offset = "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
        return "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,18})?\(offset)"
            + "|23:59:60(?:\\.[0-9]{1,18})?(?:[Zz]|[+-]00:00)"
    }()

    /// RFC 3339, appendix A.
    private static let duration: String = {
        let n = "[0-9]{1,18}"
        let second = "\(n)S", minute = "\(n)M(?:\(second))?", hour = "\(n)H(?:\(minute))?"
        let time = "T(?:\(hour)|\(minute)|\(second))"
        let day = "\(n)D", month = "\(n)M(?:\(day))?", year = "\(n)Y(?:\(month))?"
        return "P(?:(?:\(day)|\(month)|\(year))(?:\(time))?|\(time)|\(n)W)"
    }()

    /// RFC 1123, without labels that have hyphens as third and fourth character, which are reserved for special encodings.
    private static let hostname: String = {
        let end = "[A-Za-z0-9]"
        // The third and fourth characters are not both hyphens.
        let safe =
            "(?:\(end)|\(end)\(end)|\(end)[A-Za-z0-9-]\(end)|\(end)[A-Za-z0-9-](?:[A-Za-z0-9][A-Za-z0-9-]|-[A-Za-z0-9])[A-Za-z0-9-]{0,58}\(end)"
            + "|\(end)[A-Za-z0-9-][A-Za-z0-9-]\(end))"
        return "\(safe)(?:\\.\(safe))*"
    }()

    private static let ipv4: String = {
        let byte = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
        return "\(byte)(?:\\.\(byte)){3}"
    }()

    private static let ipv6: String = {
        let group = "\(hex){1,4}"
        let tail = "(?:\(group):\(group)|\(ipv4))"
        var forms = ["(?:\(group):){6}\(tail)", "::(?:\(group):){5}\(tail)"]
        for before in 1...4 {
            forms.append("(?:\(group)(?::\(group)){0,\(before - 1)})?::(?:\(group):){\(5 - before)}\(tail)")
        }
        forms.append("(?:\(group)(?::\(group)){0,4})?::\(tail)")
        forms.append("(?:\(group)(?::\(group)){0,5})?::\(group)")
        forms.append("(?:\(group)(?::\(group)){0,6})?::")
        return forms.joined(separator: "|")
    }()

    /// RFC 6901.
    private static let pointer = "(?:/(?:[^~/]|~[01])*)*"

    /// RFC 6570.
    private static let template: String = {
        let letter = "[A-Za-z0-9_]|\(percent)"
        let variable = "(?:\(letter))(?:\\.?(?:\(letter)))*(?:\\*|:[1-9][0-9]{0,3})?"
        let text = "[^\\u0000-\\u0020\\u007F\"'%<>\\\\^`{|}]|\(percent)"
        return "(?:\(text)|\\{[+#./;?&=,!@|]?\(variable)(?:,\(variable))*\\})*"
    }()

    private static let uri = address(letters: "", inQuery: "")

    private static let iri: (whole: String, reference: String) = {
        var letters = "\\u00A0-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF"
        for plane in 1...14 {
            letters +=
                "\\u{\(String(plane, radix: 16))\(plane == 14 ? "1" : "0")000}-\\u{\(String(plane, radix: 16))FFFD}"
        }
        return address(letters: letters, inQuery: "\\uE000-\\uF8FF\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}")
    }()

    /// RFC 3986, and RFC 3987 with its further letters: with a scheme, and with one or relative.
    private static func address(letters: String, inQuery: String) -> (whole: String, reference: String) {
        let unreserved = "[A-Za-z0-9._~-]", sub = "[!$&'()*+,;=]"
        let name = "A-Za-z0-9._~!$&'()*+,;=\(letters)-"
        let pchar = "(?:[:@\(name)]|\(percent))"
        let user = "(?:(?:[:\(name)]|\(percent))*@)?"
        let literal = "\\[(?:\(ipv6)|[vV]\(hex)+\\.(?:\(unreserved)|\(sub)|:)+)\\]"
        let authority = "\(user)(?:\(literal)|(?:[\(name)]|\(percent))*)(?::[0-9]*)?"
        let path = "(?:/\(pchar)*)*"
        let begun = "//\(authority)\(path)|/(?:\(pchar)+\(path))?"
        let query = "(?:\\?(?:\(pchar)|[/?\(inQuery)])*)?", fragment = "(?:#(?:\(pchar)|[/?])*)?"
        let whole = "[A-Za-z][A-Za-z0-9+.-]*:(?:\(begun)|\(pchar)+\(path)|)\(query)\(fragment)"
        // Before the first slash, a colon would end a scheme.
        let relative = "(?:\(begun)|(?:[@\(name)]|\(percent))+\(path)|)\(query)\(fragment)"
        return (whole, "(?:\(whole)|\(relative))")
    }
}
