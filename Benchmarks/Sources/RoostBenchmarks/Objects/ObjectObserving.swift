import Foundation
import Roost

/// Saves of ten new tracks in a library, with and without a live result that shows them.
final class ObjectObserving {
  static let tracks = 10
  static let saves = 50

  private let context: ModelContext
  private let library: Library
  private let albums: [Album]

  /// Fills a store. Relaxed, so that the sync of a save does not dominate the measured time.
  init(_ folder: String, _ library: Library) throws {
    self.library = library
    let container = try ModelContainer(
      for: Artist.self, Album.self, Track.self,
      configurations: ModelConfiguration(url: URL(filePath: folder + "/observed.roost")))
    context = ModelContext(container)
    context.durability = .relaxed
    albums = (0..<library.albumCount).map { Album(title: "Album \($0)", artist: nil) }
    for album in albums { context.insert(album) }
    try context.save()
    let (tracks, albums) = (0..<library.size, albums)
    try context.insert(batch: tracks) { number in
      let row = library.track(number)
      return Track(row, albums[Int(row.album) - 1])
    }
  }

  /// Measures one save in milliseconds. With an observer, this includes reading its results after
  /// the save.
  func save(isObserved: Bool) throws -> Sample {
    let saves = RowsOperation.saves(of: Self.tracks, size: library.size)
    let least = LibraryAnswers.leastDuration
    let descriptor = FetchDescriptor<Track>(
      predicate: #Predicate { $0.duration > least }, sortBy: [SortDescriptor(\.releaseDate)])
    let observer =
      isObserved ? try ResultsObserver<Track, Never>(fetchDescriptor: descriptor, modelContext: context) : nil
    var seen = observer?.results.count ?? 0
    var next = library.size
    let milliseconds = try Stopwatch.time {
      for _ in 0..<saves {
        for number in next..<next + Self.tracks {
          let row = library.track(number)
          context.insert(Track(row, albums[Int(row.album) - 1]))
        }
        try context.save()
        next += Self.tracks
        if let observer { seen = observer.results.count }
      }
    }
    let expected = (0..<next).count { library.track($0).duration > least }
    let isRight = try context.fetchCount(descriptor) == expected && (!isObserved || seen == expected)
    return Sample(milliseconds: milliseconds / Double(saves), isRight: isRight)
  }
}
