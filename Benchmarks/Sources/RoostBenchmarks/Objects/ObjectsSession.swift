import Foundation
import Roost
import RoostRecords

/// One context, and the data that a program keeps with it.
final class ObjectsSession: LibrarySession {
  let library: Library
  /// Nil after the end.
  private var open: ModelContext?
  let records: RecordStore
  /// Held while tracks are inserted.
  var albums: [Album] = []
  var playlists: [Playlist] = []
  /// The identifiers of all tracks and albums, in the order of their rows.
  private(set) var identifiers: [PersistentIdentifier] = []
  private(set) var albumIdentifiers: [PersistentIdentifier] = []

  init(_ context: ModelContext, _ library: Library, _ records: RecordStore) {
    open = context
    self.library = library
    self.records = records
  }

  var context: ModelContext {
    guard let open else { preconditionFailure("the session is closed") }
    return open
  }

  func close() {
    albums = []
    playlists = []
    open = nil
  }

  func prepare() throws {
    identifiers = try context.fetchIdentifiers(FetchDescriptor<Track>())
    albumIdentifiers = try context.fetchIdentifiers(FetchDescriptor<Album>())
  }

  func missing(_ what: String) -> EngineError { EngineError("roost", what, "there is no such object") }
}
