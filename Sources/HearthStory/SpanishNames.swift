/// The usual grammatical gender of first names in Spanish, and what stands before them.
enum SpanishNames {
    /// Whether a name is usually a girl's. The first of several names decides: María José is a girl, José María a boy.
    static func isFeminine(_ name: String) -> Bool {
        let first = String(name.lowercased().prefix(while: \.isLetter).map { plain[$0] ?? $0 })
        return first.hasSuffix("a") ? !masculine.contains(first) : feminine.contains(first)
    }

    /// Whether a name begins with the vowel *i*, not with a glide as in *Iago*.
    static func beginsWithI(_ name: String) -> Bool {
        let letters = Array(name.lowercased().drop { $0 == "h" }.prefix(2))
        return letters.first == "í" || letters.first == "i" && !"aeouáéóú".contains(letters.last ?? "i")
    }

    /// The name with the article that a title has in a sentence: *la tía Blanca*, but *don Gil*, *papá* and *Blanca*.
    static func withArticle(_ name: String, isFeminine: Bool) -> String {
        let first = name.prefix { $0 != " " }
        guard first.first?.isLowercase == true, !bare.contains(String(first)) else { return name }
        return (isFeminine ? "la " : "el ") + name
    }

    /// First words of names that take no article, or are one.
    private static let bare: Set = ["don", "doña", "el", "la", "mamá", "papá"]

    /// Many people type names without accents, and some names have those of other languages: *Zoë*, *Hélène*.
    private static let plain: [Character: Character] = [
        "á": "a", "à": "a", "â": "a", "ä": "a", "ã": "a", "ª": "a", "é": "e", "è": "e", "ê": "e", "ë": "e", "í": "i",
        "î": "i", "ï": "i", "ó": "o", "ò": "o", "ô": "o", "ö": "o", "ú": "u", "û": "u", "ü": "u",
    ]

    /// Frequent names of girls that do not end in *a*.
    private static let feminine: Set = [
        "abigail", "abril", "amparo", "anais", "ane", "angeles", "araceli", "ashley", "astrid", "beatriz", "belen",
        "camino", "caridad", "carmen", "carol", "charo", "chloe", "cloe", "clotilde", "concepcion", "conchi",
        "consuelo", "coral", "denisse", "dolores", "dulce", "edith", "edurne", "eider", "elisabet", "elisabeth",
        "elizabeth", "emily", "encarnacion", "ester", "esther", "estibaliz", "evelyn", "flor", "garazi", "giselle",
        "guadalupe", "heidi", "ines", "ingrid", "irati", "iratxe", "irene", "iris", "isabel", "itsaso", "itziar",
        "izaskun", "jacqueline", "jazmin", "jenifer", "jennifer", "judit", "judith", "karen", "katherine", "leire",
        "leonor", "lizbeth", "lluvia", "loli", "lourdes", "luz", "mabel", "maite", "mar", "margot", "mari", "maribel",
        "marian", "marisol", "mayte", "mercedes", "merche", "meritxell", "michelle", "milagros", "miren", "miriam",
        "montse", "montserrat", "nayeli", "nekane", "nicole", "nieves", "noemi", "oihane", "paz", "piedad", "pilar",
        "pili", "purificacion", "queralt", "raquel", "remedios", "rocio", "rosario", "rut", "ruth", "salome", "sarah",
        "scarlett", "socorro", "sofi", "sol", "soledad", "trinidad", "virtudes", "yasmin", "zoe",
    ]

    /// Frequent names of boys that end in *a*.
    private static let masculine: Set = [
        "bautista", "borja", "chema", "gorka", "joseba", "josema", "joshua", "josua", "juanma", "kepa", "luca", "luka",
        "mattia", "mustafa", "txema", "zakaria",
    ]
}
