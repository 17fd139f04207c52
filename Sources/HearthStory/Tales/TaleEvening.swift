internal import HearthSystem

/// A later evening with the characters of a tale: its hero tells a second tale about the same wish to the first other character
/// of the cast, or to the moon (in Chinese to the stars) if there is none, and both fall asleep. Hero and friend keep their
/// names; the characters of the second tale have different ones.
///
/// The hero is not reused in the second plot: the hero of one tale about a dragon is the dragon, and of another the child who
/// meets it.
package struct TaleEvening {
    private let cast: [String: Tale.Person]
    /// What nobody in the second tale is called.
    private let names: [String]
    private let frame: Tale
    private let seed: UInt64

    /// Creates the frame of later evenings.
    /// - Parameter seed: the seed of the first evening's telling.
    init(_ tale: Tale, child: StoryChild?, seed: UInt64) {
        let people = tale.cast(seed: seed, child: child)
        var friend = tale.friend.flatMap { people[$0.name] }
        names = [people[tale.hero], friend].compactMap { $0.map(Self.properName) }
        if tale.language == .spanish, let title = friend {
            // Tales write the article of a title in their sentences, where it may contract: "del abuelo".
            friend?.name = SpanishNames.withArticle(title.name, isFeminine: title.pronoun == "f")
        }
        cast = ["hero": people[tale.hero], "friend": friend].compactMapValues { $0 }
        frame = Self.frames[tale.language]?[friend == nil ? 1 : 0] ?? Tale(id: "", language: tale.language)
        self.seed = seed
    }

    /// The name without article and lower-case title, so that *la tía Blanca* is not joined by another *Blanca*.
    private static func properName(_ person: Tale.Person) -> String {
        let proper = person.name.drop { !$0.isUppercase }
        return proper.isEmpty ? person.name : String(proper)
    }

    /// Returns the story of that evening.
    func told(_ tale: Tale, evening: Int) -> FinishedStory? {
        let seed = Wishes.scattered(seed &+ UInt64(evening))
        guard frame.paragraphs.count == 2, let frame = frame.told(seed: seed, cast: cast),
            let inner = tale.told(seed: seed, cast: [:], avoiding: names)
        else { return nil }
        let around = frame.text.split(separator: "\n\n")
        let text = ([String(around[0]), inner.text] + around.dropFirst().map(String.init)).joined(separator: "\n\n")
        return FinishedStory(
            id: inner.id, language: tale.language, title: inner.title, wishes: inner.wishes, tags: inner.tags,
            length: tale.language.length(of: text), text: text)
    }

    /// Per language, one frame with a friend and one without; each has a paragraph before the second tale and one after it.
    /// Friends may be animals that do not talk, and articles may precede their names.
    package static let frames: [StoryLanguage: [Tale]] = [
        .english: TaleFile.tales(english, in: .english) ?? [],
        .spanish: TaleFile.tales(spanish, in: .spanish) ?? [],
        .simplifiedChinese: TaleFile.tales(chinese, in: .simplifiedChinese) ?? [],
    ]

    private static let english = """
        # with-a-friend
        ---
        > The next evening {hero} and {friend} were together again.
        | When it was evening again, {hero} looked for {friend}, and {friend} was already there.
        | Another day went by, and in the evening {hero} and {friend} were side by side once more.
        > "I know a story," said {hero}.
        | "Today I have brought a story," said {hero}.
        | "Would you like a story?" asked {hero}.
        > {Friend} came a little closer.
        | {Friend} had been hoping for one.
        | {Friend} kept quite still, so as not to miss the beginning.
        > And {hero} began.
        | So {hero} began to tell it.
        | Then {hero} told it, and it went like this.

        > "That was the whole of it," said {hero}.
        | "And there it ends," said {hero} softly.
        | "And that is my story," said {hero}.
        > Nobody answered, for {friend} had fallen asleep.
        | But {friend} did not hear that anymore, being fast asleep.
        | But {friend} had closed both eyes some time ago.
        > Then {hero} went to sleep too.
        | {hero} listened to the quiet for a while, and then {hero.he} slept as well.
        | It was late enough for {hero} too, and soon it was quiet.

        # alone
        ---
        > The next evening {hero} was not quite tired yet.
        | When it was evening again, {hero} was still a little awake.
        | Another day went by, and in the evening {hero} looked out at the moon.
        > "Then I shall tell the moon a story," said {hero}.
        | "I know a story, Moon," said {hero}. "Are you listening?"
        | "Today I have a story for you, Moon," said {hero}.
        > The moon had time.
        | The moon came a little nearer, or so it looked.
        | The moon kept still, as the moon does.
        > And {hero} began.
        | So {hero} began to tell it.
        | Then {hero} told it, and it went like this.

        > "That was the whole of it," said {hero}.
        | "And there it ends," said {hero} softly.
        | "And that is my story," said {hero}.
        > The moon went behind a cloud to think about it.
        | The moon shone on a little longer, as thanks.
        | The moon had heard every word.
        > Then {hero} went to sleep.
        | By then {hero} was tired enough, and {hero.he} slept.
        | And now {hero} could sleep as well.
        """

    private static let spanish = """
        # con-compania
        ---
        > La noche siguiente, {hero} y {friend} volvieron a encontrarse.
        | Cuando se hizo otra vez de noche, {friend} ya estaba esperando a {hero}.
        | Pasó un día entero, y por la noche allí estaban de nuevo {hero} y {friend}.
        > «Me sé un cuento», dijo {hero}.
        | «Hoy traigo un cuento», dijo {hero}.
        | «¿Te cuento un cuento?», preguntó {hero}.
        > {Friend} se acercó un poquito.
        | {Friend} lo estaba deseando.
        | {Friend} no hizo ni un ruido, para no perderse el principio.
        > Y {hero} empezó así.
        | Entonces {hero} se puso a contarlo.
        | Y {hero} lo contó de esta manera.

        > —Y hasta aquí llega —dijo {hero} bajito.
        | —Y ese era mi cuento —dijo {hero}.
        | —Y ya no hay más —dijo {hero} en voz baja.
        > Nadie respondió: {friend} ya dormía.
        | {Friend} ya no lo oyó, porque se había quedado {friend:dormido/dormida}.
        | Hacía rato que {friend} tenía los ojos cerrados.
        > Luego se durmió también {hero}.
        | {hero} escuchó un rato el silencio y se durmió también.
        | También para {hero} era ya hora de dormir, y pronto no se oyó nada.

        # sin-compania
        ---
        > La noche siguiente, {hero} todavía no tenía mucho sueño.
        | Cuando se hizo otra vez de noche, {hero} seguía {hero:despierto/despierta}.
        | Pasó un día entero, y por la noche {hero} miró la luna.
        > «Pues le contaré un cuento a la luna», dijo {hero}.
        | «Luna, me sé un cuento», dijo {hero}. «¿Me oyes?».
        | «Hoy tengo un cuento para ti, luna», dijo {hero}.
        > La luna tenía tiempo.
        | La luna se acercó un poquito, o eso parecía.
        | La luna se quedó quieta, como suele hacer la luna.
        > Y {hero} empezó así.
        | Entonces {hero} se puso a contarlo.
        | Y {hero} lo contó de esta manera.

        > —Y hasta aquí llega —dijo {hero} bajito.
        | —Y ese era mi cuento —dijo {hero}.
        | —Y ya no hay más —dijo {hero} en voz baja.
        > La luna se metió detrás de una nube, a pensarlo.
        | La luna brilló un ratito más, para dar las gracias.
        | La luna no se había perdido ni una palabra.
        > Luego {hero} se durmió.
        | Entonces a {hero} sí le entró el sueño.
        | Y ya pudo dormirse también {hero}.
        """

    private static let chinese = """
        # with-a-friend
        ---
        > 第二天晚上，{hero}和{friend}又凑到了一块儿。
        | 天又黑了，{friend}早早地等着{hero}。
        | 又过了一天，到了晚上，{hero}和{friend}又挨在一起。
        > “我会讲一个故事。”{hero}说。
        | “今天我带来了一个故事。”{hero}说。
        | “想听故事吗？”{hero}问。
        > {friend}往前凑了凑。
        | {friend}早就盼着了。
        | {friend}一动也不动，怕漏听了开头。
        > {hero}就讲了起来。
        | 于是{hero}从头讲起。
        | {hero}是这样讲的。

        > “讲完了。”{hero}说。
        | “故事到这儿就完了。”{hero}轻轻地说。
        | “这就是我的故事。”{hero}说。
        > 没有人回答，{friend}已经睡着了。
        | {friend}没有听见，原来早就睡着了。
        | 可是{friend}的眼睛早就闭上了。
        > 接着，{hero}也睡着了。
        | {hero}听了听静静的夜，也睡着了。
        | {hero}也该睡了。不一会儿，四周就静悄悄的了。

        # alone
        ---
        > 第二天晚上，{hero}还不太困。
        | 天又黑了，{hero}还醒着。
        | 又过了一天，到了晚上，{hero}望着星星。
        > “那我就给星星讲个故事吧。”{hero}说。
        | “星星，我会讲一个故事。”{hero}说，“你们在听吗？”
        | “星星，今天我给你们讲个故事。”{hero}说。
        > 星星有的是时间。
        | 星星好像靠近了一点儿。
        | 星星静静的，一向都是这样。
        > {hero}就讲了起来。
        | 于是{hero}从头讲起。
        | {hero}是这样讲的。

        > “讲完了。”{hero}说。
        | “故事到这儿就完了。”{hero}轻轻地说。
        | “这就是我的故事。”{hero}说。
        > 星星躲到云后面，慢慢去想了。
        | 星星又多亮了一会儿，算是道谢。
        | 星星一个字也没有漏听。
        > 接着，{hero}睡着了。
        | 这下{hero}困了，就睡着了。
        | 这回{hero}也睡得着了。
        """
}
