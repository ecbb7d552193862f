import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Random work of several contexts on one container.
final class LivePlay {
  let container: ModelContainer
  let contexts: [ModelContext]
  private var random: SplitMix64
  private var next = 0

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    container = try ModelContainer(
      for: LiveSong.self, LiveSingle.self, LiveAlbum.self, LiveTag.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let container = container
    contexts = (0..<4).map { _ in ModelContext(container) }
  }

  func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  private func text() -> String { ["a", "A", "ä", "b", "B2", "b10", "", "c"][below(8)] }

  private func number() -> Int {
    next += 1
    return next
  }

  func makeSong() -> LiveSong {
    let genre = below(4) == 0 ? nil : ["rock", "Rock", "pop", "jazz"][below(4)]
    if below(4) == 0 { return LiveSingle(text(), genre, year: 1950 + below(80), number: number()) }
    return LiveSong(text(), genre, year: 1950 + below(80), number: number())
  }

  private func any<Model: PersistentModel>(_ type: Model.Type, _ context: ModelContext) throws -> Model? {
    let all = try context.fetch(FetchDescriptor<Model>()).sorted { $0.persistentModelID < $1.persistentModelID }
    return all.isEmpty ? nil : all[below(all.count)]
  }

  /// Makes a random unsaved change.
  func change(_ context: ModelContext) throws {
    let song = try any(LiveSong.self, context)
    switch below(14) {
    case 0, 1, 2: context.insert(makeSong())
    case 3: context.insert(LiveAlbum(text(), number: number()))
    case 4: song?.year = 1950 + below(80)
    case 5: song?.title = text()
    case 6: song?.genre = below(3) == 0 ? nil : ["rock", "pop", "Jazz"][below(3)]
    case 7: song?.album = below(3) == 0 ? nil : try any(LiveAlbum.self, context)
    case 8: try any(LiveAlbum.self, context)?.name = text()
    case 9: if let song { context.delete(song) }
    case 10: if below(4) == 0, let album = try any(LiveAlbum.self, context) { context.delete(album) }
    case 11:
      let tag = try any(LiveTag.self, context)
      if let song, let tag, !tag.songs.contains(song) { tag.songs.append(song) } else { song?.tags.removeAll() }
    case 12: if below(3) == 0 { context.insert(LiveTag(text())) }
    default: if let album = try any(LiveAlbum.self, context), let song { album.songs.append(song) }
    }
  }

  /// Makes a random commit.
  func commit(_ context: ModelContext) throws {
    // A bulk write refuses a context with unsaved changes of the same models.
    switch context.hasChanges ? 30 : below(30) {
    case 0: try context.deleteAll(model: LiveSong.self, where: #Predicate { $0.year > 2020 })
    case 1: try context.insert(batch: (0..<below(30)).map { _ in makeSong() })
    case 2:
      try context.update(model: LiveSong.self, where: #Predicate { $0.year < 1960 }) { $0.title = "z" }
    case 3: if below(10) == 0 { try container.erase() }
    case 4: context.rollback()
    default: break
    }
    for _ in 0...below(5) { try change(context) }
    do { try context.save() } catch { context.rollback() }
  }
}

/// A sequence of changes that the play follows.
protocol FollowedChanges {
  /// Takes the pending changes, if the results should have changed, and compares.
  mutating func check() async throws
}

struct Followed<Model: PersistentModel>: FollowedChanges {
  let container: ModelContainer
  let descriptor: FetchDescriptor<Model>
  /// The order of the results, for the comparison; nil compares only their number.
  let fetched: FetchDescriptor<Model>?
  let titled: ((ModelSnapshot<Model>) -> String)?
  var iterator: ResultsChanges<ModelSnapshot<Model>>.AsyncIterator
  var copy: [ModelSnapshot<Model>] = []

  init(
    _ container: ModelContainer, _ descriptor: FetchDescriptor<Model>, fetched: FetchDescriptor<Model>? = nil,
    isSorted: Bool = true
  ) {
    (self.container, self.descriptor, titled) = (container, descriptor, nil)
    self.fetched = isSorted ? fetched ?? descriptor : nil
    iterator = container.changes(of: descriptor).makeAsyncIterator()
  }

  init(
    _ container: ModelContainer, _ descriptor: FetchDescriptor<Model>, fetched: FetchDescriptor<Model>,
    sectionBy: KeyPath<Model, String?>
  ) {
    (self.container, self.descriptor, self.fetched) = (container, descriptor, fetched)
    titled = { $0[sectionBy] ?? "" }
    iterator = container.changes(of: descriptor, sectionBy: sectionBy).makeAsyncIterator()
  }

  mutating func check() async throws {
    func sorted(_ all: [ModelSnapshot<Model>]) -> [ModelSnapshot<Model>] {
      fetched == nil ? all.sorted { $0.persistentModelID < $1.persistentModelID } : all
    }
    let expected = sorted(try container.fetchSnapshots(fetched ?? descriptor))
    if expected == sorted(copy) { return }
    let next = try await iterator.next()
    let change = try #require(next)
    #expect(Array(change.formerResults) == copy)
    let (before, results) = (copy.count, change.results)
    change.difference.apply(to: &copy) { results[$0] }
    #expect(copy == Array(results), "\(change.difference) of \(before)")
    #expect(sorted(copy) == expected)
    guard let titled else { return }
    let sections = try #require(results.sections)
    #expect(sections.flatMap { $0 } == copy)
    #expect(Set(sections.sectionTitles).count == sections.count)
    for section in sections { #expect(section.allSatisfy { titled($0) == section.title }) }
    for position in results.indices {
      let path = results.indexPath(position)
      #expect(sections[path[0]][path[1]] == results[position])
    }
    var titles = change.formerResults.sections?.sectionTitles ?? []
    for number in change.difference.sectionDeletions.reversed() { titles.remove(at: number) }
    for number in change.difference.sectionInsertions { titles.insert(sections.sectionTitles[number], at: number) }
    #expect(titles == sections.sectionTitles)
  }
}

extension LivePlay {
  func followed() -> [any FollowedChanges] {
    func limited<Model>(_ descriptor: FetchDescriptor<Model>, _ limit: Int, _ offset: Int) -> FetchDescriptor<Model> {
      var descriptor = descriptor
      (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
      return descriptor
    }
    let byNumber = SortDescriptor(\LiveSong.number)
    let byYear = FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.year), SortDescriptor(\.title, order: .reverse)])
    let genre = FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.year), byNumber])
    let byGenre = FetchDescriptor<LiveSong>(
      sortBy: [
        SortDescriptor(\.genre, comparator: .localizedStandard), SortDescriptor(\.genre, comparator: .lexical),
        SortDescriptor(\.year), byNumber,
      ])
    return [
      Followed(container, FetchDescriptor<LiveSong>(), isSorted: false),
      Followed(container, byYear),
      Followed(container, FetchDescriptor<LiveSong>(predicate: #Predicate { $0.year < 1990 }, sortBy: [byNumber])),
      Followed(container, FetchDescriptor<LiveSong>(predicate: #Predicate { $0.genre == "rock" }), isSorted: false),
      Followed(container, FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.album?.name), byNumber])),
      Followed(
        container, FetchDescriptor<LiveSong>(predicate: #Predicate { $0.album?.name == "a" }, sortBy: [byNumber])),
      Followed(container, FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.century), byNumber])),
      Followed(container, limited(byYear, 5, 0)),
      Followed(
        container, limited(FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.number, order: .reverse)]), 4, 3)),
      Followed(
        container, limited(FetchDescriptor(predicate: #Predicate { $0.album?.name != "b" }, sortBy: [byNumber]), 6, 2)),
      Followed(container, genre, fetched: byGenre, sectionBy: \.genre),
      Followed(container, limited(genre, 7, 2), fetched: limited(byGenre, 7, 2), sectionBy: \.genre),
      Followed(container, FetchDescriptor<LiveSingle>(sortBy: [SortDescriptor(\LiveSingle.number)])),
      Followed(container, FetchDescriptor<LiveAlbum>(sortBy: [SortDescriptor(\.name), SortDescriptor(\.number)])),
      Followed(
        container,
        FetchDescriptor<LiveAlbum>(predicate: #Predicate { $0.songs.count > 1 }, sortBy: [SortDescriptor(\.number)])),
      Followed(container, FetchDescriptor<LiveTag>(sortBy: [SortDescriptor(\.word)])),
    ]
  }
}
