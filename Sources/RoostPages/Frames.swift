#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import RoostBytes
package import RoostFile
package import Synchronization

/// Checks a page that was read from a file. Returns nil if it is valid, else the error.
///
/// The module that knows the page's kind provides it. It is called once for each read from the
/// file, after the checksum matched.
package typealias PageValidator = @Sendable (_ page: PageID, _ memory: UnsafeRawPointer) -> String?

/// The page cache: slabs of anonymous memory that mirror the file.
///
/// ## Invariants
/// 1. A ready frame holds the validated page of its place.
/// 2. A draft frame is never evicted. A clean one is evicted only if no look-up that could have
///    seen it is still running and no reader holds it.
/// 3. A state changes under the lock, with two exceptions: the writer, on a place that only it
///    knows, and the end of a checkpoint, on the pages that it wrote. So a state is never simply
///    stored, but changed atomically. Only a frame that is being filled belongs to one thread
///    alone.
@usableFromInline package final class Frames: @unchecked Sendable {
  // Unchecked because its fields are constant, or protected by `lock`.
  package static let largestPlace = UInt32.max - 1
  static let mostSlabs = 1 << 18
  private static let slabBytes = FrameMap.slabPlaces * Page.size
  private static let checksBytes = FrameMap.slabPlaces * 8

  package let slots = ReaderSlots()
  let lock = Lock()
  private let filled = ConditionVariable()
  private let header: UnsafeMutablePointer<FrameMap.Header>
  private let slabs: UnsafeMutablePointer<Slab>
  private let slabsBytes = Frames.mostSlabs * MemoryLayout<Slab>.stride
  /// For each stretch, the number of its frames that hold memory: see ``noteHeld(_:)``.
  let stretches: UnsafeMutablePointer<Atomic<UInt16>>
  private let stretchesBytes = Frames.mostStretches * MemoryLayout<UInt16>.stride

  /// The mirrored file; nil for a store in memory.
  let file: (any StorageFile)?
  private let validator: PageValidator
  #if DEBUG
    /// Skips the comparison of checksums. Set before the first look-up: see
    /// ``StoreOptions/skipsChecks``.
    var skipsChecks = false
  #endif
  let schedule: Schedule?
  /// Whether another process has written the file since this store was opened read-only. Set before
  /// the first look-up; nil in a store that holds the lock.
  var isOvertaken: (@Sendable () throws(StoreError) -> Bool)?
  /// Repairs pages with one flipped bit; nil if this process does not hold the store's lock.
  let repairs: PageRepairs?
  /// The number of frames that may hold memory before clean ones are evicted.
  package let capacity: Int

  // Protected by `lock`.
  /// Slabs that have memory; those below `slabCount` are in use.
  private var mapped = 0
  /// Page → copy, as the durable superblock lists them.
  private var copies: [UInt32: UInt32] = [:]
  private var pieces: [UnsafeMutableRawBufferPointer] = []
  /// The place that the last sweep ended at.
  var sweepPlace = 2
  var leaving: [Departure] = []
  /// The places of all departures. A frame that was kept and chosen again must not leave with its
  /// earlier departure, which does not know later readers. So no frame in this set is chosen.
  var listed = Set<UInt32>()

  /// Room was made for the places below this one. Sweeps visit no others.
  private let end = Atomic<Int>(0)
  var placeEnd: Int { end.load(ordering: .acquiring) }

  /// The number of frames whose memory is in use, including drafts.
  package let resident = Atomic<Int>(0)
  /// The number of times that a stretch became dense.
  package let denseStretches = Atomic<Int>(0)
  /// The stretch that became a huge page when the writer began it. Only the writer uses it.
  let begunStretch = Atomic<Int>(-1)
  /// Above this number the next sweep is due. It grows ahead of `resident` while sweeps find
  /// nothing to evict.
  let crowded: Atomic<Int>
  package let drafts = Atomic<Int>(0)
  package let fills = Atomic<Int>(0)

  struct Departure {
    var places: [UInt32]
    var activities: [UInt64]
  }

  package init(
    file: (any StorageFile)?, capacity: Int, validator: @escaping PageValidator, schedule: Schedule? = nil,
    repairs: PageRepairs? = nil
  ) throws(StoreError) {
    guard let table = Frames.map(slabsBytes) else {
      throw StoreError(.outOfMemory, "no room for the table of frames")
    }
    guard let counts = Frames.map(stretchesBytes) else {
      munmap(table, slabsBytes)
      throw StoreError(.outOfMemory, "no room for the counts of frames")
    }
    slabs = table.bindMemory(to: Slab.self, capacity: Self.mostSlabs)
    // Memory from the system is zero, which is a count of zero.
    stretches = counts.bindMemory(to: Atomic<UInt16>.self, capacity: Self.mostStretches)
    header = .allocate(capacity: 1)
    self.file = file
    self.capacity = max(capacity, 64)
    crowded = Atomic(max(capacity, 64))
    self.validator = validator
    self.schedule = schedule
    self.repairs = repairs
    header.initialize(to: FrameMap.Header(slabs: slabs, owner: .passUnretained(self)))
  }

  deinit {
    for piece in pieces { munmap(piece.baseAddress!, piece.count) }
    munmap(slabs, slabsBytes)
    munmap(stretches, stretchesBytes)
    header.deinitialize(count: 1)
    header.deallocate()
  }

  package var map: FrameMap { FrameMap(header: header) }

  /// Makes room for frames up to, but without, `place`.
  package func reserve(upTo place: Int) throws(StoreError) {
    if place <= end.load(ordering: .relaxed) { return }
    let needed = (place + FrameMap.slabPlaces - 1) / FrameMap.slabPlaces
    if needed > slabCount { try addSlabs(upTo: needed) }
    end.max(place, ordering: .releasing)
  }

  private func addSlabs(upTo needed: Int) throws(StoreError) {
    try lock.withLock { () throws(StoreError) in
      guard needed <= Self.mostSlabs else {
        throw StoreError(.diskFull, "a store has at most \(Self.mostSlabs * FrameMap.slabPlaces) pages")
      }
      while mapped < needed { try mapMore(needed - mapped) }
      if needed > header.pointee.slabCount.load(ordering: .relaxed) {
        header.pointee.slabCount.store(needed, ordering: .releasing)
      }
    }
  }

  /// Maps at least one more slab, and `missing` if that is possible. The caller holds the lock.
  ///
  /// A large store maps many slabs at once, because the system limits the number of mappings of a
  /// process (`vm.max_map_count`, usually 65,530).
  private func mapMore(_ missing: Int) throws(StoreError) {
    let exact = min(missing, Self.mostSlabsInPiece)
    let generous = min(max(missing, mapped / 8), Self.mostSlabsInPiece, Self.mostSlabs - mapped)
    if mapPiece(max(exact, generous)) || mapPiece(exact) || mapPiece(1) { return }
    throw StoreError(
      .outOfMemory,
      "no address space for the pages of a file of more than \(mapped * Self.slabBytes >> 20) MiB: `ulimit -v` or "
        + "`vm.max_map_count` is too low")
  }

  private var isCrowded: Bool { resident.load(ordering: .relaxed) > crowded.load(ordering: .relaxed) }

  var slabCount: Int { header.pointee.slabCount.load(ordering: .acquiring) }
  func slab(_ index: Int) -> Slab { slabs[index] }

  // MARK: The writer's frames

  /// Gives a new page its frame, as a draft. `reserve` has made room for it.
  package func begin(_ page: PageID, as kind: UInt8 = 0) {
    let cell = map.stateCell(page)
    let wanted = FrameState.ready | FrameState.draft | FrameState.used | kind
    while true {
      let state = cell.pointee.load(ordering: .acquiring)
      if state & FrameState.filling != 0 {
        // An eviction is giving its memory back, under the lock.
        lock.withLock {}
        continue
      }
      if Self.change(cell, from: state, to: wanted) {
        if state & FrameState.vacant == 0, noteBegun(page) { collapse(page) }
        break
      }
    }
    drafts.add(1, ordering: .relaxed)
    if isCrowded { lock.withLock { makeRoom() } }
  }

  /// Ends the frame of a page that no reader can reach any more.
  package func end(_ page: PageID) {
    // Extents and map pages that were written directly to the file may never have had a frame.
    guard Int(page.place) < slabCount * FrameMap.slabPlaces else { return }
    let cell = map.stateCell(page)
    while true {
      let state = cell.pointee.load(ordering: .acquiring)
      if state & FrameState.filling != 0 {
        lock.withLock {}
        continue
      }
      let holdsMemory = state & (FrameState.ready | FrameState.leaving | FrameState.vacant) != 0
      let wanted = holdsMemory ? FrameState.vacant : 0
      if Self.change(cell, from: state, to: wanted) {
        if state & FrameState.draft != 0 { drafts.subtract(1, ordering: .relaxed) }
        return
      }
    }
  }

  /// Marks a draft as written, so that it may be evicted.
  package func settle(_ page: PageID) {
    let old = map.stateCell(page).pointee.bitwiseAnd(~FrameState.draft, ordering: .acquiringAndReleasing)
    if old.oldValue & FrameState.draft != 0 { drafts.subtract(1, ordering: .relaxed) }
  }

  /// The places of all drafts, ascending. Must be called while all drafts are committed.
  func draftPlaces() -> [UInt32] {
    var places: [UInt32] = []
    places.reserveCapacity(drafts.load(ordering: .relaxed))
    for index in 0..<slabCount {
      let states = slab(index).states
      for place in 0..<FrameMap.slabPlaces
      where states[place].load(ordering: .relaxed) & FrameState.draft != 0 {
        places.append(UInt32(index << FrameMap.slabShift + place))
      }
    }
    return places
  }

  /// Changes a state unless another thread just did: the writer and the end of a checkpoint change
  /// states without the lock.
  @discardableResult
  static func change(_ cell: UnsafeMutablePointer<Atomic<UInt8>>, from old: UInt8, to new: UInt8) -> Bool {
    cell.pointee.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
  }

  // MARK: Copies

  /// Sets the places of copies.
  func setCopies(_ list: [PageCopy]) {
    let table = Dictionary(uniqueKeysWithValues: list.map { ($0.page.place, $0.copy.place) })
    lock.withLock { copies = table }
  }

  /// The copy of a page, if it has one.
  func copy(of page: PageID) -> PageID? { lock.withLock { copies[page.place] }.map { PageID($0) } }

  /// Reads the copy of a damaged page. If it returns false there is no copy with this checksum, and
  /// the buffer's content is undefined.
  private func readCopy(of page: PageID, into buffer: UnsafeMutableRawBufferPointer, check: UInt64) -> Bool {
    guard let file, check != 0, let copy = copy(of: page) else { return false }
    do throws(StoreError) { try file.readFully(into: buffer, at: copy.byteOffset) } catch { return false }
    guard Checksum.of(UnsafeRawBufferPointer(buffer)) == check || repairs?.mend(buffer, at: copy, check: check) == true
    else { return false }
    repairs?.note(page, readFrom: copy)
    return true
  }

  // MARK: Reading

  /// Reads an absent page, checks and validates it, and makes its frame ready.
  func fill(_ reference: PageReference) throws(StoreError) -> UnsafeRawPointer {
    let page = reference.page
    guard page.place >= 2, Int(page.place) < slabCount * FrameMap.slabPlaces else {
      throw StoreError(.damaged, "a reference points outside the file", page: UInt64(page.place))
    }
    let map = self.map
    // In a file that was cut, references may point outside of it.
    if Int(page.place) >= placeEnd { end.max(Int(page.place) + 1, ordering: .releasing) }
    let cell = map.stateCell(page)
    var isDense = false
    lock.acquire()
    while true {
      let state = cell.pointee.load(ordering: .acquiring)
      if state & (FrameState.ready | FrameState.leaving) != 0 {
        // The frame was swept, or is about to leave: it stays.
        schedule?(.changingState)
        let kept = (state & ~FrameState.leaving) | FrameState.ready | FrameState.used
        guard Self.change(cell, from: state, to: kept) else { continue }
        lock.release()
        return UnsafeRawPointer(map.memory(page))
      }
      if state & FrameState.filling == 0 {
        guard Self.change(cell, from: state, to: state | FrameState.filling) else { continue }
        if state & FrameState.vacant == 0 { isDense = noteHeld(page) }
        break
      }
      filled.wait(lock)
    }
    if isCrowded { makeRoom() }
    lock.release()

    var failure: StoreError?
    schedule?(.filling)
    do throws(StoreError) { try read(reference, into: map.memory(page)) } catch { failure = error }
    schedule?(.filled)

    lock.acquire()
    cell.pointee.store(failure == nil ? FrameState.ready | FrameState.used : FrameState.vacant, ordering: .releasing)
    filled.broadcast()
    lock.release()
    if isDense { collapse(page) }
    if let failure { throw explained(failure) }
    return UnsafeRawPointer(map.memory(page))
  }

  /// The error of a page whose content is wrong. In a read-only store, its owner may have
  /// overwritten the page since; then the file is not damaged.
  func explained(_ error: StoreError) -> StoreError {
    guard let isOvertaken, error.isAboutContent, (try? isOvertaken()) == true else { return error }
    return StoreError(
      .overtaken, "another process has written the store since it was opened, and overwrote a page of this state",
      path: file?.path, page: error.page)
  }

  private func read(_ reference: PageReference, into memory: UnsafeMutableRawPointer) throws(StoreError) {
    let page = reference.page
    guard let file else {
      throw StoreError(.damaged, "a page in memory is missing", page: UInt64(page.place))
    }
    fills.add(1, ordering: .relaxed)
    let buffer = UnsafeMutableRawBufferPointer(start: memory, count: Page.size)
    let expected = reference.check != 0 ? reference.check : map.check(page)
    do throws(StoreError) { try file.readFully(into: buffer, at: page.byteOffset) } catch {
      if readCopy(of: page, into: buffer, check: expected) { return try validate(page, memory) }
      throw StoreError(
        error.code, error.detail, path: file.path, page: UInt64(page.place), offset: error.offset,
        errorNumber: error.errorNumber)
    }
    #if DEBUG
      if skipsChecks { return try validate(page, memory) }
    #endif
    // Until the frame is ready only this thread uses its memory, so no other thread sees a repair
    // in progress.
    guard
      expected != 0
        && (Checksum.of(UnsafeRawBufferPointer(buffer)) == expected
          || repairs?.mend(buffer, at: page, check: expected) == true
          || readCopy(of: page, into: buffer, check: expected))
    else {
      throw damage("the page has a wrong checksum", page)
    }
    try validate(page, memory)
  }

  private func validate(_ page: PageID, _ memory: UnsafeMutableRawPointer) throws(StoreError) {
    guard UnsafeRawPointer(memory).u32(Page.Field.place) == page.place else {
      throw damage("the page has the number of another page", page)
    }
    if let complaint = validator(page, memory) { throw damage(complaint, page) }
  }

  private func damage(_ what: String, _ page: PageID) -> StoreError {
    StoreError(.damaged, what, path: file?.path, page: UInt64(page.place), offset: page.byteOffset)
  }

  /// 4 GiB of frames.
  private static let mostSlabsInPiece = 64

  /// Maps slabs after the existing ones: the frames of all, then their checksums, then their
  /// states. Returns false if the system has no address space. The caller holds the lock.
  ///
  /// The frames begin at a multiple of 2 MiB, so that a stretch of them may become a huge page: see
  /// ``noteHeld(_:)``.
  private func mapPiece(_ count: Int) -> Bool {
    let frameBytes = count * Self.slabBytes
    let bytes = frameBytes + count * (Self.checksBytes + FrameMap.slabPlaces)
    guard let memory = Frames.map(bytes + Self.stretchBytes) else { return false }
    let lead = (Self.stretchBytes - Int(bitPattern: memory) % Self.stretchBytes) % Self.stretchBytes
    if lead > 0 { munmap(memory, lead) }
    let piece = memory + lead
    munmap(piece + bytes, Self.stretchBytes - lead)
    let checks = piece + frameBytes
    let states = checks + count * Self.checksBytes
    for index in 0..<count {
      (slabs + mapped + index).initialize(
        to: Slab(
          memory: piece + index * Self.slabBytes,
          states: (states + index * FrameMap.slabPlaces)
            .bindMemory(to: Atomic<UInt8>.self, capacity: FrameMap.slabPlaces),
          checks: (checks + index * Self.checksBytes)
            .bindMemory(to: UInt64.self, capacity: FrameMap.slabPlaces)))
    }
    mapped += count
    pieces.append(UnsafeMutableRawBufferPointer(start: piece, count: bytes))
    return true
  }

  static func map(_ bytes: Int) -> UnsafeMutableRawPointer? {
    #if canImport(Darwin)
      let flags = MAP_PRIVATE | MAP_ANON
    #else
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    #endif
    guard let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, -1, 0), memory != MAP_FAILED else {
      return nil
    }
    return memory
  }
}
