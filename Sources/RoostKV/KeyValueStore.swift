public import RoostFile
package import RoostPages
import RoostTrees
import Synchronization

/// An ordered key-value store in one file.
///
/// A store holds named trees: ``Tree`` with keys of bytes, and ``Table`` with keys that are 64-bit numbers. Readers see
/// one snapshot from begin to end, and neither wait nor make anybody wait; one writer at a time changes the store.
///
/// ```swift
/// let store = try KeyValueStore(folder + "/music.roost")
/// try store.write { writer in
///   let titles = try writer.tree("titles")
///   try titles.put("t1", "Heroes")
/// }
/// let title = try store.read { try $0.tree("titles").string("t1") }
/// ```
///
/// The store may be used from any thread. Close it when you are done: a store at rest is one file.
public final class KeyValueStore: Sendable {
  private let first: Store
  /// Set where the store is only read, since then somebody else may write it.
  let renewal: Renewal?
  private let closing = Lock()
  /// Whether this opening has ended. Another one of the same file may share the store and go on with it.
  private let isClosed = Atomic<Bool>(false)

  package var store: Store { renewal?.current ?? first }

  /// Opens the store at `path`, and makes it if it is not there.
  ///
  /// - Throws: ``StoreError`` with the code `locked` if another process writes the store, `notAStore` if the file is
  ///   another one, `damaged` or `logDamaged` if it cannot be read, and `notFound` if it is missing and may not be
  ///   made.
  public convenience init(_ path: String, settings: StoreSettings = StoreSettings()) throws(StoreError) {
    try self.init(path, options: settings.options, fileSystem: DiskFileSystem.shared)
  }

  /// - Parameter floor: who wrote what stands in the log; nil for this door itself.
  package init(
    _ path: String, options: StoreOptions, fileSystem: any FileSystem, floor: Store.Floor? = nil
  ) throws(StoreError) {
    first = try Store.open(path, options: options, fileSystem: fileSystem, floor: floor ?? Replay.floor)
    renewal = options.readOnly ? Renewal(first) : nil
  }

  /// A store that lives in memory and ends with this object.
  public init(inMemory settings: StoreSettings) throws(StoreError) {
    first = try Store.inMemory(options: settings.options, floor: Replay.floor)
    renewal = nil
  }

  package init(inMemory options: StoreOptions) throws(StoreError) {
    first = try Store.inMemory(options: options, floor: Replay.floor)
    renewal = nil
  }

  deinit {
    // Whoever did not close the store finds everything in the log when it is opened again.
    try? close()
  }

  /// Folds the log into the file and releases it. With transactions open it throws `busy` and changes nothing.
  public func close() throws(StoreError) {
    try first.refuseWriter()
    try closing.withLock { () throws(StoreError) in
      if isClosed.load(ordering: .relaxed) { return }
      do throws(StoreError) { if let renewal { try renewal.close() } else { try first.close() } } catch {
        isClosed.store(error.code != .busy, ordering: .relaxed)
        throw error
      }
      isClosed.store(true, ordering: .relaxed)
    }
  }

  /// The file's path; empty for a store in memory.
  public var path: String { store.path }

  // MARK: Transactions

  /// Reads one snapshot: the newest at this moment.
  ///
  /// What the closure gets from its reader ends with the closure. In a read-only store beside a process that writes,
  /// the closure may run again from the start, on a newer snapshot.
  ///
  /// - Throws: what the closure throws, and ``StoreError`` with the code `closed` if the store is closed.
  @discardableResult
  public func read<Result>(_ body: (Reader) throws -> Result) throws -> Result {
    if let renewal { return try renewal.read(body) }
    let reader = try Reader(first)
    defer { reader.end() }
    return try body(reader)
  }

  /// Changes the store: everything the closure does, or nothing if it throws.
  ///
  /// - Parameters:
  ///   - durability: `.full` returns when the commit is on the device.
  ///   - timeoutMilliseconds: how long to wait for another writer; nil waits without end.
  ///   - body: changes the store by the writer that it gets.
  @discardableResult
  public func write<Result>(
    _ durability: Durability = .full, timeoutMilliseconds: UInt64? = nil, _ body: (Writer) throws -> Result
  ) throws -> Result {
    let writer = try Writer(store, timeoutMilliseconds: timeoutMilliseconds)
    let result: Result
    do {
      result = try body(writer)
    } catch {
      writer.abandon()
      throw error
    }
    try writer.commit(durability)
    return result
  }

  /// Writes all changed pages to their places now, and lets the log begin anew.
  public func checkpoint() throws(StoreError) { try store.checkpoint() }
}
