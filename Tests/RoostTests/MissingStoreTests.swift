import Foundation
import SwiftData
import Testing

/// Programs that remove or replace their store's file.
@Suite struct MissingStoreTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func container(_ missing: ModelConfiguration.MissingStore = .begin) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: folder.file())
    configuration.missingStore = missing
    return try ModelContainer(for: Artist.self, configurations: configuration)
  }

  private func save(_ name: String, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(Artist(name))
    try context.save()
  }

  private func names(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Artist>()).map(\.name).sorted()
  }

  private func lostLogs() throws -> [String] {
    let file = folder.file()
    return try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
      .filter { $0.hasPrefix(file.lastPathComponent + "-log.lost-") }
  }

  /// Regression: eight of thirty public programs remove store files to begin anew. The log stayed,
  /// and no new container could be made; beside a container that was still alive, the new one
  /// showed the old rows.
  @Test func `a container begins anew if its file was removed, and the old one's save throws`() throws {
    let old = try container()
    try save("Ella", old)
    try FileManager.default.removeItem(at: folder.file())
    let refused = #expect(throws: RoostError.self) { try self.container(.refuse) }
    #expect(refused?.storeError?.code == .storeMissing)
    #expect(try lostLogs() == [])
    let new = try container()
    #expect(try names(new) == [])
    #expect(try lostLogs().count == 1)
    try save("Louis", new)
    let error = #expect(throws: RoostError.self) { try self.save("Billie", old) }
    #expect(error?.storeError?.code == .fileReplaced)
    #expect(try names(old) == ["Ella"])
    #expect(try names(new) == ["Louis"])
    #expect(try names(container()) == ["Louis"])
  }

  @Test func `a container for reading shows the file that has the name now`() throws {
    func reading() throws -> ModelContainer {
      try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file(), allowsSave: false))
    }
    let old = try container()
    try save("Ella", old)
    let readingOld = try reading()
    #expect(try names(readingOld) == ["Ella"])
    try FileManager.default.removeItem(at: folder.file())
    let new = try container()
    try save("Louis", new)
    #expect(try names(reading()) == ["Louis"])
    withExtendedLifetime(readingOld) {}
  }

  @Test func `a file that was replaced is not overwritten`() throws {
    let old = try container()
    try save("Ella", old)
    let other = folder.file("other.roost")
    do {
      let made = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: other))
      try save("Louis", made)
    }
    #expect(rename(other.path, folder.file().path) == 0)
    let error = #expect(throws: RoostError.self) { try self.save("Billie", old) }
    #expect(error?.storeError?.code == .fileReplaced)
    #expect(try names(container()) == ["Louis"])
    #expect(try lostLogs().count == 1)
  }
}
