internal import CHearthKernels

/// The parts of an operation described by a C structure.
private struct Parts<Descriptor>: ParallelWork {
    let kernels: KernelSet
    let descriptor: Descriptor
    let parts: [hk_part]
    let call: (hk_vision_kernels, UnsafePointer<Descriptor>, UnsafePointer<hk_part>) -> Void

    func run(_ index: Int) {
        withUnsafePointer(to: descriptor) { descriptor in
            withUnsafePointer(to: parts[index]) { part in call(kernels.vision, descriptor, part) }
        }
    }
}

/// A loop body given as a closure.
private struct PartWork: ParallelWork {
    let body: (Int) -> Void
    func run(_ index: Int) { body(index) }
}

extension Compute {
    /// Runs all parts of an operation; `call` computes one part.
    func run<Descriptor>(
        _ descriptor: Descriptor, _ parts: [hk_part],
        call: @escaping (hk_vision_kernels, UnsafePointer<Descriptor>, UnsafePointer<hk_part>) -> Void
    ) {
        run(Parts(kernels: kernels, descriptor: descriptor, parts: parts, call: call), count: parts.count)
    }

    /// Runs a parallel loop whose body is a closure on the caller's stack.
    func eachPart(_ count: Int, _ body: (Int) -> Void) {
        withoutActuallyEscaping(body) { body in run(PartWork(body: body), count: count) }
    }
}

extension KernelSet {
    var vision: hk_vision_kernels { table.pointee.vision.pointee }
}

/// The parts that a planning function writes. It is called twice: without memory it returns only their number.
func plannedParts(_ plan: (_ parts: UnsafeMutablePointer<hk_part>?, _ capacity: Int) -> Int) -> [hk_part] {
    let count = plan(nil, 0)
    return [hk_part](unsafeUninitializedCapacity: count) { parts, initialized in
        initialized = plan(parts.baseAddress, count)
    }
}

/// Splits work that proceeds row by row in each block of channels.
/// - Parameters:
///   - blocks: blocks of channels that are computed separately; nil for those of the image.
///   - rowFloats: values that one output row reads and writes.
func rowParts(_ image: ImageShape, blocks: Int? = nil, rowFloats: Int) -> [hk_part] {
    plannedParts { parts, capacity in
        hk_plan_rows(image.batch, blocks ?? image.blocks, image.height, image.width, rowFloats, parts, capacity)
    }
}
