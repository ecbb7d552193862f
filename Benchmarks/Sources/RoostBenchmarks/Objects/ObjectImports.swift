import Foundation
import Roost
import RoostImport

/// Tracks of the library as text and as snapshots, and a store with their albums.
final class ObjectImports {
  private let folder: String
  private let count: Int
  /// Made on demand, because a program whose memory is measured does not use it.
  private lazy var library = Library(size: count)
  private let container: ModelContainer
  private let context: ModelContext
  private var albums: [Album] = []

  /// Makes the store.
  convenience init(_ folder: String, _ count: Int) throws {
    try self.init(reopening: folder, count)
    for number in 0..<library.albumCount {
      let album = Album(title: "Album \(number)", artist: nil)
      context.insert(album)
      albums.append(album)
    }
    try context.save()
  }

  /// - Parameter cacheBytes: the size of the store's cache; nil for the default.
  init(reopening folder: String, _ count: Int, cacheBytes: Int? = nil) throws {
    self.folder = folder
    self.count = count
    var configuration = ModelConfiguration(url: URL(filePath: folder + "/tracks.roost"))
    configuration.cacheBytes = cacheBytes
    container = try ModelContainer(for: Artist.self, Album.self, Track.self, configurations: configuration)
    context = ModelContext(container)
  }

  private func check(_ count: Int) throws -> Bool {
    let context = ModelContext(container)
    guard count == self.count, try context.fetchCount(FetchDescriptor<Track>()) == count else { return false }
    let (found, numbers) = (try context.fetch(FetchDescriptor<Track>()), 0..<count)
    return zip(found, numbers).allSatisfy { track, number in
      let row = library.track(number)
      return track.word == Track(row, nil).word && track.album?.title == "Album \(row.album - 1)"
    }
  }

  // MARK: Snapshots

  func snapshots() throws -> Sample {
    let snapshots = (0..<self.count).map { number in
      let row = library.track(number)
      return Track(row, albums[Int(row.album) - 1]).snapshot
    }
    albums = []
    var inserted = 0
    let milliseconds = try Stopwatch.time {
      inserted = try container.importer(for: Track.self).run(snapshots: snapshots).progress.inserted
    }
    return Sample(milliseconds: milliseconds, isRight: try check(inserted))
  }

  // MARK: Texts

  private func file(_ ending: String) -> URL { URL(filePath: folder + "/tracks." + ending) }

  func text(_ ending: String, isWritten: Bool = false) throws -> Sample {
    if !isWritten { try write(ending) }
    var inserted = 0
    let milliseconds = try Stopwatch.time {
      inserted = try container.importer(for: Track.self).run(.file(file(ending))).progress.inserted
    }
    // Checking all tracks takes more memory than the import.
    return Sample(milliseconds: milliseconds, isRight: try isWritten ? inserted == count : check(inserted))
  }

  /// Exported from another store with the same albums. References are row numbers, because albums
  /// have no unique value.
  private func write(_ ending: String) throws {
    let source = FileManager.default.temporaryDirectory.path() + UUID().uuidString
    try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: source) }
    let other = try ObjectImports(source, self.count)
    try other.context.insert(batch: 0..<self.count) { number in
      let row = library.track(number)
      return Track(row, other.albums[Int(row.album) - 1])
    }
    try other.container.export(FetchDescriptor<Track>(), to: .file(file(ending)))
  }

  func writeLines() throws { try write("jsonl") }
}
