import Foundation
import SwiftData
import Testing

@Model final class Note {
  var text: String

  init(_ text: String) { self.text = text }
}

@Suite struct FileFormatsGuideTests {
  @Test func `opening a file that is not a store throws, and does not change it`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString).roost")
    defer { try? FileManager.default.removeItem(at: file) }
    let content = Data("this is a text".utf8) + Data(count: 20_000)
    try content.write(to: file)
    let configuration = ModelConfiguration(url: file)
    var lines: [String] = []
    func print(_ line: String) { lines.append(line) }
    do {
      _ = try ModelContainer(for: Note.self, configurations: configuration)
    } catch let error as RoostError where error.code == .store {
      print("this store cannot be opened: \(error)")
    }
    #expect(lines.count == 1 && lines[0].contains("notAStore"))
    #expect(try Data(contentsOf: file) == content)
  }
}
