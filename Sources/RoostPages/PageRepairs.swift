import RoostBytes
import RoostFile
import Synchronization

/// Repairs damaged pages of one opening: flips one bit back, or reads the copy.
///
/// A page's parent holds the checksum of its bytes. If they do not match, each variant of the bytes
/// with one flipped bit is compared with the checksum. If exactly one matches, it is the page as it
/// was written: the odds that another one matches are one in 10^14. The page in memory is repaired;
/// ``Store/repair(_:fileSystem:options:floor:_:)`` repairs the file.
///
/// Only the holder of the store's lock repairs. While another process writes, a page that does not
/// match may be one that the writer has reused.
///
/// Unchecked because all mutable fields are protected by the lock.
package final class PageRepairs: @unchecked Sendable {
  /// One page that was repaired.
  package struct Repair: Hashable, Sendable, CustomStringConvertible {
    package enum Means: Hashable, Sendable {
      /// This bit was flipped back, counted from the first bit of the page.
      case bit(Int)
      /// The bytes were read from this page, which is its copy.
      case copy(PageID)
    }

    package var page: PageID
    package var means: Means

    package init(page: PageID, bit: Int) { (self.page, means) = (page, .bit(bit)) }
    package init(page: PageID, from copy: PageID) { (self.page, means) = (page, .copy(copy)) }

    package var description: String {
      switch means {
      case .bit(let bit): "page \(page.place): bit \(bit % 8) of byte \(bit / 8) had flipped"
      case .copy(let copy): "page \(page.place): damaged; the bytes of page \(copy.place) were taken, which is its copy"
      }
    }
  }

  /// The most repairs in an opening. More damage is not caused by accidental single bits.
  package static let most = 64
  /// The time grows with the square of the bytes: 3 ms for a page, 40 ms for this size, in
  /// optimized builds.
  private static let mostBytes = 16 << 10
  private let mostRepairs: Int
  /// The most unsuccessful searches, because each takes time.
  private let mostSearches: Int
  private let path: String
  private let say: @Sendable (String) -> Void
  private let lock = Lock()
  private var bits: [PageReference: Int] = [:]
  private var hopeless = Set<PageReference>()
  private var copied = Set<Repair>()
  private var made: [Repair] = []
  private var untold: [Repair] = []
  private let untoldCount = Atomic<Int>(0)

  /// The repairs of an opening.
  init(_ path: String, say: @escaping @Sendable (String) -> Void) {
    self.path = path
    self.say = say
    mostRepairs = Self.most
    mostSearches = 64
  }

  /// Repairs for a salvage or for the file itself: without limit, and without messages.
  init(ofWhole path: String) {
    self.path = path
    say = { _ in }
    mostRepairs = .max
    mostSearches = 4096
  }

  /// All repairs so far, in the order in which they were made.
  package var all: [Repair] { lock.withLock { made } }

  /// The repairs since the last call.
  package func takeUntold() -> [Repair] {
    if untoldCount.load(ordering: .relaxed) == 0 { return [] }
    return lock.withLock {
      defer { untold = [] }
      untoldCount.store(0, ordering: .relaxed)
      return untold
    }
  }

  /// Flips one bit of the bytes back, so that they have this checksum. Returns false if that is
  /// impossible, and then the bytes are unchanged. No other thread may use the bytes.
  func mend(_ bytes: UnsafeMutableRawBufferPointer, at page: PageID, check: UInt64) -> Bool {
    mend(bytes, PageReference(page, check: check), isRight: { Checksum.of($0) == check }) {
      Checksum.singleBits(in: $0, matching: check)
    }
  }

  /// Flips one bit of a superblock back, which contains its own checksum.
  func mendSuperblock(_ bytes: UnsafeMutableRawBufferPointer, slot: Int) -> Bool {
    guard bytes.count == Page.size else { return false }
    let check = UnsafeRawPointer(bytes.baseAddress!).u64(Superblock.checkOffset)
    func own(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
      Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<Superblock.checkOffset]))
    }
    return mend(
      bytes, PageReference(PageID(UInt32(slot)), check: check),
      isRight: { own($0) == $0.baseAddress!.u64(Superblock.checkOffset) }
    ) {
      let body = UnsafeRawBufferPointer(rebasing: $0[..<Superblock.checkOffset])
      let difference = own($0) ^ check
      let inCheck =
        difference.nonzeroBitCount == 1 ? [Superblock.checkOffset * 8 + difference.trailingZeroBitCount] : []
      return inCheck + Checksum.singleBits(in: body, matching: check)
    }
  }

  private func mend(
    _ bytes: UnsafeMutableRawBufferPointer, _ reference: PageReference,
    isRight: (UnsafeRawBufferPointer) -> Bool, search: (UnsafeRawBufferPointer) -> [Int]
  ) -> Bool {
    guard reference.check != 0, bytes.count <= Self.mostBytes else { return false }
    let (known, isHopeless) = lock.withLock {
      (bits[reference], hopeless.contains(reference) || bits.count >= mostRepairs || hopeless.count >= mostSearches)
    }
    if let known {
      guard known / 8 < bytes.count else { return false }
      bytes[known / 8] ^= 1 << UInt8(known % 8)
      if isRight(UnsafeRawBufferPointer(bytes)) { return true }
      bytes[known / 8] ^= 1 << UInt8(known % 8)
      return false
    }
    if isHopeless { return false }
    let found = search(UnsafeRawBufferPointer(bytes))
    guard found.count == 1, let bit = found.first else {
      lock.withLock { _ = hopeless.insert(reference) }
      return false
    }
    guard note(reference, bit) else { return false }
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    return true
  }

  /// Notes that a damaged page was read from its copy.
  func note(_ page: PageID, readFrom copy: PageID) {
    let repair = Repair(page: page, from: copy)
    let isNew = lock.withLock { () -> Bool in
      guard copied.insert(repair).inserted else { return false }
      add(repair)
      return true
    }
    if isNew { tell(repair) }
  }

  /// The caller holds the lock.
  private func add(_ repair: Repair) {
    made.append(repair)
    untold.append(repair)
    untoldCount.store(untold.count, ordering: .relaxed)
  }

  private func tell(_ repair: Repair) {
    say("\(path): \(repair). It was repaired in memory; 'roost verify --repair' repairs the file")
  }

  /// Notes a repair. Returns false if the limit is reached.
  private func note(_ reference: PageReference, _ bit: Int) -> Bool {
    let repair = Repair(
      page: PageID(reference.page.place &+ UInt32(bit / 8 / Page.size)), bit: bit % (Page.size * 8))
    let (isAllowed, isNew) = lock.withLock { () -> (Bool, Bool) in
      if bits[reference] != nil { return (true, false) }
      if bits.count >= mostRepairs { return (false, false) }
      bits[reference] = bit
      add(repair)
      return (true, true)
    }
    if isNew { tell(repair) }
    return isAllowed
  }
}
