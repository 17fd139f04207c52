#if canImport(SwiftUI)
public import SwiftUI

/// A story that appears sentence by sentence, with the spoken sentence highlighted and kept in view.
///
///     StoryView(reader)
///
/// Text follows Dynamic Type. The highlight is a background color, plus an underline if the system setting Differentiate
/// Without Color is on. If Reduce Motion is on, scrolling is not animated.
public struct StoryView: View {
    private let reader: StoryReader
    @Environment(\.accessibilityReduceMotion) private var reduceMotion
    @Environment(\.accessibilityDifferentiateWithoutColor) private var underlines
    @Environment(\.colorScheme) private var colorScheme

    /// Creates a view.
    /// - Parameter reader: tells the story.
    public init(_ reader: StoryReader) { self.reader = reader }

    private var page: StoryPage { reader.page }
    private var phrases: UIPhrases { UIPhrases(page.language) }

    /// The chapters, then the notice.
    public var body: some View {
        ScrollViewReader { place in
            ScrollView {
                VStack(alignment: .leading, spacing: 16) {
                    ForEach(page.chapters) { chapter in
                        if let title = chapter.title {
                            Text(verbatim: title).font(.title).accessibilityAddTraits(.isHeader)
                        }
                        ForEach(chapter.paragraphs) { paragraph in
                            Text(text(of: paragraph))
                                .font(.title3)
                                .accessibilityValue(paragraph.id == page.heardParagraph ? phrases.isBeingRead : "")
                                .id(paragraph.id)
                        }
                    }
                    if reader.isTelling, page.isEmpty {
                        Text(verbatim: phrases.isThinking).foregroundStyle(.secondary)
                    }
                    if let notice = page.notice {
                        Text(verbatim: notice).font(.callout).foregroundStyle(.secondary)
                    }
                }
                .frame(maxWidth: 640, alignment: .leading)
                .padding()
            }
            .onChange(of: page.heardParagraph) { _, paragraph in
                guard let paragraph else { return }
                if reduceMotion {
                    place.scrollTo(paragraph, anchor: .center)
                } else {
                    withAnimation { place.scrollTo(paragraph, anchor: .center) }
                }
            }
        }
    }

    private func text(of paragraph: StoryPage.Paragraph) -> AttributedString {
        paragraph.runs(heard: page.heard, in: page.language).reduce(into: AttributedString()) { whole, run in
            var part = AttributedString(run.text)
            if run.isHeard {
                part.swiftUI.backgroundColor = Color.yellow.opacity(colorScheme == .dark ? 0.3 : 0.5)
                if underlines { part.swiftUI.underlineStyle = .single }
            }
            whole += part
        }
    }
}
#endif
