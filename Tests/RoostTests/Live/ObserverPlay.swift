import Foundation
import Observation
import SwiftData
import Testing

/// Whether an observer was notified of a change.
private final class Told: @unchecked Sendable { var isTold = false }

/// An observer of results that is compared with fetches of its context.
protocol WatchedResults {
  /// Begins to wait for the next change.
  mutating func arm()
  /// Compares with a fetch; if the results changed, an observer must have been notified.
  mutating func check(_ place: String) throws
}

struct Watched<Model: PersistentModel, Title: Hashable>: WatchedResults {
  let observer: ResultsObserver<Model, Title>
  let fetched: FetchDescriptor<Model>
  private var told = Told()
  private var before: [Model] = []

  init(_ observer: ResultsObserver<Model, Title>, _ fetched: FetchDescriptor<Model>) {
    (self.observer, self.fetched) = (observer, fetched)
  }

  mutating func arm() {
    let told = Told()
    before = withObservationTracking {
      Array(observer.results)
    } onChange: {
      told.isTold = true
    }
    self.told = told
  }

  mutating func check(_ place: String) throws {
    let expected = try observer.modelContext.fetch(fetched)
    if expected != before { #expect(told.isTold, "\(place): nobody was told") }
    let results = Array(observer.results)
    #expect(
      results.elementsEqual(expected) { $0 === $1 },
      "\(place): \(results.map { "\($0.persistentModelID)" }) \(expected.map { "\($0.persistentModelID)" })")
    guard let sections = observer.sections else { return }
    #expect(sections.flatMap { $0 } == expected, "\(place)")
    for model in expected {
      let path = try #require(observer.indexPath(for: model))
      #expect(observer.element(at: path) === model, "\(place)")
    }
  }
}

extension LivePlay {
  func watched(_ context: ModelContext) throws -> [any WatchedResults] {
    let byNumber = SortDescriptor(\LiveSong.number)
    let byYear = FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.year), byNumber])
    let rock = FetchDescriptor<LiveSong>(predicate: #Predicate { $0.genre == "rock" }, sortBy: [byNumber])
    let album = FetchDescriptor<LiveSong>(predicate: #Predicate { $0.album?.name == "a" }, sortBy: [byNumber])
    let byAlbum = FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.album?.name), byNumber])
    let byCentury = FetchDescriptor<LiveSong>(sortBy: [SortDescriptor(\.century), byNumber])
    var limited = byYear
    (limited.fetchLimit, limited.fetchOffset) = (5, 2)
    var stored = byYear
    stored.includePendingChanges = false
    let byTitle = FetchDescriptor<LiveSong>(
      sortBy: [
        SortDescriptor(\.title, comparator: .localizedStandard), SortDescriptor(\.title, comparator: .lexical),
        byNumber,
      ])
    let tags = FetchDescriptor<LiveTag>(sortBy: [SortDescriptor(\.word)])
    return [
      Watched(try ResultsObserver<LiveSong, Never>(fetchDescriptor: byYear, modelContext: context), byYear),
      Watched(try ResultsObserver<LiveSong, Never>(fetchDescriptor: rock, modelContext: context), rock),
      Watched(try ResultsObserver<LiveSong, Never>(fetchDescriptor: album, modelContext: context), album),
      Watched(try ResultsObserver<LiveSong, Never>(fetchDescriptor: byAlbum, modelContext: context), byAlbum),
      Watched(try ResultsObserver<LiveSong, Never>(fetchDescriptor: byCentury, modelContext: context), byCentury),
      Watched(try ResultsObserver<LiveSong, Never>(fetchDescriptor: limited, modelContext: context), limited),
      Watched(try ResultsObserver<LiveSong, Never>(fetchDescriptor: stored, modelContext: context), stored),
      Watched(
        try ResultsObserver<LiveSong, String>(sortBy: [byNumber], sectionBy: \.title, modelContext: context), byTitle),
      Watched(try ResultsObserver<LiveTag, Never>(fetchDescriptor: tags, modelContext: context), tags),
    ]
  }

  /// A play with observers of each context; each is compared after each step.
  func playObserved(_ steps: Int) throws {
    var all: [[any WatchedResults]] = try contexts.map { try watched($0) }
    for step in 0..<steps {
      for one in all.indices { for number in all[one].indices { all[one][number].arm() } }
      let number = below(4)
      let context = contexts[number]
      switch below(8) {
      case 0: try commit(context)
      case 1: context.rollback()
      case 2: do { try context.save() } catch { context.rollback() }
      default: try change(context)
      }
      for one in all.indices {
        for number in all[one].indices { try all[one][number].check("step \(step), context \(one), results \(number)") }
      }
    }
  }
}
