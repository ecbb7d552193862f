import Foundation
import SwiftData
import Testing

@Model final class Receipt {
  var number: Int

  init(_ number: Int) { self.number = number }
}

@Suite struct BackupGuideTests {
  /// A folder, and a container in it with one receipt.
  private func begin() throws -> (folder: URL, container: ModelContainer) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    let container = try ModelContainer(
      for: Receipt.self, configurations: ModelConfiguration(url: folder.appending(path: "store.roost")))
    let context = ModelContext(container)
    context.insert(Receipt(7))
    try context.save()
    return (folder, container)
  }

  private func numbers(_ file: URL) throws -> [Int] {
    let container = try ModelContainer(for: Receipt.self, configurations: ModelConfiguration(url: file))
    return try ModelContext(container).fetch(FetchDescriptor<Receipt>()).map(\.number)
  }

  @Test func `a store is copied, verified, compacted and salvaged`() throws {
    let (folder, container) = try begin()
    defer { try? FileManager.default.removeItem(at: folder) }

    try container.backup(to: folder.appending(path: "copy.roost"), replacing: true)

    #expect(try numbers(folder.appending(path: "copy.roost")) == [7])

    let found = try container.verify { progress in
      print("\(progress.pages) of \(progress.total) pages")
    }
    for finding in found.findings { print(finding) }

    #expect(found.isSound)

    let result = try container.compact()
    print("\(result.pagesBefore - result.pages) pages given back")

    #expect(result.isDone)
    try container.close()
    let damaged = folder.appending(path: "store.roost")
    let rescued = folder.appending(path: "rescued.roost")

    let saved = try ModelContainer.salvage(damaged, to: rescued)
    for loss in saved.losses { print(loss) }

    #expect(try saved.isComplete && numbers(rescued) == [7])
  }

  @Test func `a task copies a store`() async throws {
    let (folder, container) = try begin()
    defer { try? FileManager.default.removeItem(at: folder) }

    try await container.backup(to: folder.appending(path: "copy.roost"), replacing: true) { progress in
      print("\(progress.entries) of \(progress.total)")
    }

    #expect(try numbers(folder.appending(path: "copy.roost")) == [7])
  }
}
