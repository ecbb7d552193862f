import Foundation
import SwiftData
import Testing

enum TimeGuide {
  @Model final class Song {
    var title: String

    init(_ title: String) { self.title = title }
  }
}

/// The code of the guide to earlier states.
@Suite struct TimeGuideTests {
  typealias Song = TimeGuide.Song

  @Test func `a context with one state`() throws {
    let container = try ModelContainer(for: Song.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let first = ModelContext(container)
    first.insert(Song("Warszawa"))
    try first.save()
    let then = try container.snapshot()
    let writer = ModelContext(container)
    writer.insert(Song("Heroes"))
    try writer.save()
    let before = try then.fetchCount(FetchDescriptor<Song>())
    let now = try writer.fetchCount(FetchDescriptor<Song>())
    #expect(before == 1 && now == 2)
    do {
      try then.deleteAll(model: Song.self)
    } catch let error as RoostError where error.storeError?.code == .readOnly {
      print("take the models from a context that follows")
    }
    #expect(throws: RoostError.self) { try then.deleteAll(model: Song.self) }
  }

  @Test func `a former state`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appending(path: "songs.roost")
    let configuration = ModelConfiguration(url: url, history: .full, historyRetention: .days(30))
    let container = try ModelContainer(for: Song.self, configurations: configuration)
    let context = ModelContext(container)
    for title in ["Warszawa", "Heroes"] {
      context.insert(Song(title))
      try context.save()
    }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      let yesterday = try container.snapshot(before: Date(timeIntervalSinceNow: -86_400))
      let titles = try yesterday.fetch(FetchDescriptor<Song>()).map(\.title)
      print(titles)
    }
    let now = try container.snapshot(before: Date(timeIntervalSinceNow: 60))
    #expect(try now.fetchCount(FetchDescriptor<Song>()) == 2)
    for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
      let then = try container.snapshot(at: transaction.token)
      print(transaction.timestamp, try then.fetchCount(FetchDescriptor<Song>()))
    }
    let counts = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map { transaction in
      try container.snapshot(at: transaction.token).fetchCount(FetchDescriptor<Song>())
    }
    #expect(counts.suffix(2) == [1, 2])
    try container.close()
  }

  @Test func `deleted models are restored`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let copy = folder.appending(path: "copy.roost")
    let container = try ModelContainer(
      for: Song.self, configurations: ModelConfiguration(url: folder.appending(path: "songs.roost")))
    let context = ModelContext(container)
    context.insert(Song("Warszawa"))
    try context.save()
    try container.backup(to: copy)
    try context.deleteAll(model: Song.self)
    let lost = FetchDescriptor<Song>(predicate: #Predicate { $0.title == "Warszawa" })
    let backup = try ModelContainer(for: Song.self, configurations: ModelConfiguration(url: copy, allowsSave: false))
    let old = ModelContext(backup)
    for song in try old.fetch(lost) { try context.restore(song) }
    try context.save()
    #expect(try context.fetchCount(lost) == 1)
    try backup.close()
    try container.close()
  }
}
