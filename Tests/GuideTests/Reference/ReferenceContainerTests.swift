import Foundation
import RoostImport
import SwiftData
import Testing

/// The examples in the comments of ``ModelContainer`` and ``ModelConfiguration``.
@Suite(.timeLimit(.minutes(30))) struct ReferenceContainerTests {
  typealias Playlist = ReferenceExamples.Playlist
  typealias Song = ReferenceExamples.Song
  private let folder: URL
  private var file: URL { folder.appending(path: "music.roost") }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "roost-reference-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func clean() { try? FileManager.default.removeItem(at: folder) }

  private func filled(_ configuration: ModelConfiguration) throws -> ModelContainer {
    let container = try ModelContainer(for: Playlist.self, configurations: configuration)
    let context = ModelContext(container)
    for (title, year) in [("Heroes", 1977), ("Subterraneans", 1974)] { context.insert(Song(title: title, year: year)) }
    try context.save()
    return container
  }

  private func print(_ words: Any...) {}

  @Test func `a store in memory`() async throws {
    defer { clean() }
    let container = try ModelContainer(
      for: Playlist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    try await container.write { $0.insert(Song(title: "Heroes", year: 1977)) }
    let count = try await MainActor.run { try container.mainContext.fetchCount(FetchDescriptor<Song>()) }
    #expect(count == 1)
    let configuration = ModelConfiguration(url: URL(filePath: "/var/lib/music/music.roost"))
    #expect(configuration.name == "music" && !configuration.isStoredInMemoryOnly)
  }

  @Test func `a store in a file`() throws {
    defer { clean() }
    var configuration = ModelConfiguration(url: file)
    configuration.missingStore = .refuse
    try filled(configuration).close()
    let container = try ModelContainer(for: Playlist.self, configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Song>()) == 2)
    try container.backup(to: folder.appending(path: "music-2026-11-30.roost"), replacing: true)

    let copy = folder.appending(path: "music-2026-11-30.roost")
    try context.delete(model: Song.self)
    try context.save()
    let lost = FetchDescriptor<Song>(predicate: #Predicate { $0.year > 1975 })
    let backup = try ModelContainer(for: Song.self, configurations: ModelConfiguration(url: copy, allowsSave: false))
    let before = ModelContext(backup)
    for song in try before.fetch(lost) { try context.restore(song) }
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Song>()).map(\.title) == ["Heroes"])
  }

  @Test func `a salvage of a damaged store`() throws {
    defer { clean() }
    try filled(ModelConfiguration(url: file)).close()
    let (damaged, rescued) = (file, folder.appending(path: "rescued.roost"))
    let found = try ModelContainer.salvage(damaged, to: rescued)
    for loss in found.losses { print(loss) }
    #expect(found.isComplete && found.entities.contains { $0.name == "Song" && $0.rows == 2 })
  }

  @Test func `a counter`() throws {
    defer { clean() }
    typealias Counter = ReferenceExamples.Counter
    let container = try ModelContainer(
      for: Counter.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    try container.write { $0.insert(Counter()) }
    try container.write { context in
      let counter = try context.fetch(FetchDescriptor<Counter>())[0]
      counter.count += 1
    }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Counter>())[0].count == 1)
  }

  @Test func `import and export`() throws {
    defer { clean() }
    let container = try filled(ModelConfiguration(isStoredInMemoryOnly: true))
    let byTitle = FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)])
    try container.export(byTitle, to: .file(folder.appending(path: "songs.csv")))
    try text(container)
    try models(container)
    try named(container)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Song>()) == 1005)
  }

  private func text(_ container: ModelContainer) throws {
    let report = try container.importer(for: Song.self).run(.file(folder.appending(path: "songs.csv")))
    print(report)
    #expect(report.progress.inserted == 2)
  }

  private func models(_ container: ModelContainer) throws {
    let report = try container.importer(for: Song.self).run(1...1000) { Song(title: "Song \($0)", year: 1977) }
    print(report)
    #expect(report.progress.inserted == 1000)
  }

  private func named(_ container: ModelContainer) throws {
    let report = try container.importer(forEntity: "Song").run(.text("title,year\nHeroes,1977\n", .csv))
    print(report)
    #expect(report.progress.inserted == 1)
  }

  @Test func `history`() async throws {
    defer { clean() }
    let container = try ModelContainer(
      for: Playlist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, history: .full))
    let token = try container.latestHistoryToken
    let observer = try HistoryObserver(observedModels: [Song.self], modelContainer: container)
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      print("songs changed")
    }
    try await container.write { $0.insert(Song(title: "Heroes", year: 1977)) }
    #expect(try consumed(container).map(\.entityName) == ["Song"])

    let transaction = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())[0]
    try await container.write { try $0.delete(model: Song.self) }
    let then = try container.snapshot(at: transaction.token)
    let old = try then.fetch(FetchDescriptor<Song>())
    #expect(old.map(\.title) == ["Heroes"])
    #expect(try await Self.followed(container, after: token) == 1)
  }

  private func consumed(_ container: ModelContainer) throws -> [PersistentIdentifier] {
    var seen: [PersistentIdentifier] = []
    func print(_ identifier: PersistentIdentifier) { seen.append(identifier) }
    try container.historyConsumer(named: "search index").consume { transaction in
      for change in transaction.changes { print(change.changedPersistentIdentifier) }
    }
    return seen
  }

  /// Prints the first transaction, and ends.
  private static func followed(_ container: ModelContainer, after token: DefaultHistoryToken) async throws -> Int {
    try await Task {
      var count = 0
      func print(_ words: Any...) {
        count += 1
        withUnsafeCurrentTask { $0?.cancel() }
      }
      for try await transaction in try container.historyUpdates(after: token) {
        print(transaction.author ?? "", transaction.changeCount)
      }
      return count
    }.value
  }

  @Test func `changes of results and values`() async throws {
    defer { clean() }
    let container = try filled(ModelConfiguration(isStoredInMemoryOnly: true))
    var shown: [String] = []
    func print(_ words: Any...) {
      shown.append(words.map { "\($0)" }.joined(separator: " "))
      if shown.count == 2 { try? container.close() } else { try? add(to: container) }
    }
    for try await change in container.changes(of: FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)])) {
      print(change.results.count, change.difference.insertions)
    }
    #expect(shown == ["2 [0, 1]", "3 [0]"])
  }

  @Test func `changes of a sum`() async throws {
    defer { clean() }
    let container = try filled(ModelConfiguration(isStoredInMemoryOnly: true))
    var shown: [String] = []
    func print(_ text: String) {
      shown.append(text)
      if shown.count == 2 { try? container.close() } else { try? add(to: container) }
    }
    for try await seconds in container.changes(in: [Song.self], { try $0.sum(of: \Song.seconds) }) {
      print("\(seconds) s")
    }
    #expect(shown == ["400 s", "600 s"])
  }

  private func add(to container: ModelContainer) throws {
    try container.write { $0.insert(Song(title: "Fame", year: 1975)) }
  }
}
