import Foundation
import RoostImport
import SwiftData
import Testing

@Model final class Plan {
  var title: String

  init(_ title: String) { self.title = title }
}

/// The code of the guide to choosing a library.
@Suite struct ChoosingGuideTests {
  @Test func `a store is written as text`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try ModelContainer(for: Plan.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Plan("leave"))
    try context.save()
    try container.export(FetchDescriptor<Plan>(), to: .file(folder.appending(path: "plans.jsonl")))
    let text = try String(contentsOf: folder.appending(path: "plans.jsonl"), encoding: .utf8)
    #expect(text == "{\"title\": \"leave\"}\n")
  }
}
