// swift-format-ignore-file
// OSLog: re-exports os, as Apple's does; OSLogStore. Declarations only: nothing runs.
// Apple's documentation: "OSLogStore"
@_exported import os
