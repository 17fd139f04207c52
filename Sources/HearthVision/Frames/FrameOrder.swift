/// Puts what becomes known out of order into its order: a frame that runs is known only when its result is there, and frames
/// that came meanwhile before that. What is held back is at most what one inference takes. A value.
package struct FrameOrder<Item> {

    package init() {}

    private var next = 0
    private var waiting: [Int: Item] = [:]

    /// Takes an item and gives all that may follow the ones before.
    package mutating func take(_ item: Item, number: Int) -> [Item] {
        waiting[number] = item
        var ready: [Item] = []
        while let item = waiting.removeValue(forKey: next) {
            ready.append(item)
            next += 1
        }
        return ready
    }
}
