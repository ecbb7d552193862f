import RoostBytes
import RoostFile

/// Documents in memory that will become a segment or loose rows: a hash table of terms, each with its places so far.
///
/// The bytes of a term's places are in slices of growing size, so that a term may grow without moving. A slice ends with
/// the offset of the next one.
///
/// ## Layout
/// A place in a document that is new for the term, or in a new field: (distance of the document × fields + field) × 2 +
/// 1, then the position. Another place: distance of the position, times 2. All are variable-length numbers.
final class TextDraft {
  struct Term {
    /// Its first eight bytes: see ``TermHash/word(_:_:)``.
    var word: UInt64
    /// The offset of its bytes in `termBytes`.
    var start: UInt32
    var document: UInt32
    /// The field and position of the last place.
    var place: UInt32
    var head: UInt32
    /// The offset of the next byte, and the end of the slice.
    var next: UInt32
    var limit: UInt32
  }

  /// The part of a term that is seldom needed. Without it a term has 32 bytes, which are in one line of the processor's
  /// cache.
  private struct Extent {
    var length: UInt8
    var level: UInt8
  }

  let fieldCount: Int
  private(set) var rows: [Int64] = []
  /// For each document the terms of each field.
  private(set) var lengths: [UInt32] = []
  private(set) var deleted: Set<UInt32> = []
  /// The documents of rows; filled at the first look-up of a row.
  private var documents: [Int64: UInt32]?

  private(set) var terms: UnsafeMutablePointer<Term>
  private var extents: UnsafeMutablePointer<Extent>
  private(set) var termCount = 0
  private var termRoom = 512
  /// A part of the hash (24 bits), the bytes of the term (8), and its number plus 1 (32); 0 if free.
  private var slots: UnsafeMutablePointer<UInt64>
  private var slotCount = 1024
  private let batch = UnsafeMutablePointer<Lookup>.allocate(capacity: TextDraft.batchCount)
  private let termBytes = ByteSink(room: 4096)
  private(set) var arena: UnsafeMutablePointer<UInt8>
  private(set) var arenaCount = 0
  private var arenaRoom = 16_384

  init(fieldCount: Int) {
    self.fieldCount = fieldCount
    terms = Self.allocateTerms(termRoom)
    extents = .allocate(capacity: termRoom)
    slots = .allocate(capacity: slotCount)
    slots.update(repeating: 0, count: slotCount)
    arena = .allocate(capacity: arenaRoom)
  }

  private static func allocateTerms(_ room: Int) -> UnsafeMutablePointer<Term> {
    UnsafeMutableRawPointer.allocate(byteCount: room * MemoryLayout<Term>.stride, alignment: 64)
      .bindMemory(to: Term.self, capacity: room)
  }

  deinit {
    terms.deallocate()
    extents.deallocate()
    batch.deallocate()
    slots.deallocate()
    arena.deallocate()
  }

  var isEmpty: Bool { rows.isEmpty }
  var liveCount: Int { rows.count - deleted.count }
  var byteCount: Int { arenaCount + termBytes.count + termCount * 48 + rows.count * 16 }

  func clear() {
    rows.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    deleted.removeAll()
    documents = nil
    termCount = 0
    termBytes.clear()
    arenaCount = 0
    if slotCount > 1 << 16 {
      slots.deallocate()
      slotCount = 1024
      slots = .allocate(capacity: slotCount)
    }
    slots.update(repeating: 0, count: slotCount)
  }

  // MARK: Documents

  /// Begins a document. Its terms follow, then the next document begins.
  func begin(row: Int64) {
    documents?[row] = UInt32(truncatingIfNeeded: rows.count)
    rows.append(row)
    for _ in 0..<fieldCount { lengths.append(0) }
  }

  func setLength(_ length: Int, field: Int) {
    lengths[(rows.count - 1) * fieldCount + field] = UInt32(truncatingIfNeeded: length)
  }

  /// Marks the document of a row as deleted. Returns its number.
  func delete(row: Int64) -> UInt32? {
    if documents == nil {
      var found: [Int64: UInt32] = [:]
      for (place, row) in rows.enumerated() where !deleted.contains(UInt32(place)) { found[row] = UInt32(place) }
      documents = found
    }
    guard let document = documents?.removeValue(forKey: row) else { return nil }
    deleted.insert(document)
    return document
  }

  // MARK: Terms

  /// Adds all terms that a scanner found to a field of the last document.
  ///
  /// Most terms are in memory that the processor's caches do not have. So each step loads something for many terms, and
  /// the next step needs it: the processor waits for several loads at a time.
  func add(_ scanner: TextScanner, field: Int) {
    let marks = scanner.marks
    let bytes = scanner.bytes
    let document = UInt32(truncatingIfNeeded: rows.count &- 1)
    let fieldBits = UInt32(truncatingIfNeeded: field) << 27
    var start = 0
    while start < scanner.count {
      let end = min(start &+ Self.batchCount, scanner.count)
      for place in start..<end {
        let (term, count) = (bytes + Int(marks[place].start), Int(marks[place].length))
        let word = TermHash.word(term, count)
        let hash = TermHash.of(word, term, count: count)
        let slot = slots[Int(truncatingIfNeeded: hash) & (slotCount &- 1)]
        batch[place &- start] = Lookup(hash: hash, word: word, slot: slot, known: 0)
      }
      for place in 0..<end &- start {
        let number = batch[place].slot & 0xFFFF_FFFF
        if number > 0 { batch[place].known = terms[Int(truncatingIfNeeded: number &- 1)].word }
      }
      for place in start..<end {
        let (term, count) = (bytes + Int(marks[place].start), Int(marks[place].length))
        let lookup = batch[place &- start]
        let isTagged = lookup.slot & 0xFFFF_FFFF_0000_0000 == Self.tag(lookup.hash, count)
        let index =
          isTagged && lookup.known == lookup.word && count <= 8
          ? Int(truncatingIfNeeded: lookup.slot & 0xFFFF_FFFF) &- 1
          : intern(term, count, hash: lookup.hash, word: lookup.word)
        add(index, document: document, place: fieldBits | marks[place].position)
      }
      start = end
    }
  }

  /// A term that is looked up: the first slot that may have it, and the first eight bytes of the term there.
  private struct Lookup {
    var hash: UInt64
    var word: UInt64
    var slot: UInt64
    var known: UInt64
  }

  private static let batchCount = 64

  /// The number of a term. At least eight bytes can be read from `bytes` on, even if the term has less.
  func intern(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
    let word = TermHash.word(bytes, count)
    return intern(bytes, count, hash: TermHash.of(word, bytes, count: count), word: word)
  }

  @inline(__always)
  private func intern(_ bytes: UnsafePointer<UInt8>, _ count: Int, hash: UInt64, word: UInt64) -> Int {
    let tag = Self.tag(hash, count)
    var slot = Int(truncatingIfNeeded: hash) & (slotCount &- 1)
    while true {
      let found = slots[slot]
      if found & 0xFFFF_FFFF_0000_0000 == tag {
        let index = Int(truncatingIfNeeded: found & 0xFFFF_FFFF) &- 1
        if terms[index].word == word,
          count <= 8 || isSame(termBytes.start + Int(terms[index].start), bytes, count: count)
        {
          return index
        }
      } else if found == 0 {
        return insert(bytes, count, word: word, tag: tag, slot: slot)
      }
      slot = (slot &+ 1) & (slotCount &- 1)
    }
  }

  /// The upper half of a slot. A term has at least one byte, so it is not 0.
  @inline(__always)
  private static func tag(_ hash: UInt64, _ count: Int) -> UInt64 {
    hash & 0xFFFF_FF00_0000_0000 | UInt64(truncatingIfNeeded: count) << 32
  }

  @inline(__always)
  private func isSame(_ one: UnsafePointer<UInt8>, _ other: UnsafePointer<UInt8>, count: Int) -> Bool {
    // The first eight bytes are the same.
    let (one, other) = (UnsafeRawPointer(one), UnsafeRawPointer(other))
    var at = 8
    while true {
      at = min(at, count &- 8)
      let word = one.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      if word != other.loadUnaligned(fromByteOffset: at, as: UInt64.self) { return false }
      at &+= 8
      if at == count { return true }
    }
  }

  @inline(never)
  private func insert(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, word: UInt64, tag: UInt64, slot: Int
  ) -> Int {
    if termCount == termRoom { growTerms() }
    let start = termBytes.count
    termBytes.append(UnsafeRawBufferPointer(start: bytes, count: count))
    let head = slice(0)
    terms[termCount] = Term(
      word: word, start: UInt32(truncatingIfNeeded: start), document: .max, place: 0, head: head, next: head,
      limit: head &+ Self.payload(0))
    extents[termCount] = Extent(length: UInt8(truncatingIfNeeded: count), level: 0)
    termCount += 1
    slots[slot] = tag | UInt64(termCount)
    if termCount * 2 > slotCount { growSlots() }
    return termCount - 1
  }

  private func growTerms() {
    let larger = Self.allocateTerms(termRoom * 2)
    larger.update(from: terms, count: termCount)
    terms.deallocate()
    terms = larger
    let others = UnsafeMutablePointer<Extent>.allocate(capacity: termRoom * 2)
    others.update(from: extents, count: termCount)
    extents.deallocate()
    extents = others
    termRoom *= 2
  }

  private func growSlots() {
    slots.deallocate()
    slotCount *= 4
    slots = .allocate(capacity: slotCount)
    slots.update(repeating: 0, count: slotCount)
    for index in 0..<termCount {
      let count = Int(extents[index].length)
      let hash = TermHash.of(terms[index].word, termBytes.start + Int(terms[index].start), count: count)
      var slot = Int(truncatingIfNeeded: hash) & (slotCount - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
      slots[slot] = Self.tag(hash, count) | UInt64(index + 1)
    }
  }

  func term(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: termBytes.start + Int(terms[index].start), count: Int(extents[index].length))
  }

  // MARK: Places

  private static let mostLevel: UInt8 = 9
  static func payload(_ level: UInt32) -> UInt32 { 16 << min(level, UInt32(mostLevel)) - 4 }

  private func slice(_ level: UInt32) -> UInt32 {
    let size = Int(Self.payload(level)) + 4
    if arenaCount + size > arenaRoom {
      arenaRoom = (arenaCount + size) * 2
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: arenaRoom)
      larger.update(from: arena, count: arenaCount)
      arena.deallocate()
      arena = larger
    }
    arenaCount += size
    return UInt32(truncatingIfNeeded: arenaCount - size)
  }

  @inline(__always)
  func add(_ index: Int, document: UInt32, place: UInt32) {
    let term = terms + index
    if term.pointee.document == document, TextPlace.field(term.pointee.place) == TextPlace.field(place) {
      put(UInt64(place &- term.pointee.place) << 1, term)
    } else {
      let gap = term.pointee.document == .max ? document : document &- term.pointee.document
      put((UInt64(gap) &* UInt64(fieldCount) &+ UInt64(TextPlace.field(place))) << 1 | 1, term)
      put(UInt64(TextPlace.position(place)), term)
      term.pointee.document = document
    }
    term.pointee.place = place
  }

  @inline(__always)
  private func put(_ value: UInt64, _ term: UnsafeMutablePointer<Term>) {
    if value < 128 { return put(UInt8(truncatingIfNeeded: value), term) }
    let next = term.pointee.next
    if value >= 1 << 14 || term.pointee.limit &- next < 2 { return putLong(value, term) }
    arena[Int(next)] = UInt8(truncatingIfNeeded: value) | 0x80
    arena[Int(next) &+ 1] = UInt8(truncatingIfNeeded: value >> 7)
    term.pointee.next = next &+ 2
  }

  @inline(never)
  private func putLong(_ value: UInt64, _ term: UnsafeMutablePointer<Term>) {
    var rest = value
    while rest >= 128 {
      put(UInt8(truncatingIfNeeded: rest) | 0x80, term)
      rest >>= 7
    }
    put(UInt8(truncatingIfNeeded: rest), term)
  }

  @inline(__always)
  private func put(_ byte: UInt8, _ term: UnsafeMutablePointer<Term>) {
    if term.pointee.next == term.pointee.limit { extend(term) }
    arena[Int(term.pointee.next)] = byte
    term.pointee.next &+= 1
  }

  @inline(never)
  private func extend(_ term: UnsafeMutablePointer<Term>) {
    let extent = extents + (term - terms)
    extent.pointee.level = min(extent.pointee.level + 1, Self.mostLevel)
    let level = UInt32(extent.pointee.level)
    let start = slice(level)
    UnsafeMutableRawPointer(arena + Int(term.pointee.limit)).set32(0, start)
    term.pointee.next = start
    term.pointee.limit = start + Self.payload(level)
  }
}
