// swift-format-ignore-file
// SwiftUI: what a sample app needs: App, Scene, View and its builder, State, Binding, Bindable, Environment, some twenty views and forty modifiers. Declarations only: nothing runs.
// Apple's documentation: "SwiftUI". View is isolated to the main actor, as since iOS 18's SDK. #Preview and other macros are not declared.
@_exported import Combine
@_exported import CoreGraphics
@_exported import Foundation
@_exported import Observation
import UniformTypeIdentifiers

@MainActor @preconcurrency public protocol View { associatedtype Body: View; @ViewBuilder @MainActor @preconcurrency var body: Body { get } }
extension Never: View { public var body: Never { fatalError() } }
extension Optional: View where Wrapped: View { public var body: Never { fatalError() } }
public struct EmptyView: View, Sendable { nonisolated public init() {}; public var body: Never { fatalError() } }
public struct AnyView: View { nonisolated public init<V: View>(_ view: V) {}; public var body: Never { fatalError() } }
public struct TupleView<T>: View { public var value: T; public var body: Never { fatalError() } }
public struct _ConditionalContent<A, B>: View { public var body: Never { fatalError() } }
public struct _Modified<Content>: View { public var body: Never { fatalError() } }
@resultBuilder public struct ViewBuilder {
    public static func buildExpression<C: View>(_ content: C) -> C { content }
    public static func buildBlock() -> EmptyView { fatalError() }
    public static func buildBlock<C: View>(_ content: C) -> C { content }
    public static func buildBlock<each C: View>(_ content: repeat each C) -> TupleView<(repeat each C)> { fatalError() }
    public static func buildIf<C: View>(_ content: C?) -> C? { content }
    public static func buildEither<A: View, B: View>(first: A) -> _ConditionalContent<A, B> { fatalError() }
    public static func buildEither<A: View, B: View>(second: B) -> _ConditionalContent<A, B> { fatalError() }
    public static func buildLimitedAvailability<C: View>(_ content: C) -> AnyView { fatalError() }
}
public protocol DynamicProperty {}
@propertyWrapper public struct State<Value>: DynamicProperty { public init(wrappedValue: Value) { fatalError() }; public init(initialValue: Value) { fatalError() }; public var wrappedValue: Value { get { fatalError() } nonmutating set {} }; public var projectedValue: Binding<Value> { fatalError() } }
extension State: Sendable where Value: Sendable {}
@propertyWrapper @dynamicMemberLookup public struct Binding<Value>: DynamicProperty {
    @preconcurrency public init(get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void) { fatalError() }
    public static func constant(_ value: Value) -> Binding<Value> { fatalError() }
    public var wrappedValue: Value { get { fatalError() } nonmutating set {} }
    public var projectedValue: Binding<Value> { fatalError() }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> { fatalError() }
}
extension Binding: @unchecked Sendable where Value: Sendable {}
@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> { public init(wrappedValue: Value) { fatalError() }; public init(_ wrappedValue: Value) { fatalError() }; public var wrappedValue: Value { get { fatalError() } set {} }; public var projectedValue: Bindable<Value> { fatalError() }
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> where Value: AnyObject { fatalError() } }
@MainActor @propertyWrapper public struct StateObject<O: ObservableObject>: DynamicProperty { nonisolated public init(wrappedValue: @autoclosure @escaping () -> O) { fatalError() }; public var wrappedValue: O { fatalError() } }
@MainActor @propertyWrapper public struct ObservedObject<O: ObservableObject>: DynamicProperty { public init(wrappedValue: O) { fatalError() }; public var wrappedValue: O { get { fatalError() } set {} } }
@propertyWrapper public struct AppStorage<Value>: DynamicProperty { public init(wrappedValue: Value, _ key: String) { fatalError() }; public var wrappedValue: Value { get { fatalError() } nonmutating set {} }; public var projectedValue: Binding<Value> { fatalError() } }
@propertyWrapper public struct FocusState<Value: Hashable>: DynamicProperty { public init() where Value == Bool { fatalError() }; public var wrappedValue: Value { get { fatalError() } nonmutating set {} }; public var projectedValue: Binding<Value> { fatalError() } }
public enum ScenePhase: Comparable, Sendable { case background, inactive, active }
public enum ColorScheme: Sendable { case light, dark }
public protocol EnvironmentKey { associatedtype Value; static var defaultValue: Value { get } }
public struct DismissAction { @MainActor public func callAsFunction() {} }
public struct OpenURLAction { @MainActor public func callAsFunction(_ url: URL) {} }
public struct EnvironmentValues {
    public init() {}
    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value { get { fatalError() } set {} }
    public var scenePhase: ScenePhase { get { fatalError() } set {} }
    public var colorScheme: ColorScheme { get { fatalError() } set {} }
    public var locale: Locale { get { fatalError() } set {} }
    public var dismiss: DismissAction { fatalError() }
    public var openURL: OpenURLAction { fatalError() }
    public var accessibilityReduceMotion: Bool { fatalError() }
    public var accessibilityDifferentiateWithoutColor: Bool { fatalError() }
    public var isEnabled: Bool { get { fatalError() } set {} }
}
@propertyWrapper public struct Environment<Value>: DynamicProperty {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { fatalError() }
    public init(_ objectType: Value.Type) where Value: AnyObject, Value: Observable { fatalError() }
    public var wrappedValue: Value { fatalError() }
}
@MainActor @preconcurrency public protocol Scene { associatedtype Body: Scene; @SceneBuilder @MainActor @preconcurrency var body: Body { get } }
extension Never: Scene {}
@resultBuilder public struct SceneBuilder { public static func buildExpression<C: Scene>(_ c: C) -> C { c }; public static func buildBlock<C: Scene>(_ c: C) -> C { c } }
public struct WindowGroup<Content: View>: Scene { nonisolated public init(@ViewBuilder content: () -> Content) {}; nonisolated public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {}; public var body: Never { fatalError() } }
@MainActor @preconcurrency public protocol App { associatedtype Body: Scene; @SceneBuilder @MainActor @preconcurrency var body: Body { get }; @MainActor @preconcurrency init() }
extension App { @MainActor public static func main() {} }
extension Scene {
    nonisolated public func environment<T: AnyObject & Observable>(_ object: T?) -> some Scene { self }
    nonisolated public func onChange<V: Equatable>(of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void) -> some Scene { self }
}
public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation { public init(_ value: String) {}; public init(stringLiteral value: String) {} }
public struct Font: Hashable, Sendable { public enum Weight: Sendable { case light, regular, medium, semibold, bold }; public enum Design: Sendable { case `default`, serif, rounded, monospaced }
    public static let largeTitle = Font(), title = Font(), title2 = Font(), title3 = Font(), headline = Font(), subheadline = Font(), body = Font(), callout = Font(), footnote = Font(), caption = Font()
    public static func system(size: CGFloat, weight: Weight? = nil, design: Design? = nil) -> Font { fatalError() }; public func bold() -> Font { self }; public func monospacedDigit() -> Font { self } }
public protocol ShapeStyle: Sendable {}
public struct Color: View, ShapeStyle, Hashable { nonisolated public init(_ name: String) {}; nonisolated public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {}; public var body: Never { fatalError() }; nonisolated public func opacity(_ opacity: Double) -> Color { self }
    public static let red = Color(""), orange = Color(""), yellow = Color(""), green = Color(""), blue = Color(""), purple = Color(""), gray = Color(""), black = Color(""), white = Color(""), primary = Color(""), secondary = Color(""), accentColor = Color(""), clear = Color("") }
extension ShapeStyle where Self == Color { public static var red: Color { fatalError() }; public static var green: Color { fatalError() }; public static var blue: Color { fatalError() }; public static var orange: Color { fatalError() }; public static var gray: Color { fatalError() }; public static var white: Color { fatalError() }; public static var black: Color { fatalError() } }
public struct HierarchicalShapeStyle: ShapeStyle {}
extension ShapeStyle where Self == HierarchicalShapeStyle { public static var primary: HierarchicalShapeStyle { fatalError() }; public static var secondary: HierarchicalShapeStyle { fatalError() }; public static var tertiary: HierarchicalShapeStyle { fatalError() } }
public struct Material: ShapeStyle {}
extension ShapeStyle where Self == Material { public static var regularMaterial: Material { fatalError() }; public static var thinMaterial: Material { fatalError() } }
public struct Path: Equatable, Sendable { public init() {}; public mutating func addLines(_ lines: [CGPoint]) {}; public mutating func closeSubpath() {} }
public protocol Animatable { associatedtype AnimatableData; var animatableData: AnimatableData { get set } }
public struct EmptyAnimatableData: Sendable {}
extension Animatable where AnimatableData == EmptyAnimatableData { public var animatableData: EmptyAnimatableData { get { fatalError() } set {} } }
public protocol Shape: Animatable, View, Sendable { nonisolated func path(in rect: CGRect) -> Path }
extension Shape { public var body: Never { fatalError() } }
public struct Rectangle: Shape { nonisolated public init() {}; nonisolated public func path(in rect: CGRect) -> Path { fatalError() }; public var body: Never { fatalError() } }
public struct Circle: Shape { nonisolated public init() {}; nonisolated public func path(in rect: CGRect) -> Path { fatalError() }; public var body: Never { fatalError() } }
public struct Capsule: Shape { nonisolated public init() {}; nonisolated public func path(in rect: CGRect) -> Path { fatalError() }; public var body: Never { fatalError() } }
public struct RoundedRectangle: Shape { nonisolated public init(cornerRadius: CGFloat) {}; nonisolated public func path(in rect: CGRect) -> Path { fatalError() }; public var body: Never { fatalError() } }
extension Shape { nonisolated public func fill<S: ShapeStyle>(_ content: S) -> some View { self }; nonisolated public func stroke<S: ShapeStyle>(_ content: S, lineWidth: CGFloat = 1) -> some View { self } }
public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum VerticalAlignment: Sendable { case top, center, bottom, firstTextBaseline, lastTextBaseline }
public struct Alignment: Equatable, Sendable { public static let center = Alignment(), leading = Alignment(), trailing = Alignment(), top = Alignment(), bottom = Alignment(), topLeading = Alignment(), topTrailing = Alignment(), bottomLeading = Alignment(), bottomTrailing = Alignment() }
public enum TextAlignment: Sendable { case leading, center, trailing }
public enum Axis: Sendable { case horizontal, vertical; public struct Set: OptionSet, Sendable { public let rawValue: Int8; public init(rawValue: Int8) { self.rawValue = rawValue }; public static let horizontal = Set(rawValue: 1), vertical = Set(rawValue: 2) } }
public struct Edge: Sendable { public struct Set: OptionSet, Sendable { public let rawValue: Int8; public init(rawValue: Int8) { self.rawValue = rawValue }; public static let top = Set(rawValue: 1), leading = Set(rawValue: 2), bottom = Set(rawValue: 4), trailing = Set(rawValue: 8), all: Set = [.top, .leading, .bottom, .trailing], horizontal: Set = [.leading, .trailing], vertical: Set = [.top, .bottom] } }
public enum ContentMode: Sendable { case fit, fill }
public struct Text: View, Equatable, Sendable { nonisolated public init(_ key: LocalizedStringKey) {}; nonisolated public init(verbatim: String) {}; @_disfavoredOverload nonisolated public init(_ attributed: AttributedString) {}; @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ content: S) {}; nonisolated public func bold() -> Text { self }; nonisolated public func italic() -> Text { self }; nonisolated public func monospacedDigit() -> Text { self }; public var body: Never { fatalError() } }
public struct Image: View, Sendable { nonisolated public init(_ name: String) {}; nonisolated public init(systemName: String) {}; nonisolated public init(_ cgImage: CGImage, scale: CGFloat, label: Text) {}; nonisolated public init(decorative cgImage: CGImage, scale: CGFloat) {}; nonisolated public func resizable() -> Image { self }; public var body: Never { fatalError() } }
public struct Label<Title: View, Icon: View>: View { nonisolated public init(_ key: LocalizedStringKey, systemImage: String) where Title == Text, Icon == Image {}; public var body: Never { fatalError() } }
public struct VStack<C: View>: View { nonisolated public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> C) {}; public var body: Never { fatalError() } }
public struct HStack<C: View>: View { nonisolated public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> C) {}; public var body: Never { fatalError() } }
public struct ZStack<C: View>: View { nonisolated public init(alignment: Alignment = .center, @ViewBuilder content: () -> C) {}; public var body: Never { fatalError() } }
public struct GridItem: Sendable { public enum Size: Sendable { case fixed(CGFloat), flexible(minimum: CGFloat = 10, maximum: CGFloat = .infinity), adaptive(minimum: CGFloat, maximum: CGFloat = .infinity) }; public init(_ size: Size = .flexible(), spacing: CGFloat? = nil, alignment: Alignment? = nil) {} }
public struct LazyVGrid<C: View>: View { nonisolated public init(columns: [GridItem], alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> C) {}; public var body: Never { fatalError() } }
public struct UnitPoint: Hashable, Sendable { public static let center = UnitPoint(), top = UnitPoint(), bottom = UnitPoint() }
public struct ScrollViewProxy { @MainActor public func scrollTo<ID: Hashable>(_ id: ID, anchor: UnitPoint? = nil) {} }
public struct ScrollViewReader<C: View>: View { nonisolated public init(@ViewBuilder content: @escaping (ScrollViewProxy) -> C) {}; public var body: Never { fatalError() } }
@propertyWrapper public struct ScaledMetric<Value: BinaryFloatingPoint>: DynamicProperty { nonisolated public init(wrappedValue: Value) { fatalError() }; public var wrappedValue: Value { fatalError() } }
public struct LazyVStack<C: View>: View { nonisolated public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> C) {}; public var body: Never { fatalError() } }
public struct Group<C: View>: View { nonisolated public init(@ViewBuilder content: () -> C) {}; public var body: Never { fatalError() } }
public struct ScrollView<C: View>: View { nonisolated public init(_ axes: Axis.Set = .vertical, showsIndicators: Bool = true, @ViewBuilder content: () -> C) {}; public var body: Never { fatalError() } }
public struct NavigationStack<C: View>: View { public init(@ViewBuilder root: () -> C) {}; public var body: Never { fatalError() } }
public struct NavigationLink<L: View, D: View>: View { public init(_ key: LocalizedStringKey, @ViewBuilder destination: () -> D) where L == Text {}; public init(@ViewBuilder destination: () -> D, @ViewBuilder label: () -> L) {}; public var body: Never { fatalError() } }
public struct Form<C: View>: View { nonisolated public init(@ViewBuilder content: () -> C) {}; public var body: Never { fatalError() } }
public struct Section<P: View, C: View, F: View>: View {
    nonisolated public init(@ViewBuilder content: () -> C) where P == EmptyView, F == EmptyView {}
    nonisolated public init(_ key: LocalizedStringKey, @ViewBuilder content: () -> C) where P == Text, F == EmptyView {}
    nonisolated public init(@ViewBuilder content: () -> C, @ViewBuilder header: () -> P) where F == EmptyView {}
    public var body: Never { fatalError() }
}
public struct List<C: View>: View { public init(@ViewBuilder content: () -> C) {}; public init<D: RandomAccessCollection, R: View>(_ data: D, @ViewBuilder rowContent: @escaping (D.Element) -> R) where D.Element: Identifiable, C == ForEach<D, D.Element.ID, R> {}; public var body: Never { fatalError() } }
public struct ForEach<D: RandomAccessCollection, ID: Hashable, C: View>: View {
    nonisolated public init(_ data: D, @ViewBuilder content: @escaping (D.Element) -> C) where D.Element: Identifiable, ID == D.Element.ID {}
    nonisolated public init(_ data: D, id: KeyPath<D.Element, ID>, @ViewBuilder content: @escaping (D.Element) -> C) {}
    public var body: Never { fatalError() }
}
public struct ButtonRole: Equatable, Sendable { public static let destructive = ButtonRole(), cancel = ButtonRole() }
public struct Button<L: View>: View {
    @preconcurrency nonisolated public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> L) {}
    @preconcurrency nonisolated public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> L) {}
    @preconcurrency nonisolated public init(_ key: LocalizedStringKey, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) where L == Text {}
    @preconcurrency nonisolated public init(_ key: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void) where L == Label<Text, Image> {}
    public var body: Never { fatalError() }
}
public struct Toggle<L: View>: View { nonisolated public init(_ key: LocalizedStringKey, isOn: Binding<Bool>) where L == Text {}; public var body: Never { fatalError() } }
public struct Slider: View { public init<V: BinaryFloatingPoint>(value: Binding<V>, in bounds: ClosedRange<V> = 0...1) {}; public init<V: BinaryFloatingPoint>(value: Binding<V>, in bounds: ClosedRange<V>, step: V) {}; public var body: Never { fatalError() } }
public struct Stepper<L: View>: View { nonisolated public init<V: Strideable>(_ key: LocalizedStringKey, value: Binding<V>, in bounds: ClosedRange<V>) where L == Text {}; public var body: Never { fatalError() } }
public struct Picker<L: View, S: Hashable, C: View>: View { nonisolated public init(_ key: LocalizedStringKey, selection: Binding<S>, @ViewBuilder content: () -> C) where L == Text {}; public var body: Never { fatalError() } }
public struct TextField<L: View>: View { nonisolated public init(_ key: LocalizedStringKey, text: Binding<String>) where L == Text {}; nonisolated public init(_ key: LocalizedStringKey, text: Binding<String>, axis: Axis) where L == Text {}; public var body: Never { fatalError() } }
public struct TextEditor: View { public init(text: Binding<String>) {}; public var body: Never { fatalError() } }
public struct ProgressView<L: View>: View { nonisolated public init() where L == EmptyView {}; nonisolated public init(_ key: LocalizedStringKey) where L == Text {}; nonisolated public init<V: BinaryFloatingPoint>(value: V?, total: V = 1) where L == EmptyView {}; nonisolated public init<V: BinaryFloatingPoint>(_ key: LocalizedStringKey, value: V?, total: V = 1) where L == Text {}; public var body: Never { fatalError() } }
public struct Gauge<L: View>: View { public init<V: BinaryFloatingPoint>(value: V, in bounds: ClosedRange<V> = 0...1, @ViewBuilder label: () -> L) {}; public var body: Never { fatalError() } }
public struct LabeledContent<L: View, C: View>: View { nonisolated public init(_ key: LocalizedStringKey, value: String) where L == Text, C == Text {}; nonisolated public init(_ key: LocalizedStringKey, @ViewBuilder content: () -> C) where L == Text {}; public var body: Never { fatalError() } }
public struct ContentUnavailableView<L: View>: View { public init(_ key: LocalizedStringKey, systemImage: String, description: Text? = nil) where L == Text {}; public var body: Never { fatalError() } }
public struct Spacer: View { nonisolated public init(minLength: CGFloat? = nil) {}; public var body: Never { fatalError() } }
public struct Divider: View { nonisolated public init() {}; public var body: Never { fatalError() } }
public struct ToolbarItemPlacement: Sendable { public static let automatic = ToolbarItemPlacement(), primaryAction = ToolbarItemPlacement(), cancellationAction = ToolbarItemPlacement(), confirmationAction = ToolbarItemPlacement(), bottomBar = ToolbarItemPlacement() }
public struct ToolbarItem<C: View>: View { nonisolated public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> C) {}; public var body: Never { fatalError() } }
public struct AccessibilityTraits: OptionSet, Sendable { public let rawValue: UInt64; public init(rawValue: UInt64) { self.rawValue = rawValue }; public static let isButton = AccessibilityTraits(rawValue: 1), isHeader = AccessibilityTraits(rawValue: 2), updatesFrequently = AccessibilityTraits(rawValue: 4) }
public struct Animation: Equatable, Sendable { public static let `default` = Animation(), easeInOut = Animation(), linear = Animation() }
@MainActor public func withAnimation<R>(_ animation: Animation? = .default, _ body: () throws -> R) rethrows -> R { try body() }
public protocol PrimitiveButtonStyle {}
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {}
public struct BorderedButtonStyle: PrimitiveButtonStyle {}
public struct PlainButtonStyle: PrimitiveButtonStyle {}
extension PrimitiveButtonStyle where Self == PlainButtonStyle { public static var plain: PlainButtonStyle { fatalError() } }
public struct AccessibilityChildBehavior: Hashable, Sendable { public static let ignore = AccessibilityChildBehavior(), contain = AccessibilityChildBehavior(), combine = AccessibilityChildBehavior() }
@MainActor @preconcurrency public protocol ViewModifier { associatedtype Body: View; typealias Content = _ViewModifier_Content<Self>; @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body }
public struct _ViewModifier_Content<Modifier: ViewModifier>: View { public var body: Never { fatalError() } }
extension Text { public struct LineStyle: Hashable, Sendable { public static let single = LineStyle() } }
public enum ColorAttribute: AttributedStringKey { public typealias Value = Color; public static let name = "SwiftUI.BackgroundColor" }
public enum UnderlineAttribute: AttributedStringKey { public typealias Value = Text.LineStyle; public static let name = "SwiftUI.Underline" }
extension AttributeScopes { public struct SwiftUIAttributes: AttributeScope { public let backgroundColor: ColorAttribute; public let underlineStyle: UnderlineAttribute }; public var swiftUI: SwiftUIAttributes.Type { SwiftUIAttributes.self } }
extension AttributeDynamicLookup { public subscript<T: AttributedStringKey>(dynamicMember keyPath: KeyPath<AttributeScopes.SwiftUIAttributes, T>) -> T { fatalError() } }
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle { public static var borderedProminent: BorderedProminentButtonStyle { fatalError() } }
extension PrimitiveButtonStyle where Self == BorderedButtonStyle { public static var bordered: BorderedButtonStyle { fatalError() } }
public protocol PickerStyle {}
public struct SegmentedPickerStyle: PickerStyle {}
extension PickerStyle where Self == SegmentedPickerStyle { public static var segmented: SegmentedPickerStyle { fatalError() } }
extension View {
    nonisolated public func task(priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @isolated(any) @Sendable () async -> Void) -> some View { self }
    nonisolated public func task<T: Equatable>(id: T, priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @isolated(any) @Sendable () async -> Void) -> some View { self }
    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
    nonisolated public func onChange<V: Equatable>(of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void) -> some View { self }
    nonisolated public func onChange<V: Equatable>(of value: V, initial: Bool = false, _ action: @escaping () -> Void) -> some View { self }
    nonisolated public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    nonisolated public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View { self }
    nonisolated public func environment<T: AnyObject & Observable>(_ object: T?) -> some View { self }
    nonisolated public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View { self }
    nonisolated public func sheet<C: View>(isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> C) -> some View { self }
    nonisolated public func alert<A: View>(_ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A) -> some View { self }
    nonisolated public func alert<A: View, M: View>(_ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M) -> some View { self }
    nonisolated public func fileImporter(isPresented: Binding<Bool>, allowedContentTypes: [UTType], onCompletion: @escaping (Result<URL, any Error>) -> Void) -> some View { self }
    nonisolated public func toolbar<C: View>(@ViewBuilder content: () -> C) -> some View { self }
    nonisolated public func navigationTitle(_ key: LocalizedStringKey) -> some View { self }
    @_disfavoredOverload nonisolated public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { self }
    nonisolated public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    nonisolated public func padding(_ length: CGFloat) -> some View { self }
    nonisolated public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View { self }
    nonisolated public func frame(minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil, idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center) -> some View { self }
    nonisolated public func background<S: ShapeStyle>(_ style: S) -> some View { self }
    nonisolated public func background<S: ShapeStyle, T: Shape>(_ style: S, in shape: T) -> some View { self }
    nonisolated public func overlay<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View { self }
    nonisolated public func clipShape<S: Shape>(_ shape: S) -> some View { self }
    nonisolated public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { self }
    nonisolated public func tint<S: ShapeStyle>(_ tint: S?) -> some View { self }
    nonisolated public func font(_ font: Font?) -> some View { self }
    nonisolated public func opacity(_ opacity: Double) -> some View { self }
    nonisolated public func disabled(_ disabled: Bool) -> some View { self }
    nonisolated public func lineLimit(_ number: Int?) -> some View { self }
    nonisolated public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
    nonisolated public func focused(_ condition: Binding<Bool>) -> some View { self }
    nonisolated public func tag<V: Hashable>(_ tag: V) -> some View { self }
    nonisolated public func scaledToFit() -> some View { self }
    nonisolated public func scaledToFill() -> some View { self }
    nonisolated public func aspectRatio(_ ratio: CGFloat? = nil, contentMode: ContentMode) -> some View { self }
    nonisolated public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { self }
    nonisolated public func pickerStyle<S: PickerStyle>(_ style: S) -> some View { self }
    nonisolated public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View { self }
    nonisolated public func modifier<M: ViewModifier>(_ modifier: M) -> some View { self }
    nonisolated public func id<ID: Hashable>(_ id: ID) -> some View { self }
    nonisolated public func navigationTitle(_ title: Text) -> some View { self }
    nonisolated public func navigationDestination<D: Hashable, C: View>(item: Binding<D?>, @ViewBuilder destination: @escaping (D) -> C) -> some View { self }
    nonisolated public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View { self }
    @_disfavoredOverload nonisolated public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View { self }
    @_disfavoredOverload nonisolated public func accessibilityValue<S: StringProtocol>(_ value: S) -> some View { self }
    @_disfavoredOverload nonisolated public func accessibilityHint<S: StringProtocol>(_ hint: S) -> some View { self }
    nonisolated public func accessibilityLabel(_ key: LocalizedStringKey) -> some View { self }
    nonisolated public func accessibilityValue(_ key: LocalizedStringKey) -> some View { self }
    nonisolated public func accessibilityHint(_ key: LocalizedStringKey) -> some View { self }
    nonisolated public func accessibilityIdentifier(_ identifier: String) -> some View { self }
    nonisolated public func accessibilityHidden(_ hidden: Bool) -> some View { self }
    nonisolated public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
}
