internal import Foundation
internal import RoostFile
internal import RoostGraph

/// The stores that containers of this process have open, so that a second container shares the first one's.
///
/// Two containers of one file with the same models see each other's commits at once. With other models the second one is
/// refused, as long as anything of the first is in use.
///
/// Unchecked because of `open`, which is read and written under the lock.
final class OpenGraphs: @unchecked Sendable {
  static let shared = OpenGraphs()

  /// A file may be open twice: once for writing, once for reading only.
  private struct Key: Hashable {
    var path: String
    var isReadOnly: Bool
  }

  private struct Entry {
    weak var store: GraphStore?
    var models: [ObjectIdentifier]
    var faults: StoreFaults?
  }

  private let lock = Lock()
  private var open: [Key: Entry] = [:]

  func store(_ configuration: ModelConfiguration, _ models: [ModelPlan]) throws -> GraphStore {
    if configuration.isStoredInMemoryOnly { return try GraphStore.inMemory(models) }
    let isReadOnly = !configuration.allowsSave
    let path = configuration.url.standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
    let types = models.map { ObjectIdentifier($0.type.model) }
    lock.acquire()
    defer { lock.release() }
    open = open.filter { $0.value.store != nil }
    let key = Key(path: path, isReadOnly: isReadOnly)
    // Where the file was removed or replaced, the store of that path is another one.
    if let entry = open[key], let store = entry.store, store.isStillNamed {
      guard Set(entry.models) == Set(types) else {
        throw SwiftDataError.loadIssueModelContainer.about(
          "\(path) is open in this program with other models: let go of that container, its contexts and their objects first"
        )
      }
      if let faults = configuration.faults, faults != entry.faults {
        throw SwiftDataError.loadIssueModelContainer.about(
          "\(path) is open in this program without these faults: make the container that has them first")
      }
      return store
    }
    if configuration.allowsSave { try StorePlace.makeFolder(of: configuration.url) }
    let store: GraphStore
    let beginsIfMissing = configuration.missingStore == .begin
    if let faults = configuration.faults {
      let files = FaultyFileSystem(faults)
      store = try GraphStore.open(
        path, models, isReadOnly: isReadOnly, cacheBytes: configuration.cacheBytes, beginsIfMissing: beginsIfMissing,
        fileSystem: files
      ) { try files.askRoom(path) }
    } else {
      store = try GraphStore.open(
        path, models, isReadOnly: isReadOnly, cacheBytes: configuration.cacheBytes, beginsIfMissing: beginsIfMissing)
    }
    open[key] = Entry(store: store, models: types, faults: configuration.faults)
    return store
  }
}
