import Hearth
import HearthUI
import SwiftUI

/// A bedtime story from a wish: the moon warms, the story streams through the filter, is read aloud with its sentence marked,
/// and survives the background.
@main
struct BedtimeApp: App {
    @State private var bedroom = Bedroom()

    var body: some Scene {
        WindowGroup {
            BedtimeView(bedroom: bedroom).task { bedroom.open() }
        }
    }
}

/// Wishes, and the story that was wished for.
struct BedtimeView: View {
    let bedroom: Bedroom

    var body: some View {
        NavigationStack {
            switch bedroom.contents {
            case .opening: ProgressView()
            case .broken(let problem):
                ContentUnavailableView(
                    "No storyteller", systemImage: "moon.zzz", description: Text(verbatim: problem))
            case .open(let store, let reader): WishesView(bedroom: bedroom, store: store, reader: reader)
            }
        }
    }
}

/// The moon, the settings and the cards.
struct WishesView: View {
    @Bindable var bedroom: Bedroom
    let store: ModelStore<TextEngine>
    let reader: StoryReader
    @State private var wish: Wish.ID?
    @State private var showsPanel = false

    var body: some View {
        ScrollView {
            VStack(spacing: 20) {
                ModelMoon(state: store.state, language: bedroom.language).frame(width: 72, height: 72)
                if let notice = store.notice { Text(verbatim: notice).font(.callout).foregroundStyle(.secondary) }
                if case .failed = store.state { Button("Try again") { store.retry() } }
                SettingsView(bedroom: bedroom)
                WishGrid(in: bedroom.language) { wish = $0.id }
            }
            .padding()
        }
        .navigationTitle("What shall we hear?")
        .toolbar {
            ToolbarItem(placement: .primaryAction) {
                Button("Debug", systemImage: "gauge") { showsPanel = true }
            }
        }
        .navigationDestination(item: $wish) { id in
            if let wish = Wishes.wish(id) {
                StoryScreen(wish: wish, language: bedroom.language, store: store, reader: reader)
            }
        }
        .modelLifecycle(store, log: bedroom.log)
        .modelDebugPanel(isPresented: $showsPanel, store: store, log: bedroom.log)
    }
}

/// How stories are told.
struct SettingsView: View {
    @Bindable var bedroom: Bedroom

    var body: some View {
        VStack(spacing: 8) {
            Picker("Language", selection: $bedroom.language) {
                ForEach(StoryLanguage.allCases, id: \.self) { Text(verbatim: $0.name).tag($0) }
            }
            .pickerStyle(.segmented)
            Toggle("Read aloud", isOn: $bedroom.readsAloud)
            if bedroom.readsAloud {
                Picker("Sleep timer", selection: $bedroom.sleepMinutes) {
                    Text("Off").tag(0)
                    Text("10 minutes").tag(10)
                    Text("20 minutes").tag(20)
                }
                .pickerStyle(.segmented)
            }
        }
    }
}

/// One story. Leaving the screen ends it, and the voice with it.
struct StoryScreen: View {
    let wish: Wish
    let language: StoryLanguage
    let store: ModelStore<TextEngine>
    let reader: StoryReader

    var body: some View {
        VStack {
            if store.state != .ready {
                ModelMoon(state: store.state, language: language).frame(width: 40, height: 40)
            }
            StoryView(reader)
        }
        .task(id: wish.id) {
            // A model in use is kept where an idle one would be released.
            store.activity = .session
            await reader.tell(StoryRequest(.wish(wish), in: language))
            store.activity = .browsing
        }
    }
}
