import Foundation
import Roost
import RoostGraph
import RoostPages
import RoostRecords

/// The music library as objects, written as a program with SwiftData would be.
struct ObjectsEngine: LibraryEngine {
  let name = "roost"
  let note =
    "`@Model` classes, `ModelContext`, `FetchDescriptor` and `#Predicate`; history on; relaxed: the context's durability; each result"
    + " is an object with strings, where the others decode into structs. Reading a track reads all its values; the album is an object,"
    + " which F and F2 read."
  let readsAlbums = false
  private let cacheBytes: Int?

  init(cacheBytes: Int? = nil) { self.cacheBytes = cacheBytes }

  func limited(toCache bytes: Int) -> any LibraryEngine { ObjectsEngine(cacheBytes: bytes) }

  func open(_ directory: String, _ library: Library, durability: Durability) throws -> any LibraryStore {
    ObjectsStore(try container(directory), library, durability)
  }

  private func container(_ directory: String) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: URL(filePath: directory + "/library.roost"))
    configuration.cacheBytes = cacheBytes
    return try ModelContainer(
      for: Artist.self, Album.self, Track.self, Playlist.self, Entry.self, configurations: configuration)
  }

  func openAndRead(_ directory: String) throws -> UInt64 {
    let context = ModelContext(try container(directory))
    var descriptor = FetchDescriptor<Track>()
    descriptor.fetchLimit = 1
    guard let track = try context.fetch(descriptor).first else { throw EngineError(name, "open", "there is no track") }
    return track.word
  }
}

/// Unchecked because of `container`, which is nil after the store was closed.
final class ObjectsStore: LibraryStore, @unchecked Sendable {
  private var container: ModelContainer?
  private let library: Library
  private let durability: Durability
  /// The rows of the objects, for checks and for closing.
  private var records: RecordStore?

  init(_ container: ModelContainer, _ library: Library, _ durability: Durability) {
    self.container = container
    self.library = library
    self.durability = durability
  }

  func session() throws -> any LibrarySession {
    guard let container else { preconditionFailure("the store is closed") }
    let context = ModelContext(container)
    if durability == .relaxed { context.durability = .relaxed }
    // The first session is made before there are other threads.
    if records == nil { records = try Self.records(context) }
    return ObjectsSession(context, library, records!)
  }

  /// The rows can be reached through an object only.
  private static func records(_ context: ModelContext) throws -> RecordStore {
    let probe = Playlist(number: 0)
    context.insert(probe)
    defer { context.rollback() }
    guard let graph = probe.graphContext else { throw EngineError("roost", "open", "an object is in no context") }
    return graph.store.records
  }

  func close() throws {
    container = nil
    try records?.close()
    records = nil
  }
}
