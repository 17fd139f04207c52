#if canImport(SwiftUI)
public import HearthStory
public import SwiftUI

/// A grid of wish cards. A child picks one, and types nothing.
///
///     WishGrid(in: .english) { wish in self.wish = wish }
///
/// Cards grow with Dynamic Type; each row has as many as fit.
public struct WishGrid: View {
    private let wishes: [Wish]
    private let language: StoryLanguage
    private let choose: @MainActor (Wish) -> Void
    @ScaledMetric private var width = 132.0

    /// Creates a grid.
    /// - Parameters:
    ///   - wishes: the wishes to choose from.
    ///   - language: the language of the titles.
    ///   - choose: called with the wish whose card was tapped.
    public init(
        _ wishes: [Wish] = Wishes.all, in language: StoryLanguage, choose: @escaping @MainActor (Wish) -> Void
    ) {
        (self.wishes, self.language, self.choose) = (wishes, language, choose)
    }

    /// An adaptive grid with as many columns as fit.
    public var body: some View {
        LazyVGrid(columns: [GridItem(.adaptive(minimum: CGFloat(width)), spacing: 12)], spacing: 12) {
            ForEach(wishes) { wish in
                let card = WishCard(wish, in: language)
                Button {
                    choose(wish)
                } label: {
                    VStack(spacing: 8) {
                        Text(verbatim: card.emoji).font(.largeTitle).accessibilityHidden(true)
                        Text(verbatim: card.title).font(.headline).multilineTextAlignment(.center)
                    }
                    .frame(maxWidth: .infinity, maxHeight: .infinity)
                    .padding()
                    .background(.thinMaterial, in: RoundedRectangle(cornerRadius: 16))
                }
                .buttonStyle(.plain)
                .accessibilityLabel(card.title)
                .accessibilityHint(card.hint)
            }
        }
    }
}
#endif
