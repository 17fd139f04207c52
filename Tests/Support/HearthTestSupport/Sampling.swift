/// Every sixty-fourth element in a debug build and under the thread sanitizer, where a filter or a kernel takes twenty times
/// as long; all of them in the optimised build.
package func fewerWhereSlow<Element>(_ all: [Element]) -> [Element] {
    #if DEBUG || THREAD_SANITIZER
    stride(from: 0, to: all.count, by: 64).map { all[$0] }
    #else
    all
    #endif
}
