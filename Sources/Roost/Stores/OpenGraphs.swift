internal import Foundation
internal import RoostFile
internal import RoostGraph

/// The stores that containers of this process have open, so that a second container shares the
/// first one's.
///
/// Two containers of one file see each other's commits at once, if the second one has only models
/// of the first. If it has another version of the models, or more of them, the first container is
/// closed: its later calls throw. Any other container is refused.
///
/// A file is opened outside of the lock, because that may take long: other files can be opened
/// meanwhile, and threads that need the same file wait.
final class OpenGraphs: @unchecked Sendable {
  // Unchecked because `lock` guards `open`, `opening`, `users` and `owners`.
  static let shared = OpenGraphs()

  /// The identity of an open file. A file may be open twice: once for writing, once read-only.
  private struct Key: Hashable {
    var path: String
    var isReadOnly: Bool
  }

  private struct Entry {
    weak var store: GraphStore?
    /// The classes of the models, by name.
    var models: [String: ObjectIdentifier]
    var faults: StoreFaults?
  }

  private let lock = Lock()
  private let opened = RoostFile.ConditionVariable()
  private var open: [Key: Entry] = [:]
  /// The files that are being opened, and the thread that opens each.
  private var opening: [Key: UInt64] = [:]
  /// How many containers use each store, including stores whose file was replaced and that `open`
  /// no longer has.
  private var users: [ObjectIdentifier: Int] = [:]
  /// For each store, the sets of stores of containers that use it.
  private var owners: [ObjectIdentifier: [Owner]] = [:]

  private struct Owner {
    weak var set: (any StoreOwner)?
  }

  /// The result of a search for an open store.
  private enum Found {
    case store(GraphStore)
    /// The caller must open it.
    case nothing
    /// It is open with other models, by these owners.
    case other(GraphStore, [any StoreOwner])
  }

  /// Returns the store of a configuration, and counts one more user.
  func store(
    _ configuration: ModelConfiguration, _ models: [ModelPlan], opening: GraphStore.Opening
  ) throws -> GraphStore {
    if let backing = configuration.backing {
      // A child context gets derived values from its parent.
      if !backing.store.isContext { for model in models { try model.checkDerivedOfBacking() } }
      return try GraphStore.workingSet(models, of: backing.store)
    }
    if configuration.isStoredInMemoryOnly { return try GraphStore.inMemory(models, opening: opening) }
    let path = configuration.url.standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
    let key = Key(path: path, isReadOnly: !configuration.allowsSave)
    let types = Dictionary(models.map { ($0.type.name, ObjectIdentifier($0.type.model)) }) { first, _ in first }
    search: while true {
      switch try share(key, types, faults: configuration.faults) {
      case .store(let store): return store
      case .nothing: break search
      case .other(let store, let owners):
        // A working container is closed only if the new one can be made.
        try store.checkOpening(models, opening)
        try end(store, owners, path: path)
      }
    }
    var made: GraphStore?
    defer {
      lock.withLock {
        self.opening[key] = nil
        if let made {
          open[key] = Entry(store: made, models: types, faults: configuration.faults)
          users[ObjectIdentifier(made)] = 1
        }
        opened.broadcast()
      }
    }
    let store = try make(configuration, path, models: models, opening: opening)
    made = store
    return store
  }

  /// Closes the containers that have a store open with other models.
  private func end(_ store: GraphStore, _ owners: [any StoreOwner], path: String) throws {
    do {
      let deadline = Clock.monotonicNanoseconds() + 10_000_000_000
      var owners = owners
      while true {
        for owner in owners {
          try owner.close(
            because:
              "another container began to open \(path) with other models, which closed this one: use that container, or make "
              + "one container for all models")
        }
        // A container that another thread is making is not known yet.
        let isFree = lock.withLock {
          owners = (self.owners[ObjectIdentifier(store)] ?? []).compactMap(\.set)
          return users[ObjectIdentifier(store)] == nil
        }
        if isFree { break }
        guard Clock.monotonicNanoseconds() < deadline else {
          throw GraphFault(.closed, "another thread is making a container of it")
        }
        RoostFile.Thread.sleep(microseconds: 5000)
      }
      // Models that outlive their container may keep the store open.
      try store.close()
      lock.withLock { open = open.filter { $0.value.store !== store } }
    } catch {
      throw SwiftDataError.loadIssueModelContainer.about(
        "\(path) is open in this program with other models, and the container that has them could not be closed: \(error)",
        error)
    }
  }

  /// Notes that a container has stores. It ends when another container opens one of them with other
  /// models.
  func note(_ owner: any StoreOwner, of stores: [GraphStore]) {
    lock.withLock {
      for store in stores {
        let known = owners[ObjectIdentifier(store)] ?? []
        owners[ObjectIdentifier(store)] = known.filter { $0.set != nil } + [Owner(set: owner)]
      }
    }
  }

  private func share(_ key: Key, _ types: [String: ObjectIdentifier], faults: StoreFaults?) throws -> Found {
    lock.acquire()
    defer { lock.release() }
    let thread = RoostFile.Thread.currentID
    while let opener = opening[key] {
      // The code of a migration stage runs while its store is being opened.
      guard opener != thread else {
        throw SwiftDataError.loadIssueModelContainer.about(
          "\(key.path) is being opened by this thread: in the code of a migration stage, use the context that it gets")
      }
      opened.wait(lock)
    }
    open = open.filter { $0.value.store != nil }
    // If the file was removed or replaced, the store at that path is another one.
    guard let entry = open[key], let store = entry.store, store.isStillNamed else {
      opening[key] = thread
      return .nothing
    }
    guard types.allSatisfy({ entry.models[$0.key] == $0.value }) else {
      let isVersion = types.contains { name, type in entry.models[name].map { $0 != type } ?? false }
      guard isVersion || entry.models.allSatisfy({ types[$0.key] == $0.value }) else {
        throw SwiftDataError.loadIssueModelContainer.about(
          "\(key.path) is open in this program with other models: make one container for all of them, or close that container first"
        )
      }
      return .other(store, (owners[ObjectIdentifier(store)] ?? []).compactMap(\.set))
    }
    if let faults, faults != entry.faults {
      throw SwiftDataError.loadIssueModelContainer.about(
        "\(key.path) is open in this program without these faults: make the container that has them first")
    }
    users[ObjectIdentifier(store), default: 0] += 1
    return .store(store)
  }

  private func make(
    _ configuration: ModelConfiguration, _ path: String, models: [ModelPlan], opening: GraphStore.Opening
  ) throws -> GraphStore {
    do { return try open(configuration, path, models: models, opening: opening) } catch var fault as MigrationFault {
      fault.path = path
      throw fault
    }
  }

  private func open(
    _ configuration: ModelConfiguration, _ path: String, models: [ModelPlan], opening: GraphStore.Opening
  ) throws -> GraphStore {
    if configuration.allowsSave { try StorePlace.makeFolder(of: configuration.url) }
    guard let faults = configuration.faults else { return try GraphStore.open(path, models, opening: opening) }
    let files = FaultyFileSystem(faults)
    return try GraphStore.open(path, models, opening: opening, fileSystem: files) { try files.askRoom(path) }
  }

  /// Throws if this program has a file open.
  func checkClosed(_ path: String) throws {
    let isOpen = lock.withLock { open.contains { $0.key.path == path && $0.value.store != nil } }
    if !isOpen { return }
    throw SwiftDataError.loadIssueModelContainer.about("\(path) is open in this program: close its containers first")
  }

  /// Notes that a container no longer uses a store. When it is closed, later containers no longer
  /// find the store if it has no other users.
  ///
  /// - Returns: whether no other container uses the store.
  @discardableResult
  func leave(_ store: GraphStore, isClosing: Bool) -> Bool {
    lock.withLock {
      let left = (users[ObjectIdentifier(store)] ?? 1) - 1
      users[ObjectIdentifier(store)] = left > 0 ? left : nil
      if left <= 0 { owners[ObjectIdentifier(store)] = nil }
      if left > 0 { return false }
      if isClosing, let key = open.first(where: { $0.value.store === store })?.key { open[key] = nil }
      return true
    }
  }
}

/// An owner of open stores that others can end.
protocol StoreOwner: AnyObject, Sendable {
  func close(because reason: String) throws
}
