/// Abbreviations and first words, in lower case and without the final dot. The lists are our own.
struct Abbreviations: Sendable {
    let never: Set<String>
    let number: Set<String>
    let maybe: Set<String>
    let starters: Set<String>

    static let english = Abbreviations(
        never: words(
            """
            adm capt cf cmdr col cpt dr e.g gen gov hon i.e lt messrs mlle mme mr mrs ms mx pres
            prof rep rev sen sgt supt viz vs
            """),
        number: words(
            """
            approx apr art aug ca ch dec feb fig jan jul jun mar no nos nov oct p pp sec sep sept
            vol
            """),
        maybe: words(
            """
            a.d a.m ave b.c blvd bros co corp dept est fri ft hr hrs inc jr lb lbs ltd m.d mt oz p.m
            ph.d rd sr st tbsp thu thur thurs tsp tue tues
            """),
        starters: words(
            """
            a after all an and are as at before both but can could did do does each every everyone
            finally first for from had has have he her here his how i if in is it its later let many
            maybe meanwhile most my next no nobody not now oh on once one our perhaps please she
            should so some soon suddenly that the their then there these they this those three to
            today tomorrow two was we well were what when where which who whose why will with would
            yes yesterday you your
            """)
    )

    static let spanish = Abbreviations(
        never: words(
            """
            admón arq av avda cnel cra dn dr dra dres dña ee excmo gral hnos ilmo ing lic mons mr
            mrs ms p.ej prof profa párrf sr sra sras sres srs srta sta sto tte ud vd
            """),
        number: words(
            """
            abr ago aprox art cap dic dom ene ext feb fig jue jul jun lun mar may mié n.º no nov nro
            n° nº núm oct p pp pág págs sep sept sáb tel vie vol
            """),
        maybe: words(
            """
            a.c a.m d.c ee.uu hs jr mt p.m seg uds uu vds
            """),
        starters: words(
            """
            al antes aquel aquella así ayer con cuando cómo de del después donde dónde el ella ellas
            ello ellos en entonces era es esa ese eso esta este esto fin finalmente fue había hay
            hoy la las los luego mañana mi mis no nosotros nuestro para pero por pronto quién qué si
            sin su sus sí toda todas todo todos tu tus tú un una unas unos y yo él
            """)
    )

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
