/// Every sixty-fourth element in a debug build, where a filter or a kernel takes twenty times as long; all of them in the
/// optimised build.
package func fewerInDebug<Element>(_ all: [Element]) -> [Element] {
    guard _isDebugAssertConfiguration() else { return all }
    return stride(from: 0, to: all.count, by: 64).map { all[$0] }
}
