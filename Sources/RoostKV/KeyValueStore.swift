public import RoostFile
package import RoostPages
import RoostTrees
import Synchronization

/// An ordered key-value store in one file.
///
/// A store holds named trees: ``Tree`` with keys of bytes, and ``Table`` with keys that are 64-bit
/// numbers. Each reader sees one snapshot from begin to end; readers neither wait nor block others.
/// One writer at a time changes the store.
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
/// The store may be used from any thread. Close it when you are done: a closed store is one file.
public final class KeyValueStore: Sendable {
  private let first: Store
  /// Set if the store is read-only, because then another process may write it.
  let renewal: Renewal?
  private let closing = Lock()
  /// Whether this opening has ended. Another opening of the same file may share the store and
  /// continue to use it.
  private let isClosed = Atomic<Bool>(false)

  package var store: Store { renewal?.current ?? first }

  /// Opens the store at `path`, or creates it.
  ///
  /// - Throws: `StoreError` with the code `locked` if another process writes the store, `notAStore`
  ///   if the file is not a store, `damaged` or `logDamaged` if it cannot be read, and `notFound`
  ///   if it is missing and may not be created.
  public convenience init(_ path: String, settings: StoreSettings = StoreSettings()) throws(StoreError) {
    try self.init(path, options: settings.options, fileSystem: DiskFileSystem.shared)
  }

  /// - Parameter floor: the module that wrote the log; nil for this one.
  package init(
    _ path: String, options: StoreOptions, fileSystem: any FileSystem, floor: Store.Floor? = nil
  ) throws(StoreError) {
    first = try Store.open(path, options: options, fileSystem: fileSystem, floor: floor ?? Replay.floor)
    renewal = options.readOnly ? Renewal(first) : nil
  }

  /// A store in memory, which ends with this object.
  public init(inMemory settings: StoreSettings) throws(StoreError) {
    first = try Store.inMemory(options: settings.options, floor: Replay.floor)
    renewal = nil
  }

  package init(inMemory options: StoreOptions) throws(StoreError) {
    first = try Store.inMemory(options: options, floor: Replay.floor)
    renewal = nil
  }

  deinit {
    // If the store is not closed, everything is in the log when it is opened again.
    try? close()
  }

  /// Makes a checkpoint and releases the file. With open transactions it throws `busy` and changes
  /// nothing.
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

  /// Reads the newest snapshot.
  ///
  /// The closure's reader and everything from it are valid in the closure only. In a read-only
  /// store that another process writes, the closure may run again from the start, on a newer
  /// snapshot.
  ///
  /// - Throws: the error of the closure, and `StoreError` with the code `closed` if the store is
  ///   closed.
  @discardableResult
  public func read<Result>(_ body: (Reader) throws -> Result) throws -> Result {
    if let renewal { return try renewal.read(body) }
    let reader = try Reader(first)
    defer { reader.end() }
    return try body(reader)
  }

  /// Changes the store: makes all changes of the closure, or none if it throws.
  ///
  /// - Parameters:
  ///   - durability: `.full` returns when the commit is synced.
  ///   - timeoutMilliseconds: the longest wait for another writer; nil waits without limit.
  ///   - body: changes the store with the writer that it gets.
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

  /// Writes all changed pages to their places now, and begins a new log.
  public func checkpoint() throws(StoreError) { try store.checkpoint() }
}
