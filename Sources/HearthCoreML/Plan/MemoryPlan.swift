/// Where tensors are in one block of memory, so that those that are never needed at the same time share it.
///
/// Largest first, each at the lowest free offset (Pisarchyk and Lee, "Efficient Memory Management for
/// Deep Neural Net Inference", 2020: greedy by size): within a few percent of the lower bound on networks of chains and
/// shortcuts.
package struct MemoryPlan {
    /// What has to be placed.
    package struct Item: Equatable {
        /// Floats.
        package var size: Int
        /// The steps during which its content is needed, from the one that writes it to the last one that reads it.
        package var life: ClosedRange<Int>

        package init(size: Int, life: ClosedRange<Int>) {
            self.size = size
            self.life = life
        }
    }

    /// Places begin on borders of this many floats: a line of the cache, the widest register.
    package static let alignment = 16

    /// First float of each item.
    package let offsets: [Int]
    /// Floats in all.
    package let total: Int
    /// Most floats that are needed during one step.
    package let lowerBound: Int

    package init(_ items: [Item]) {
        var offsets = [Int](repeating: 0, count: items.count)
        var placed: [Int] = []
        let order = items.indices.sorted {
            (items[$1].size, items[$0].life.lowerBound, $0) < (items[$0].size, items[$1].life.lowerBound, $1)
        }
        var total = 0
        for item in order where items[item].size > 0 {
            // Those in the way, by place; the first gap that is wide enough is taken.
            let others = placed.filter { items[$0].life.overlaps(items[item].life) }
                .sorted { offsets[$0] < offsets[$1] }
            var place = 0
            for other in others {
                if offsets[other] >= place + items[item].size { break }
                place = max(place, Self.aligned(offsets[other] + items[other].size))
            }
            offsets[item] = place
            placed.append(item)
            total = max(total, place + items[item].size)
        }
        self.offsets = offsets
        self.total = Self.aligned(total)
        lowerBound = Self.mostAtOnce(items)
    }

    package static func aligned(_ count: Int) -> Int { (count + alignment - 1) / alignment * alignment }

    private static func mostAtOnce(_ items: [Item]) -> Int {
        var changes: [Int: Int] = [:]
        for item in items where item.size > 0 {
            changes[item.life.lowerBound, default: 0] += aligned(item.size)
            changes[item.life.upperBound + 1, default: 0] -= aligned(item.size)
        }
        var most = 0
        var now = 0
        for step in changes.keys.sorted() {
            now += changes[step] ?? 0
            most = max(most, now)
        }
        return most
    }
}
