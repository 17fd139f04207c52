// swift-format-ignore-file
// Combine: ObservableObject, Published, AnyCancellable by name. Declarations only: nothing runs.
// Apple's documentation: "Combine"
public protocol ObservableObject: AnyObject {}
@propertyWrapper public struct Published<Value> {
    public init(wrappedValue: Value) { fatalError() }
    @available(*, unavailable) public var wrappedValue: Value { get { fatalError() } set {} }
    public static subscript<Enclosing: AnyObject>(_enclosingInstance object: Enclosing, wrapped wrappedKeyPath: ReferenceWritableKeyPath<Enclosing, Value>, storage storageKeyPath: ReferenceWritableKeyPath<Enclosing, Published<Value>>) -> Value { get { fatalError() } set {} }
}
public final class AnyCancellable: Hashable {
    public init(_ cancel: @escaping () -> Void) {}
    public func cancel() {}
    public static func == (a: AnyCancellable, b: AnyCancellable) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) {}
}
