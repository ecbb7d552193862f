import RoostFile
import Synchronization

/// The stores that this process has open. A second opening of a file shares the first one's store.
///
/// ## Invariants
/// 1. From a store's opening until its file is closed, openings of the file find its ``Tenancy``.
///    So no thread of this process asks for the file's lock meanwhile.
/// 2. A reference to a store is never released under the lock, because the end of a store takes the
///    lock.
final class OpenStores: @unchecked Sendable {
  // Unchecked because all fields are protected by `lock`.
  fileprivate struct Key: Hashable {
    var device: UInt64
    var inode: UInt64
    var fileSystem: ObjectIdentifier
  }

  /// The use of a file by one store.
  final class Tenancy: @unchecked Sendable {
    // Unchecked because all fields are protected by the table's lock.
    fileprivate weak var store: Store?
    fileprivate var users = 1
    /// The thread that closes it, or 0.
    fileprivate var closer: UInt64 = 0
    fileprivate var key: Key?
    fileprivate let process = currentProcessID
  }

  static let shared = OpenStores()
  /// Serializes openings of one file.
  private final class Gate {
    let lock = Lock()
    var users = 0
  }

  /// A path on a file system.
  private struct Place: Hashable {
    var path: String
    var fileSystem: ObjectIdentifier
  }

  private let lock = Lock()
  private var gates: [Place: Gate] = [:]
  private let left = ConditionVariable()
  private var tenancies: [Key: Tenancy] = [:]

  /// Opens a file while no other thread of this process opens the same one, so that the second
  /// finds the store of the first. Openings of other files continue: a recovery takes time in
  /// proportion to its log.
  func opening<Value>(
    _ path: String, _ fileSystem: any FileSystem, body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let place = Place(path: path, fileSystem: ObjectIdentifier(fileSystem))
    let gate = lock.withLock {
      let gate = gates[place] ?? Gate()
      gates[place] = gate
      gate.users += 1
      return gate
    }
    gate.lock.acquire()
    defer {
      gate.lock.release()
      lock.withLock {
        gate.users -= 1
        if gate.users == 0 { gates[place] = nil }
      }
    }
    return try body()
  }

  private func key(_ identity: FileIdentity, _ fileSystem: any FileSystem) -> Key {
    Key(device: identity.device, inode: identity.inode, fileSystem: ObjectIdentifier(fileSystem))
  }

  /// The store that has this file open, after counting one more user. Waits for a store that is
  /// being closed.
  func find(_ identity: FileIdentity, _ fileSystem: any FileSystem) -> Store? {
    let key = key(identity, fileSystem)
    while true {
      lock.acquire()
      // The table of a parent process is in our memory too.
      guard let tenancy = tenancies[key], tenancy.closer != Thread.currentID, tenancy.process == currentProcessID
      else {
        lock.release()
        return nil
      }
      let store = tenancy.store
      if let store, tenancy.closer == 0 {
        tenancy.users += 1
        lock.release()
        return store
      }
      left.wait(lock)
      lock.release()
      withExtendedLifetime(store) {}
    }
  }

  func add(_ store: Store, _ identity: FileIdentity, fileSystem: any FileSystem) {
    ExitCheckpoint.install()
    lock.withLock {
      let tenancy = store.tenancy
      tenancy.store = store
      tenancy.key = key(identity, fileSystem)
      tenancies[key(identity, fileSystem)] = tenancy
    }
  }

  /// Removes one user of the store if others remain. Returns whether they do.
  func leaveOthers(_ store: Store) -> Bool {
    lock.withLock {
      guard store.tenancy.users > 1 else { return false }
      store.tenancy.users -= 1
      return true
    }
  }

  /// The result of `leave`.
  enum Leaving {
    /// From now on no opening finds the store, and no reader begins.
    case isLast
    case othersStay
    /// This number of snapshots is still being read, and nothing has changed.
    case isRead(Int)
  }

  /// Removes one user, or notes that the last one left. The caller holds the writer's turn.
  ///
  /// Threads that begin to read meanwhile wait for the result, so a close that fails does not
  /// disturb them.
  ///
  /// - Parameter forAll: removes all users of the store.
  func leave(_ store: Store, forAll: Bool = false) -> Leaving {
    lock.withLock {
      if store.tenancy.users > 1, !forAll {
        store.tenancy.users -= 1
        return .othersStay
      }
      store.phase.store(Store.Phase.closing, ordering: .sequentiallyConsistent)
      let readers = store.frames.slots.pins().count
      if readers > 0 {
        store.phase.store(Store.Phase.open, ordering: .sequentiallyConsistent)
        return .isRead(readers)
      }
      store.phase.store(Store.Phase.closed, ordering: .sequentiallyConsistent)
      store.tenancy.closer = Thread.currentID
      return .isLast
    }
  }

  /// The stores on the operating system's files that this process has opened; none if the lock is
  /// not free before the deadline.
  func atExit(until deadline: UInt64) -> [Store] {
    guard lock.acquire(until: deadline) else { return [] }
    defer { lock.release() }
    let disk = ObjectIdentifier(DiskFileSystem.shared)
    return tenancies.values.compactMap { $0.process == currentProcessID && $0.key?.fileSystem == disk ? $0.store : nil }
  }

  /// Whether other threads may be waiting for this store's end.
  func knows(_ tenancy: Tenancy) -> Bool { lock.withLock { tenancy.key != nil } }

  /// Returns once no `leave` is under way.
  func awaitLeaving() { lock.withLock {} }

  /// Notes that the file is closed. Waiting openings continue.
  func vacate(_ tenancy: Tenancy) {
    lock.withLock {
      if let key = tenancy.key, tenancies[key] === tenancy { tenancies[key] = nil }
      tenancy.key = nil
      left.broadcast()
    }
  }
}
