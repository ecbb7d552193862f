internal import CRetain
internal import RoostFile
internal import Synchronization

/// The objects of one entity in one context, by row. It does not keep them alive.
///
/// An object removes itself when it is released, which may be on any thread. Until then a look-up
/// finds it and retains it, or returns nothing if its release has begun. So a row may get another
/// object while the old one ends; the ticket distinguishes them.
///
/// ## Invariants
/// 1. An entry's object is not freed yet: it removes itself, under the lock, before its memory is
///    freed.
/// 2. There is no free entry between the place where a row belongs and the entry of the row.
/// 3. At least half of the entries are free.
///
/// The lock is one word. It is held for a few instructions, and taken three times for each object
/// that comes and goes, nearly always by one thread. A thread that finds it taken yields.
///
/// Unchecked because the lock guards all of it.
final class IdentityMap: @unchecked Sendable {
  private struct Entry {
    var row: UInt64
    var object: UnsafeMutableRawPointer
    var ticket: UInt32
  }

  /// Row numbers that no object has: of a free entry, and of a removed entry with other entries
  /// after it.
  private static let free: UInt64 = 0
  private static let gone: UInt64 = .max

  private let isTaken = Atomic<Bool>(false)
  @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
  @exclusivity(unchecked) private var mask: Int
  /// A product is shifted right by this to get the number of a block of eight entries.
  @exclusivity(unchecked) private var shift: UInt64 = 63
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private var goneCount = 0
  @exclusivity(unchecked) private var lastTicket: UInt32 = 0

  init() {
    mask = 15
    entries = Self.make(16)
  }

  deinit { entries.deallocate() }

  private static func make(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
    let bytes = capacity * MemoryLayout<Entry>.stride
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: MemoryLayout<Entry>.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    return memory.assumingMemoryBound(to: Entry.self)
  }

  @inline(__always)
  private func acquire() {
    let isFree = isTaken.compareExchange(
      expected: false, desired: true, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
    if !isFree { wait() }
  }

  @inline(never)
  private func wait() {
    while !isTaken.weakCompareExchange(
      expected: false, desired: true, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged { Thread.yield() }
  }

  @inline(__always)
  private func release() { isTaken.store(false, ordering: .releasing) }

  /// The number of objects.
  var count: Int {
    acquire()
    defer { release() }
    return used - goneCount
  }

  /// Consecutive rows are in consecutive entries, eight in a block, because they are looked up
  /// together. The product spreads consecutive blocks as evenly as possible, so they rarely
  /// collide. Blocks that began anywhere would collide.
  @inline(__always)
  private func place(_ row: UInt64) -> Int {
    Int(truncatingIfNeeded: ((row &>> 3) &* 0x9E37_79B9_7F4A_7C15) &>> shift) &<< 3 | Int(truncatingIfNeeded: row & 7)
  }

  /// The entry of a row, or the free entry that it would get.
  @inline(__always)
  private func entry(of row: UInt64) -> UnsafeMutablePointer<Entry> {
    var at = place(row)
    while entries[at].row != row && entries[at].row != Self.free { at = (at &+ 1) & mask }
    return entries + at
  }

  /// Whether a number can be a row's. Made-up identifiers may contain the other two numbers, which
  /// must find no entry.
  @inline(__always)
  private func isRow(_ row: UInt64) -> Bool { row != Self.free && row != Self.gone }

  /// The row's object, unless its release has begun.
  func object(_ row: UInt64) -> AnyObject? {
    if !isRow(row) { return nil }
    acquire()
    defer { release() }
    let entry = entry(of: row)
    guard entry.pointee.row == row, let memory = swift_tryRetain(entry.pointee.object) else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(memory).takeRetainedValue()
  }

  /// Reads the flags and one reference from the memory of a row's object, without retaining the
  /// object. An object removes itself from the map before its memory is freed.
  @inline(__always)
  func read(_ row: UInt64, flags: Int, reference: Int) -> (flags: UInt32, row: UInt64)? {
    if !isRow(row) { return nil }
    acquire()
    defer { release() }
    let entry = entry(of: row)
    guard entry.pointee.row == row else { return nil }
    let object = UnsafeRawPointer(entry.pointee.object)
    return (
      object.load(fromByteOffset: flags, as: UInt32.self), object.load(fromByteOffset: reference, as: UInt64.self)
    )
  }

  /// Whether the row has an object, whose release may have begun.
  func contains(_ row: UInt64) -> Bool {
    if !isRow(row) { return false }
    acquire()
    defer { release() }
    return entry(of: row).pointee.row == row
  }

  /// Makes this the row's object. The row must have no other object, unless its release has begun.
  /// The ticket is for ``remove(_:_:)``.
  func put(_ row: UInt64, _ object: AnyObject) -> UInt32 {
    if !isRow(row) { return .max }
    acquire()
    defer { release() }
    if used &* 2 > mask { grow() }
    let entry = entry(of: row)
    if entry.pointee.row == Self.free { used &+= 1 }
    lastTicket &+= 1
    entry.pointee = Entry(row: row, object: Unmanaged.passUnretained(object).toOpaque(), ticket: lastTicket)
    return lastTicket
  }

  /// Removes an object that is being released or leaves the context.
  func remove(_ row: UInt64, _ ticket: UInt32) {
    if !isRow(row) { return }
    acquire()
    defer { release() }
    let found = entry(of: row)
    guard found.pointee.row == row, found.pointee.ticket == ticket else { return }
    var at = found - entries
    if entries[(at &+ 1) & mask].row != Self.free {
      entries[at].row = Self.gone
      goneCount &+= 1
      return
    }
    entries[at].row = Self.free
    used &-= 1
    // No entry follows, so removed entries before this one become free too.
    while true {
      at = (at &- 1) & mask
      guard entries[at].row == Self.gone else { return }
      entries[at].row = Self.free
      goneCount &-= 1
      used &-= 1
    }
  }

  /// Makes room for this number of objects.
  func reserve(_ objects: Int) {
    acquire()
    defer { release() }
    // Half of the entries stay free.
    var capacity = mask + 1
    while capacity <= objects &* 2, capacity < Self.mostReserved { capacity *= 2 }
    if capacity > mask + 1 { move(to: capacity) }
  }

  /// A larger map grows step by step with its objects.
  private static let mostReserved = 1 << 22

  private func grow() {
    let count = mask + 1
    move(to: (used - goneCount) * 4 > count ? count * 2 : count)
  }

  private func move(to capacity: Int) {
    let (old, count) = (entries, mask + 1)
    entries = Self.make(capacity)
    mask = capacity - 1
    shift = UInt64(64 - (capacity.trailingZeroBitCount - 3))
    (used, goneCount) = (0, 0)
    for at in 0..<count where old[at].row != Self.free && old[at].row != Self.gone {
      entry(of: old[at].row).pointee = old[at]
      used += 1
    }
    old.deallocate()
  }

  /// All objects whose release has not begun.
  func objects() -> [AnyObject] {
    acquire()
    defer { release() }
    var all: [AnyObject] = []
    for at in 0...mask where entries[at].row != Self.free && entries[at].row != Self.gone {
      guard let memory = swift_tryRetain(entries[at].object) else { continue }
      all.append(Unmanaged<AnyObject>.fromOpaque(memory).takeRetainedValue())
    }
    return all
  }
}
