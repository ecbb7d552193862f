import Foundation
import RoostTestSupport
import SwiftData
import Testing

@Model final class Kettle {
  var name: String

  init(_ name: String) { self.name = name }
}

@Suite struct ShellGuideTests {
  /// ToolTests test the output of the shell for its statements.
  @Test func `a program prints the paths of its stores`() throws {
    let folder = try ScratchFolder()
    let url = URL(fileURLWithPath: folder.file("kettles.roost"))
    let container = try ModelContainer(for: Kettle.self, configurations: ModelConfiguration(url: url))
    for configuration in container.configurations {
      print("roost shell '\(configuration.url.path)'")
    }
    #expect(container.configurations.map(\.url.path) == [url.path])
  }
}
