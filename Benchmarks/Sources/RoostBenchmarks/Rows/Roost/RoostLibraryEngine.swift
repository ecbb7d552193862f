import RoostPages
import RoostRecords

/// The music library in Roost's rows, by the calls that objects use.
struct RoostLibraryEngine: LibraryEngine {
  let name = "roost"
  let note =
    "through RoostRecords and RoostQuery; history on; synced: `.full`, relaxed: `.relaxed`; cache, log and checkpoints as they are by default;"
    + " references are not checked, as with the others; H follows the rule of the relationship"

  let omits: Set<RowsOperation> = []

  func open(_ directory: String, _ library: Library, durability: Durability) throws -> any LibraryStore {
    let store = try RecordStore(directory + "/library.roost")
    let isNew = try store.read { $0.catalog.entities.isEmpty }
    if isNew { try store.write { try $0.change(Self.describe) } }
    return RoostLibraryStore(store, library, durability)
  }

  private static func describe(_ catalog: inout Catalog) throws {
    try catalog.add(entity: "Artist") { (entity) throws(RecordFault) in try entity.add("name", .string) }
    let artist = catalog.entity("Artist")!.id
    try catalog.add(entity: "Album") { (entity) throws(RecordFault) in
      try entity.add("title", .string)
      try entity.add("artist", .reference(artist))
    }
    let album = catalog.entity("Album")!.id
    try catalog.add(entity: "Track") { (entity) throws(RecordFault) in
      try entity.add("id", .string)
      try entity.add("title", .string)
      try entity.add("artist", .string)
      try entity.add("album", .reference(album))
      try entity.add("duration", .double)
      try entity.add("genre", .string, isOptional: true)
      try entity.add("releaseDate", .date)
      try entity.add("playCount", .int64)
      try entity.add("explicit", .bool)
    }
    try catalog.add(index: "id", of: "Track", on: ["id"], isUnique: true)
    try catalog.add(index: "genre", of: "Track", on: ["genre"])
    try catalog.add(index: "releaseDate", of: "Track", on: ["releaseDate"])
    try catalog.add(index: "album", of: "Track", on: ["album"])
    // The other engines do not check either whether the album of a track exists.
    try catalog.add(reference: "album", of: "Track", inverse: .init("tracks", deleteRule: .cascade), isChecked: false)
    try catalog.add(entity: "Parent")
    let parent = catalog.entity("Parent")!.id
    try catalog.add(entity: "Child") { (entity) throws(RecordFault) in
      try entity.add("parent", .reference(parent))
      try entity.add("position", .int64)
      try entity.add("name", .string)
    }
    try catalog.add(index: "parent", of: "Child", on: ["parent", "position"])
  }
}

final class RoostLibraryStore: LibraryStore {
  let store: RecordStore
  let library: Library
  let durability: RoostPages.SyncMode

  init(_ store: RecordStore, _ library: Library, _ durability: Durability) {
    self.store = store
    self.library = library
    self.durability = durability == .synced ? .full : .relaxed
  }

  func session() throws -> any LibrarySession { RoostLibrarySession(self) }
  func close() throws { try store.close() }
}
