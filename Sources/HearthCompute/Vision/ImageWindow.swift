internal import CHearthKernels

/// The window that a convolution or pooling moves over an image. Padding is in input positions.
package struct ImageWindow: Hashable, Sendable {
    /// Size of the window.
    package var kernelHeight, kernelWidth: Int
    /// Distance between windows in input positions.
    package var strideY, strideX: Int
    /// Distance between the elements of a window in input positions.
    package var dilationY, dilationX: Int
    /// Padding.
    package var top, left, bottom, right: Int

    /// Creates a window; its sizes are checked by `output`.
    package init(
        kernelHeight: Int, kernelWidth: Int, strideY: Int = 1, strideX: Int = 1, dilationY: Int = 1,
        dilationX: Int = 1, top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0
    ) {
        self.kernelHeight = kernelHeight
        self.kernelWidth = kernelWidth
        self.strideY = strideY
        self.strideX = strideX
        self.dilationY = dilationY
        self.dilationX = dilationX
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    /// Creates a square window with the same padding on all sides.
    package init(kernel: Int, stride: Int = 1, dilation: Int = 1, padding: Int = 0) {
        self.init(
            kernelHeight: kernel, kernelWidth: kernel, strideY: stride, strideX: stride, dilationY: dilation,
            dilationX: dilation, top: padding, left: padding, bottom: padding, right: padding)
    }

    /// The output's height and width: floor((size + padding - reach) / stride) + 1.
    /// - Throws: `ComputeError.shapeMismatch` if the window does not fit or a size is out of range.
    package func output(height: Int, width: Int) throws(ComputeError) -> (height: Int, width: Int) {
        try check()
        let reachY = (kernelHeight - 1) * dilationY + 1
        let reachX = (kernelWidth - 1) * dilationX + 1
        guard height + top + bottom >= reachY, width + left + right >= reachX else {
            throw .shapeMismatch(
                what: "padded size of a picture", expected: max(reachY, reachX), found: min(height, width))
        }
        return ((height + top + bottom - reachY) / strideY + 1, (width + left + right - reachX) / strideX + 1)
    }

    func check() throws(ComputeError) {
        for size in [kernelHeight, kernelWidth, strideY, strideX, dilationY, dilationX]
        where size < 1 || size > 1 << 20 {
            throw .shapeMismatch(what: "size of a window", expected: 1, found: size)
        }
        for size in [top, left, bottom, right] where size < 0 || size > 1 << 20 {
            throw .shapeMismatch(what: "padding of a window", expected: 0, found: size)
        }
    }

    var kernel: hk_window {
        hk_window(
            kernel_height: kernelHeight, kernel_width: kernelWidth, stride_y: strideY, stride_x: strideX,
            dilation_y: dilationY, dilation_x: dilationX, top: top, left: left)
    }
}
