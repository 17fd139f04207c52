/// A binary min-heap.
struct MinHeap<Element: Comparable> {
    private var items: [Element] = []

    var count: Int { items.count }

    mutating func removeAll() { items.removeAll(keepingCapacity: true) }

    /// Adds without ordering; ``heapify()`` must follow before the next ``popMin()``.
    mutating func append(_ item: Element) { items.append(item) }

    /// Restores heap order in linear time.
    mutating func heapify() {
        for index in stride(from: items.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    mutating func push(_ item: Element) {
        items.append(item)
        var index = items.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard items[index] < items[parent] else { break }
            items.swapAt(index, parent)
            index = parent
        }
    }

    mutating func popMin() -> Element? {
        guard let last = items.popLast() else { return nil }
        guard let first = items.first else { return last }
        items[0] = last
        sink(0)
        return first
    }

    private mutating func sink(_ start: Int) {
        let count = items.count
        let item = items[start]
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < count else { break }
            if child + 1 < count, items[child + 1] < items[child] { child += 1 }
            guard items[child] < item else { break }
            items[index] = items[child]
            index = child
        }
        items[index] = item
    }
}
