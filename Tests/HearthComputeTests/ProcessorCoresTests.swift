import HearthCompute
import Testing

@Suite("Cores of processors", .timeLimit(.minutes(20))) struct ProcessorCoresTests {
    @Test("Cores are counted once, however many threads they run")
    func cores() {
        func count(_ siblings: [String]) -> Int {
            ProcessorCores.counted(siblings.count) { name in
                siblings.indices.first { name == "system/cpu/cpu\($0)/topology/thread_siblings_list" }.map {
                    siblings[$0]
                }
            }
        }
        #expect(count(["0,2", "1,3", "0,2", "1,3"]) == 2)
        #expect(count(["0", "1"]) == 2)
        #expect(ProcessorCores.counted(3) { _ in nil } == 3)
        #expect(ProcessorCores.physical >= 1 && ProcessorCores.performance >= 1)
        #expect(WorkerPool.defaultThreads <= 16)
    }

    @Test("Slow cores take no part, if the system tells them apart")
    func performance() {
        // A laptop of Intel: six fast cores with two threads each, eight slow ones.
        func hybrid(_ processors: Int, _ list: String) -> Int {
            ProcessorCores.performance(of: processors) { $0 == "cpu_core/cpus" ? list : nil }
        }
        #expect(hybrid(20, "0-11") == 12)
        #expect(hybrid(20, "0,2,4-5") == 4)
        // Fewer are allowed than there are.
        #expect(hybrid(4, "0-11") == 4)
        for wrong in ["", "a", "3-1", "0-", "1-2-3", "-1"] { #expect(hybrid(20, wrong) == 20, "\(wrong)") }
        // A phone: four small cores, three large ones and a very large one.
        func capacities(_ values: [String]) -> Int {
            ProcessorCores.performance(of: values.count) { name in
                values.indices.first { name == "system/cpu/cpu\($0)/cpu_capacity" }.map { values[$0] }
            }
        }
        #expect(capacities(["290", "290", "290", "290", "820", "820", "820", "1024"]) == 4)
        #expect(capacities(["1024", "1024"]) == 2)
        #expect(capacities(["0", "0"]) == 2)
        #expect(capacities(["1024", "many"]) == 2)
        // Nothing is told.
        #expect(ProcessorCores.performance(of: 6) { _ in nil } == 6)
    }
}
