import Foundation
import Roost

/// A store whose history has a given number of changes, ten in each commit, and a token followed by
/// a hundred commits.
final class ObjectHistory {
  static let changesPerCommit = 10
  static let newest = 100
  static let tokens = 1_000
  static let readings = 10

  private let container: ModelContainer
  private let place: DefaultHistoryToken
  private let commits: Int

  init(_ folder: String, changes: Int) throws {
    container = try ModelContainer(
      for: Artist.self, Album.self, Track.self,
      configurations: ModelConfiguration(url: URL(filePath: folder + "/history.roost")))
    let context = ModelContext(container)
    context.durability = .relaxed
    context.author = "filling"
    let library = Library(size: Self.changesPerCommit)
    let tracks = (0..<library.size).map { Track(library.track($0), nil) }
    for track in tracks { context.insert(track) }
    try context.save()
    commits = max(changes / Self.changesPerCommit, Self.newest + 1)
    var place = try container.latestHistoryToken
    for commit in 1..<commits {
      for track in tracks { track.playCount = commit }
      try context.save()
      if commit == commits - 1 - Self.newest { place = try container.latestHistoryToken }
    }
    self.place = place
  }

  /// Measures a thousand requests for the newest token.
  func askForTokens() throws -> Sample {
    var last = place
    let milliseconds = try Stopwatch.time {
      for _ in 0..<Self.tokens { last = try container.latestHistoryToken }
    }
    return Sample(milliseconds: milliseconds, isRight: last > place)
  }

  /// Measures ten reads of the newest transactions, with the identifier of each change.
  func readNewest() throws -> Sample {
    let context = ModelContext(container)
    let place = place
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > place })
    var (transactions, changes) = (0, 0)
    let milliseconds = try Stopwatch.time {
      for _ in 0..<Self.readings {
        for transaction in try context.fetchHistory(descriptor) {
          transactions += 1
          for change in transaction.changes where change.changedPersistentIdentifier.entityName == "Track" {
            changes += 1
          }
        }
      }
    }
    let expected = Self.readings * Self.newest
    return Sample(
      milliseconds: milliseconds,
      isRight: transactions == expected && changes == expected * Self.changesPerCommit)
  }
}
