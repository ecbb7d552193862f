import RoostBytes
package import RoostFile
import Synchronization

/// A look at one state of a store that trusts no frame: every page is read from the file again.
///
/// What it finds wrong by itself, in the superblocks and the map of free places, is in `complaints`; trees are the
/// business of the floor above. Of a store in memory it shows the frames themselves.
package final class Examination {
  package let snapshot: Snapshot
  package let view: PageView
  /// Places that hold nothing, as the durable map says.
  package private(set) var free = PlaceSet()
  /// Pages in which the durable map stands.
  package private(set) var mapPages: [PageID] = []
  /// Second copies of pages, as the superblock lists them.
  package var copies: [PageCopy] { superblock?.copies ?? [] }
  /// Pages in the file, as far as it is there.
  package let pageCount: UInt32
  /// What was repaired in memory while it was read.
  package var repairs: [PageRepairs.Repair] { frames.repairs?.all ?? [] }
  /// The superblock's number, to notice that a file was written meanwhile.
  package let sequence: UInt64
  package private(set) var complaints: [StoreError] = []
  /// What a crash leaves of itself, and is no damage.
  package private(set) var notes: [StoreError] = []
  /// False where a part of the map could not be read, so that nothing can be said about places that nobody reaches.
  package private(set) var knowsFree = true

  /// Where the log is, if it is not beside the file.
  var logPath: String?
  /// Reports the progress, where the caller asked for it.
  package let pace: Pace?
  private let frames: Frames
  private let store: Store?
  private let pinned: ReaderSlot?
  let file: (any StorageFile)?
  /// The file that is read: its own, or that of the open store. Nil for a store in memory.
  let source: (any StorageFile)?
  let superblock: Superblock?

  /// Examines what an open store has in its file, or in memory. Under the turn.
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
    // Under the turn nothing frees what the durable superblock reaches; the pin keeps that so afterwards.
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

  /// Examines a file without a store, as it is. It is closed with the examination.
  ///
  /// - Parameters:
  ///   - capacity: how many pages stay in memory; nil for as many as an open store keeps.
  ///   - repairs: repairs what is read, if anything does.
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

  /// Shows a file of which no superblock is left: nothing is known but its pages.
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

  /// As many pages as an open store keeps. What is looked up in no order is then mostly there.
  private static var capacity: Int { CacheSize.usual() / Page.size }

  /// How many pages were read from the file.
  package var pagesRead: Int { frames.fills.load(ordering: .relaxed) }

  private func load(
    _ superblock: Superblock, _ file: any StorageFile, fileSystem: any FileSystem
  ) throws(StoreError) {
    frames.setCopies(superblock.copies)
    // The log may name pages behind the end that the superblock knows, but none that is not in the file.
    let held = UInt32(clamping: try file.size() / UInt64(Page.size))
    try frames.reserve(upTo: Int(held))
    for (slot, reading) in try SuperblockPair.readings(from: file, repairs: frames.repairs).enumerated() {
      if case .valid = reading { continue }
      // A crash while a superblock is written leaves one such, and takes nothing: the log still holds what followed the
      // other one. After a clean close there is no log, and both slots were synced.
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

  // MARK: What nothing leads to

  /// Hands out every page that can be read, whatever it holds.
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

  /// Hands out one page, if it can be read.
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
