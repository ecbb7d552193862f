import Foundation
import RoostTestSupport

/// A folder of a test, which is removed with the test.
struct Folder {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  var url: URL { URL(filePath: scratch.path, directoryHint: .isDirectory) }

  func file(_ name: String = "store.roost") -> URL { url.appending(path: name) }
}
