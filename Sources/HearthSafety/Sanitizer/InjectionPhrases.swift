internal import Foundation

/// Sentences that try to give the model instructions. Removing them is best effort, not a security measure.
enum InjectionPhrases {
    private static let en = [
        #"\b(?:ignore|disregard|forget|override|bypass)(?:\s+(?:all|any|the|of|my|your|these|those|previous|prior|above|earlier|other)){0,6}\s+(?:instructions?|prompts?|directions|guidelines|system\s+messages?)\b"#,
        #"\b(?:ignore|disregard|forget|override|bypass)(?:\s+all)?\s+(?:your|previous|prior|above|earlier|the\s+system|safety)\s+(?:rules|filters|restrictions)\b"#,
        #"\b(?:reveal|show|print|repeat|tell\s+me)(?:\s+me)?\s+(?:your|the)\s+(?:system\s+prompt|hidden\s+prompt|prompt|instructions)\b"#,
        #"\b(?:enable|enter|activate|you\s+are\s+(?:now\s+)?in)\s+(?:developer|dan|jailbreak|god|admin)\s+mode\b"#,
        #"\byou\s+are\s+now\s+(?:dan\b|an?\s+(?:unfiltered|uncensored|unrestricted)\b)"#,
    ]
    private static let es = [
        #"\b(?:ignora|olvida|omite|desobedece)(?:\s+todas)?(?:\s+(?:las|tus|mis|los))?\s+(?:instrucciones|reglas|órdenes|indicaciones)\b"#,
        #"\b(?:muestra|revela|dime)\s+(?:el|tu)\s+prompt\b"#,
        #"\b(?:activa|entra\s+en)\s+(?:el\s+)?modo\s+(?:desarrollador|dan|administrador)\b"#,
    ]
    private static let zh = [
        #"(?:忽略|无视|忘记|忘掉|不要理会|無視|忘記)[^。！？\n]{0,8}(?:指令|指示|提示词|提示|设定|规则|要求|規則|設定|提示詞)"#,
        #"(?:显示|告诉我|输出|泄露|顯示|告訴我|輸出)[^。！？\n]{0,4}(?:系统提示词|系统提示|提示词|系統提示|提示詞)"#,
        #"(?:进入|开启|启用|進入|開啟|啟用)[^。！？\n]{0,2}(?:开发者|越狱|管理员|開發者|越獄|管理員)模式"#,
    ]

    /// Matches a phrase with the rest of its sentence and the final mark.
    private static let expression: NSRegularExpression? = try? NSRegularExpression(
        pattern: "(?:" + (en + es + zh).joined(separator: "|") + #")[^.!?。！？\n]*[.!?。！？]*"#,
        options: [.caseInsensitive])

    static func strip(_ scalars: [Unicode.Scalar], _ removed: inout Set<String>) -> [Unicode.Scalar] {
        let text = String(String.UnicodeScalarView(scalars))
        // The pattern is a constant; if it were invalid, no text may pass.
        guard let expression else { return [] }
        let range = NSRange(location: 0, length: text.utf16.count)
        guard expression.firstMatch(in: text, range: range) != nil else { return scalars }
        removed.insert("injection")
        let stripped = expression.stringByReplacingMatches(in: text, range: range, withTemplate: " ")
        return Array(stripped.unicodeScalars)
    }
}
