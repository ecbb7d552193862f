internal import Foundation
internal import RoostFile
internal import RoostGraph

/// The stores that containers of this process have open, so that a second container shares the first one's.
///
/// Two containers of one file with the same models see each other's commits at once. With other models the second one is
/// refused, as long as anything of the first is in use.
///
/// A file is opened outside of the lock, since that may take long: other files are opened meanwhile, and who wants the same
/// file waits.
final class OpenGraphs: @unchecked Sendable {
  // Unchecked because `lock` guards `open`, `opening` and `users`.
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
  private let opened = RoostFile.ConditionVariable()
  private var open: [Key: Entry] = [:]
  private var opening: Set<Key> = []
  /// How many containers use each store, also one whose file was replaced and which `open` does not have any more.
  private var users: [ObjectIdentifier: Int] = [:]

  /// The store of a configuration, with one user more.
  func store(
    _ configuration: ModelConfiguration, _ models: [ModelPlan], migration: MigrationCheck? = nil
  ) throws -> GraphStore {
    if configuration.isStoredInMemoryOnly { return try GraphStore.inMemory(models) }
    let path = configuration.url.standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
    let key = Key(path: path, isReadOnly: !configuration.allowsSave)
    let types = models.map { ObjectIdentifier($0.type.model) }
    if let store = try share(key, types, faults: configuration.faults) { return store }
    var made: GraphStore?
    defer {
      lock.withLock {
        opening.remove(key)
        if let made {
          open[key] = Entry(store: made, models: types, faults: configuration.faults)
          users[ObjectIdentifier(made)] = 1
        }
        opened.broadcast()
      }
    }
    let store = try make(configuration, path, models: models, migration: migration)
    made = store
    return store
  }

  /// The store that has the file open, with one user more; nil where the caller is to open it.
  private func share(_ key: Key, _ types: [ObjectIdentifier], faults: StoreFaults?) throws -> GraphStore? {
    lock.acquire()
    defer { lock.release() }
    while opening.contains(key) { opened.wait(lock) }
    open = open.filter { $0.value.store != nil }
    // Where the file was removed or replaced, the store of that path is another one.
    guard let entry = open[key], let store = entry.store, store.isStillNamed else {
      opening.insert(key)
      return nil
    }
    guard Set(entry.models) == Set(types) else {
      throw SwiftDataError.loadIssueModelContainer.about(
        "\(key.path) is open in this program with other models: close that container first, or release it, its contexts and their objects"
      )
    }
    if let faults, faults != entry.faults {
      throw SwiftDataError.loadIssueModelContainer.about(
        "\(key.path) is open in this program without these faults: make the container that has them first")
    }
    users[ObjectIdentifier(store), default: 0] += 1
    return store
  }

  private func make(
    _ configuration: ModelConfiguration, _ path: String, models: [ModelPlan], migration: MigrationCheck?
  ) throws -> GraphStore {
    if configuration.allowsSave { try StorePlace.makeFolder(of: configuration.url) }
    var opening = GraphStore.Opening(
      isReadOnly: !configuration.allowsSave, cacheBytes: configuration.cacheBytes,
      lockTimeoutNanoseconds: configuration.lockTimeoutNanoseconds)
    opening.migration = migration
    opening.beginsIfMissing = configuration.missingStore == .begin
    guard let faults = configuration.faults else { return try GraphStore.open(path, models, opening: opening) }
    let files = FaultyFileSystem(faults)
    return try GraphStore.open(path, models, opening: opening, fileSystem: files) { try files.askRoom(path) }
  }

  /// A container uses a store no more. Where it is being closed, the store is not found any more once nobody uses it.
  ///
  /// - Returns: whether no other container uses the store.
  @discardableResult
  func leave(_ store: GraphStore, isClosing: Bool) -> Bool {
    lock.withLock {
      let left = (users[ObjectIdentifier(store)] ?? 1) - 1
      users[ObjectIdentifier(store)] = left > 0 ? left : nil
      if left > 0 { return false }
      if isClosing, let key = open.first(where: { $0.value.store === store })?.key { open[key] = nil }
      return true
    }
  }
}
