/// Restores the order of items that arrive out of order: the record of a frame that runs comes after those of frames that
/// arrived during its inference. Buffers at most the records of one inference. A plain value.
package struct FrameOrder<Item> {

    package init() {}

    private var next = 0
    private var waiting: [Int: Item] = [:]

    /// Adds an item and returns all items that are next in order.
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
