import RoostFile

/// The documents of one segment that meet a condition, in ascending order. Subclasses are the kinds of conditions.
class MatchCursor {
  static let end = UInt32.max

  /// The current document, or `end`. It is valid after `advance`.
  final private(set) var document: UInt32 = 0
  private final var isPlaced = false
  /// An estimate of the number of documents.
  final let cost: Int

  init(cost: Int) { self.cost = cost }

  /// Moves to the first document from `target` on. Does nothing if the current one is not below
  /// `target`.
  @inline(__always)
  final func advance(to target: UInt32) throws(StoreError) {
    if isPlaced, document >= target { return }
    document = try move(to: target)
    isPlaced = true
  }

  /// Sets the current document. A subclass calls it after it has moved there itself.
  @inline(__always)
  final func setDocument(_ document: UInt32) {
    self.document = document
    isPlaced = true
  }

  /// Returns the first document that is not below `target`. Targets ascend.
  func move(to target: UInt32) throws(StoreError) -> UInt32 { Self.end }

  /// Writes documents from `target` on, ascending, into a batch of 1,024. Returns their number; 0
  /// at the end. The `target` of the next call is after the last document of this one.
  func fill(_ batch: UnsafeMutablePointer<UInt32>, from target: UInt32) throws(StoreError) -> Int {
    var count = 0
    var target = target
    while count < Self.batchCount {
      try advance(to: target)
      if document == Self.end { break }
      batch[count] = document
      count &+= 1
      target = document &+ 1
    }
    return count
  }

  static let batchCount = 1024

  /// Removes the documents of a batch that do not meet this condition, and returns the number of
  /// the others. Each batch is after the one before.
  func keep(_ batch: UnsafeMutablePointer<UInt32>, _ count: Int) throws(StoreError) -> Int {
    var kept = 0
    for place in 0..<count {
      let target = batch[place]
      try advance(to: target)
      if document == target {
        batch[kept] = target
        kept += 1
      }
    }
    return kept
  }

  /// Sets the bits of all documents from `start` up to `end`. Bit 0 is `start`.
  func mark(_ bits: UnsafeMutablePointer<UInt64>, from start: UInt32, to end: UInt32) throws(StoreError) {
    var target = start
    while true {
      try advance(to: target)
      if document >= end { return }
      let place = document &- start
      bits[Int(place >> 6)] |= 1 << UInt64(place & 63)
      target = document &+ 1
    }
  }

  /// The score of the current document, whose length is given.
  func score(length: Double) -> Double { 0 }

  /// Returns a bound for scores: no document from `target` to `last` has a score above `bound`.
  func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) { (0, Self.end) }
}

/// Documents that meet all of several conditions.
final class AllCursor: MatchCursor {
  private let parts: [MatchCursor]
  /// The parts again. Counting references would cost as much as moving them.
  private let moved: UnsafeMutableBufferPointer<Unmanaged<MatchCursor>>

  init(_ parts: [MatchCursor]) {
    self.parts = parts.sorted { $0.cost < $1.cost }
    moved = .allocate(capacity: parts.count)
    _ = moved.initialize(from: self.parts.map { .passUnretained($0) })
    super.init(cost: self.parts[0].cost)
  }

  deinit { moved.deallocate() }

  @inline(__always)
  private func advance(_ place: Int, to target: UInt32) throws(StoreError) -> UInt32 {
    let part = moved[place]
    let failure = part._withUnsafeGuaranteedRef { part -> StoreError? in
      do throws(StoreError) { try part.advance(to: target) } catch { return error }
      return nil
    }
    if let failure { throw failure }
    return part._withUnsafeGuaranteedRef { $0.document }
  }

  override func move(to target: UInt32) throws(StoreError) -> UInt32 {
    var target = target
    search: while true {
      target = try advance(0, to: target)
      if target == Self.end { return target }
      for place in 1..<moved.count {
        let found = try advance(place, to: target)
        if found != target {
          target = found
          if target == Self.end { return target }
          continue search
        }
      }
      return target
    }
  }

  override func fill(_ batch: UnsafeMutablePointer<UInt32>, from target: UInt32) throws(StoreError) -> Int {
    var target = target
    while true {
      var count = try parts[0].fill(batch, from: target)
      if count == 0 { return 0 }
      target = batch[count - 1] &+ 1
      for place in 1..<parts.count where count > 0 { count = try parts[place].keep(batch, count) }
      if count > 0 { return count }
    }
  }

  override func score(length: Double) -> Double {
    var sum = 0.0
    for part in parts { sum += part.score(length: length) }
    return sum
  }

  override func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) {
    try parts.bound(from: target)
  }
}

extension [MatchCursor] {
  /// The sum of the bounds of all parts, up to the first document at which one of them ends.
  fileprivate func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) {
    var (sum, least) = (0.0, MatchCursor.end)
    for part in self {
      let (bound, last) = try part.bound(from: target)
      (sum, least) = (sum + bound, Swift.min(least, last))
    }
    return (sum, least)
  }
}

/// Documents that meet at least one of several conditions.
final class AnyCursor: MatchCursor {
  private let parts: [MatchCursor]
  private let window = UnsafeMutablePointer<UInt64>.allocate(capacity: MatchCursor.batchCount / 64)

  init(_ parts: [MatchCursor]) {
    self.parts = parts
    super.init(cost: parts.reduce(0) { $0 + $1.cost })
  }

  deinit { window.deallocate() }

  override func move(to target: UInt32) throws(StoreError) -> UInt32 {
    var least = Self.end
    for part in parts {
      try part.advance(to: target)
      if part.document < least { least = part.document }
    }
    return least
  }

  /// Marks the documents of all parts in a window of 1,024 bits, and writes the marked ones.
  override func fill(_ batch: UnsafeMutablePointer<UInt32>, from target: UInt32) throws(StoreError) -> Int {
    let words = Self.batchCount / 64
    try advance(to: target)
    if document == Self.end { return 0 }
    let start = document
    let (sum, isOver) = start.addingReportingOverflow(UInt32(Self.batchCount))
    let end = isOver ? Self.end : sum
    for word in 0..<words { window[word] = 0 }
    for part in parts { try part.mark(window, from: start, to: end) }
    var count = 0
    for word in 0..<words {
      var rest = window[word]
      while rest != 0 {
        batch[count] = start &+ UInt32(truncatingIfNeeded: word &* 64 &+ rest.trailingZeroBitCount)
        count &+= 1
        rest &= rest &- 1
      }
    }
    return count
  }

  override func score(length: Double) -> Double {
    var sum = 0.0
    for part in parts where part.document == document { sum += part.score(length: length) }
    return sum
  }

  override func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) {
    try parts.bound(from: target)
  }
}

/// Documents that meet one condition and not another.
final class WithoutCursor: MatchCursor {
  private let wanted: MatchCursor
  private let excluded: MatchCursor

  init(_ wanted: MatchCursor, _ excluded: MatchCursor) {
    self.wanted = wanted
    self.excluded = excluded
    super.init(cost: wanted.cost)
  }

  override func move(to target: UInt32) throws(StoreError) -> UInt32 {
    var target = target
    while true {
      try wanted.advance(to: target)
      let found = wanted.document
      if found == Self.end { return found }
      try excluded.advance(to: found)
      if excluded.document != found { return found }
      target = found + 1
    }
  }

  override func score(length: Double) -> Double { wanted.score(length: length) }

  override func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) {
    try wanted.bound(from: target)
  }
}
