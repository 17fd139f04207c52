/// Abbreviations and typical first words of sentences, in lower case and without the final dot. The lists were compiled for
/// Hearth.
struct Abbreviations: Sendable {
    /// Abbreviations whose dot never ends a sentence.
    let never: Set<String>
    /// Abbreviations whose dot does not end a sentence before a digit.
    let number: Set<String>
    /// Abbreviations whose dot ends a sentence only before a word of `starters`.
    let maybe: Set<String>
    let starters: Set<String>
    /// Abbreviations whose dot ends a sentence before any capital letter.
    let upper: Set<String>

    /// The lists, keyed by primary language subtag.
    static let languages: [String: Abbreviations] = [
        "en": english, "es": spanish, "de": german, "fr": french, "pt": portuguese, "it": italian, "ru": russian,
    ]

    /// Words that start with an apostrophe which is not an opening quote.
    static let englishElisions: Set<String> = ["bout", "cause", "em", "n", "round", "til", "till", "tis", "twas"]

    static let english = Abbreviations(
        never: words(
            """
            adm capt cf cmdr col cpt dr e.g gen gov hon i.e lt messrs mlle mme mr mrs ms mx pres prof
            rep rev sen sgt supt viz vs
            """),
        number: words(
            """
            approx apr art aug ca ch dec feb fig jan jul jun mar no nos nov oct p pp sec sep sept vol
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
            maybe meanwhile most my next no nobody not now oh on once one our perhaps please she should
            so some soon suddenly that the their then there these they this those three to today
            tomorrow two was we well were what when where which who whose why will with would yes
            yesterday you your
            """),
        upper: words(
            """
            etc
            """))

    static let spanish = Abbreviations(
        never: words(
            """
            admón arq av avda cnel cra dn dr dra dres dña ee excmo gral hnos ilmo ing lic mons mr mrs ms
            p.ej prof profa párrf sr sra sras sres srs srta sta sto tte ud vd
            """),
        number: words(
            """
            abr ago aprox art cap dic dom ene ext feb fig jue jul jun lun mar may mié n.º no nov nro n°
            nº núm oct p pp pág págs sep sept sáb tel vie vol
            """),
        maybe: words(
            """
            a.c a.m d.c ee.uu hs jr mt p.m seg uds uu vds
            """),
        starters: words(
            """
            al antes aquel aquella así ayer con cuando cómo de del después donde dónde el ella ellas
            ello ellos en entonces era es esa ese eso esta este esto fin finalmente fue había hay hoy la
            las los luego mañana mi mis no nosotros nuestro para pero por pronto quién qué si sin su sus
            sí toda todas todo todos tu tus tú un una unas unos y yo él
            """),
        upper: words(
            """
            etc
            """))

    static let german = Abbreviations(
        never: words(
            """
            bzw ca d.h dr fr hr nr prof st u.a z.b
            """),
        number: words(
            """
            abb art bd jan feb apr jun jul aug sep okt nov dez kap nr s tel
            """),
        maybe: words(
            """
            co jr mio mrd std str
            """),
        starters: words(
            """
            aber als am an auch auf bald da dann darum das dein den der die dies diese doch du ein eine
            einer einmal endlich er es heute hier ich ihr im immer in ja jede jeder jetzt man mein mit
            morgen nach nein nicht nun oh sein seine sie sind so und uns unser vielleicht vom von vor
            war warum was wenn wer wie wir wo zu zum zur
            """),
        upper: words(
            """
            usw etc
            """))

    static let french = Abbreviations(
        never: words(
            """
            dr m mlle mm mme p.ex st ste
            """),
        number: words(
            """
            art chap fig janv févr avr juil n no nº oct p pp sept vol
            """),
        maybe: words(
            """
            av bd cie jr
            """),
        starters: words(
            """
            ah alors après au aujourd aussi avec bientôt car ce cela ces cet cette dans de demain des
            donc du elle elles en enfin ensuite est et hier il ils je la le les leur lui ma mais mes mon
            ne nous oh on ont où oui par pour pourquoi puis quand que qui sa ses si soudain son sur tous
            tout très tu un une vous
            """),
        upper: words(
            """
            etc
            """))

    static let portuguese = Abbreviations(
        never: words(
            """
            d dona dr dra prof sr sra
            """),
        number: words(
            """
            art cap fig n n.º nº p pp pág tel vol
            """),
        maybe: words(
            """
            av jr ltda
            """),
        starters: words(
            """
            a agora ah ainda alguém amanhã ao aos aquela aquele as assim até com como de depois do dos e
            ela elas ele eles em enfim então era essa esse esta este eu finalmente foi havia hoje já
            logo mas meu minha muito na nada nas no nos nós não o oh onde ontem os ou para pela pelo por
            porque quando que quem se sem seu sim sua também tinha todos tudo um uma você
            """),
        upper: words(
            """
            etc
            """))

    static let italian = Abbreviations(
        never: words(
            """
            dott dr prof sig sig.ra sigra
            """),
        number: words(
            """
            art cap fig n n.º nº p pag pp tel vol
            """),
        maybe: words(
            """
            co jr s.p.a
            """),
        starters: words(
            """
            a ah al alla allora anche ancora avevano c'era che chi ci come con così da dal del della di
            domani dopo dove e ecco ed era essi fu gli ha ho i ieri il in infine io l la le lei lo loro
            lui ma mi mia mio nel nella noi non o oggi oh ora per perché poi può quando quella quello
            questa questo se sei si sono sua subito suo tu tutti tutto un una uno voi è
            """),
        upper: words(
            """
            ecc
            """))

    static let russian = Abbreviations(
        never: words(
            """
            г им см т.д т.е т.к т.п ул
            """),
        number: words(
            """
            гл илл рис с стр тел
            """),
        maybe: words(
            """
            руб коп
            """),
        starters: words(
            """
            а без был была были в вдруг весь во вот все всё где да для до его ее её если еще ещё же за и
            из или им их к как когда кто мама мне мы на наконец наш не нет но ну о он она они оно от
            папа по под пока после потом почему при про с сегодня скоро сначала со так там тогда тут ты
            у уже что чтобы это этот я
            """),
        upper: words(
            """
            др пр
            """))

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
