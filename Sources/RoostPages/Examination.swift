import RoostBytes
package import RoostFile
import Synchronization

/// Examines one state of a store without trusting the cache: every page is read from the file
/// again.
///
/// Errors that it finds itself, in the superblocks and the map of free places, are in `complaints`.
/// The module above examines trees. For a store in memory it shows the frames themselves.
package final class Examination {
  package let snapshot: Snapshot
  package let view: PageView
  /// Free places, from the durable map.
  package private(set) var free = PlaceSet()
  /// Pages that store the durable map.
  package private(set) var mapPages: [PageID] = []
  /// Second copies of pages, as the superblock lists them.
  package var copies: [PageCopy] { superblock?.copies ?? [] }
  /// The number of pages in the file.
  package let pageCount: UInt32
  /// The pages that were repaired in memory when they were read.
  package var repairs: [PageRepairs.Repair] { frames.repairs?.all ?? [] }
  /// The superblock's number. If it changes, the file was written meanwhile.
  package let sequence: UInt64
  package private(set) var complaints: [StoreError] = []
  /// Expected results of a crash, which are not damage.
  package private(set) var notes: [StoreError] = []
  /// False if a part of the map could not be read. Then unused places cannot be told from lost
  /// ones.
  package private(set) var knowsFree = true

  /// The path of the log, if it is not beside the file.
  var logPath: String?
  /// Reports the progress, if the caller asked for it.
  package let pace: Pace?
  private let frames: Frames
  private let store: Store?
  private let pinned: ReaderSlot?
  let file: (any StorageFile)?
  /// The file that is read: its own, or that of the open store. Nil for a store in memory.
  let source: (any StorageFile)?
  let superblock: Superblock?

  /// Examines the file or the memory of an open store. The caller holds the writer's turn.
  init(store: Store, _ pace: Pace? = nil) throws(StoreError) {
    self.store = store
    self.pace = pace
    let slot = try store.frames.slots.take()
    pinned = slot
    guard let shared = store.file else {
      slot.pin(store.tip)
      self.file = nil
      source = nil
      superblock = nil
      frames = store.frames
      view = PageView(frames: frames.map, slot: slot, file: nil)
      snapshot = store.tip
      pageCount = store.space.limit
      sequence = 0
      free = store.space.spare
      return
    }
    let file = pace.map { PacedFile(shared, $0) } ?? shared
    // During the turn no place is freed that the durable superblock reaches. The pin ensures the
    // same afterwards.
    let superblock = store.durable
    slot.pin(superblock.snapshot)
    self.file = nil
    source = file
    self.superblock = superblock
    do throws(StoreError) {
      frames = try Frames(
        file: file, capacity: min(Self.capacity, store.frames.capacity), validator: store.floor.validate)
      view = PageView(frames: frames.map, slot: try frames.slots.take(), file: file)
    } catch {
      store.frames.slots.give(slot)
      throw error
    }
    snapshot = superblock.snapshot
    pageCount = min(superblock.pageCount, UInt32(clamping: try file.size() / UInt64(Page.size)))
    sequence = superblock.sequence
    try load(superblock, file, fileSystem: store.fileSystem)
  }

  /// Examines a file without opening a store. The file is closed with the examination.
  ///
  /// - Parameters:
  ///   - capacity: the number of pages that stay in memory; nil for the cache size of an open store.
  ///   - repairs: repairs pages that are read; nil for none.
  init(
    _ superblock: Superblock, _ file: any StorageFile, validator: @escaping PageValidator,
    fileSystem: any FileSystem, capacity: Int? = nil, repairs: PageRepairs? = nil, pace: Pace? = nil
  ) throws(StoreError) {
    let file = pace.map { PacedFile(file, $0) } ?? file
    self.pace = pace
    self.file = file
    source = file
    self.superblock = superblock
    store = nil
    pinned = nil
    frames = try Frames(file: file, capacity: capacity ?? Self.capacity, validator: validator, repairs: repairs)
    view = PageView(frames: frames.map, slot: try frames.slots.take(), file: file)
    snapshot = superblock.snapshot
    pageCount = min(superblock.pageCount, UInt32(clamping: try file.size() / UInt64(Page.size)))
    sequence = superblock.sequence
    try load(superblock, file, fileSystem: fileSystem)
  }

  /// Examines a file without a valid superblock: only its pages are known.
  init(pagesOf file: any StorageFile, validator: @escaping PageValidator) throws(StoreError) {
    pace = nil
    self.file = file
    source = file
    superblock = nil
    store = nil
    pinned = nil
    frames = try Frames(file: file, capacity: Self.capacity, validator: validator)
    view = PageView(frames: frames.map, slot: try frames.slots.take(), file: file)
    snapshot = .empty
    pageCount = UInt32(clamping: try file.size() / UInt64(Page.size))
    sequence = 0
    knowsFree = false
    try frames.reserve(upTo: Int(pageCount))
    complain(StoreError(.damaged, "both superblocks are damaged", path: file.path, page: 0))
  }

  deinit {
    if let store, let pinned { store.frames.slots.give(pinned) }
    file?.close()
  }

  /// The cache size of an open store, in pages. Look-ups in random order then mostly find their
  /// pages.
  private static var capacity: Int { CacheSize.usual() / Page.size }

  /// The number of pages that were read from the file.
  package var pagesRead: Int { frames.fills.load(ordering: .relaxed) }

  private func load(
    _ superblock: Superblock, _ file: any StorageFile, fileSystem: any FileSystem
  ) throws(StoreError) {
    frames.setCopies(superblock.copies)
    // The log may name pages after the end that the superblock knows, but only pages that the file
    // has.
    let held = UInt32(clamping: try file.size() / UInt64(Page.size))
    try frames.reserve(upTo: Int(held))
    for (slot, reading) in try SuperblockPair.readings(from: file, repairs: frames.repairs).enumerated() {
      if case .valid = reading { continue }
      // A crash during the write of a superblock tears it, and nothing is lost: the log still holds
      // everything after the other superblock. After a clean close there is no log, and both slots
      // were synced.
      var isTorn = superblock.log != nil
      if !isTorn { isTorn = try LogRemains.isBegun(file.path, fileSystem, superblock: superblock) }
      let found = StoreError(
        .damaged,
        "this superblock \(isTorn ? "was torn by a crash" : "is damaged"); the other one is in use, and the next "
          + "checkpoint rewrites this one",
        path: file.path, page: UInt64(slot))
      if isTorn { notes.append(found) } else { complain(found) }
    }
    let size = try file.size()
    if size < UInt64(superblock.pageCount) * UInt64(Page.size) {
      complain(SuperblockPair.short(superblock, size, path: file.path))
    }
    var space = Space(limit: pageCount)
    var failures: [StoreError] = []
    let map = try FreeMapDisk.load(
      superblock.freeMap, from: file, into: &space, stamp: superblock.snapshot.stamp, repairs: frames.repairs,
      onDamage: { failures.append($0) })
    knowsFree = failures.isEmpty
    complaints += failures
    free = space.free
    mapPages = map.ownPages
  }

  // MARK: Unreferenced pages

  /// Passes every readable page to `body`, whatever it holds.
  package func scan(_ body: (PageID, UnsafeRawPointer) throws(StoreError) -> Void) throws(StoreError) {
    guard let file else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Page.size, alignment: 16)
    defer { buffer.deallocate() }
    for place in 2..<max(2, UInt32(clamping: try file.size() / UInt64(Page.size))) {
      let page = PageID(place)
      do throws(StoreError) { try file.readFully(into: buffer, at: page.byteOffset) } catch { continue }
      try body(page, UnsafeRawPointer(buffer.baseAddress!))
    }
  }

  /// Passes one page to `body` if it can be read.
  package func read(
    _ page: PageID, _ body: (UnsafeRawPointer) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard let file else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Page.size, alignment: 16)
    defer { buffer.deallocate() }
    do throws(StoreError) { try file.readFully(into: buffer, at: page.byteOffset) } catch { return }
    try body(UnsafeRawPointer(buffer.baseAddress!))
  }

  func complain(_ error: StoreError) { complaints.append(error) }
}
