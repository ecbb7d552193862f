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
  /// - Throws: `StoreError` with one of these codes:
  ///   - `locked` if another process has the store open for writing, and `busy` if another process
  ///     is creating it, or changed it during each of ten attempts to open it read-only.
  ///   - `notFound` if the file is missing and may not be created, `storeMissing` if only its log
  ///     exists, and `logMissing` if the log is missing or belongs to another store.
  ///   - `notAStore`, `futureVersion` or `wrongPageSize` if this version of Roost cannot read the
  ///     file, and `hardLinked` if it has two names.
  ///   - `damaged`, `truncated` or `logDamaged` if something in the file or log is damaged.
  ///   - `permissionDenied`, `tooManyFiles`, `outOfMemory`, `diskFull` or `ioError` if the system
  ///     refuses.
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
  ///
  /// - Throws: `StoreError` with the code `outOfMemory` if there is no address space for the pages.
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

  /// Makes a checkpoint and releases the file. It waits for a write transaction of another thread.
  ///
  /// - Throws: `StoreError` with the code `busy` if a snapshot is still being read, or
  ///   `nestedWrite` if this thread has a write transaction open; then the store stays open.
  ///   `diskFull`, `ioError` or `commitUncertain` if the checkpoint fails; then the store is
  ///   closed, and the next opening finds all commits in the log.
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
  /// - Throws: the error of the closure. `StoreError` with the code `closed` if the store is
  ///   closed, and `busy` if 4,096 snapshots are being read, or if another process changed a
  ///   read-only store during each of ten attempts.
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
  /// - Throws: the error of the closure. An error after which the transaction cannot commit is
  ///   thrown even if the closure caught it. `StoreError` with the code `readOnly` if the store was
  ///   opened read-only, `closed` if it is closed, `nestedWrite` if this thread has a write
  ///   transaction open, `timedOut` after the timeout, `busy` if too many transactions are open,
  ///   `fileReplaced` if the file was removed or replaced, `diskFull` or `ioError` if the log or a
  ///   page cannot be written, `poisoned` after a failed sync, and `commitUncertain` if the log
  ///   cannot be synced: then the commit may be stored or not.
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
  ///
  /// - Throws: `StoreError` with the code `nestedWrite` if this thread has a write transaction
  ///   open, `diskFull` or `ioError` if the pages cannot be written, and `poisoned` or
  ///   `commitUncertain` if a sync has failed. The commits stay in the log.
  public func checkpoint() throws(StoreError) { try store.checkpoint() }
}
