import RoostFile

/// One row that is in no segment yet, with its terms in ascending order.
///
/// ## Layout
/// Row (signed), for each field its terms, number of different terms; then for each: bytes shared with the term before
/// (1), other bytes (1), these bytes, and its places. One place is the number (position × fields + field) × 2 + 1. More
/// places are their bytes times 2, then the distances of (field, position) as 64-bit numbers.
enum LooseDocument {
  /// The fields before the terms.
  struct Head {
    var row: Int64
    var lengths: [UInt32]
    var termCount: Int

    /// Reads the head from the front of a value.
    init(_ source: inout ByteSource, fieldCount: Int) throws(StoreError) {
      row = try source.signed()
      lengths = []
      for _ in 0..<fieldCount { lengths.append(UInt32(try source.count(Int(TextPlace.fieldUnit)))) }
      // Each term has at least three bytes.
      termCount = try source.count(source.rest / 3)
    }

    var length: Int { lengths.reduce(0) { $0 + Int($1) } }
  }

  static func encodePlaces(_ places: some Collection<UInt32>, fieldCount: Int, scratch: ByteSink, to sink: ByteSink) {
    if places.count == 1, let place = places.first {
      let number = UInt64(TextPlace.position(place)) * UInt64(fieldCount) + UInt64(TextPlace.field(place))
      sink.appendNumber(number << 1 | 1)
      return
    }
    scratch.clear()
    var before: UInt32 = 0
    for place in places {
      scratch.appendNumber(UInt64(place &- before))
      before = place
    }
    sink.appendNumber(scratch.count << 1)
    sink.append(scratch.bytes)
  }

  static func skipPlaces(_ source: inout ByteSource) throws(StoreError) {
    let code = try source.number()
    if code & 1 == 0 {
      guard code >> 1 <= UInt64(source.rest) else { throw ByteSource.damage }
      _ = try source.take(Int(code >> 1))
    }
  }

  /// Reads the places of a term. The list's former content is dropped.
  static func decodePlaces(
    _ source: inout ByteSource, fieldCount: Int, into places: inout [UInt32]
  ) throws(StoreError) {
    places.removeAll(keepingCapacity: true)
    try appendPlaces(&source, fieldCount: fieldCount, to: &places)
  }

  private static func appendPlaces(
    _ source: inout ByteSource, fieldCount: Int, to places: inout [UInt32]
  ) throws(StoreError) {
    let code = try source.number()
    if code & 1 == 1 {
      let (position, field) = (code >> 1).quotientAndRemainder(dividingBy: UInt64(fieldCount))
      guard position < UInt64(TextPlace.fieldUnit) else { throw ByteSource.damage }
      places.append(UInt32(field) << 27 | UInt32(position))
      return
    }
    guard code >> 1 <= UInt64(source.rest), code > 0 else { throw ByteSource.damage }
    var inner = ByteSource(try source.take(Int(code >> 1)))
    var (place, isFirst) = (UInt64(0), true)
    while !inner.isAtEnd {
      let distance = try inner.number()
      guard distance <= UInt64(UInt32.max), isFirst || distance > 0 else { throw ByteSource.damage }
      place += distance
      guard place >> 27 < UInt64(fieldCount) else { throw ByteSource.damage }
      places.append(UInt32(place))
      isFirst = false
    }
  }

  /// Appends the places of one term, or of all terms that begin with it. Terms are compared from the byte on where they may
  /// differ.
  static func find(
    _ wanted: [UInt8], isPrefix: Bool, _ source: ByteSource, termCount: Int, fieldCount: Int,
    into places: inout [UInt32]
  ) throws(StoreError) {
    let bytes = source.bytes
    var at = source.offset
    /// The bytes of `wanted` with which the last term began.
    var matched = 0
    for _ in 0..<termCount {
      guard at &+ 2 <= bytes.count else { throw ByteSource.damage }
      let (shared, other) = (Int(bytes[at]), Int(bytes[at &+ 1]))
      at &+= 2
      guard other < bytes.count &- at else { throw ByteSource.damage }
      // Terms ascend: after this one all are greater.
      if shared < matched { return }
      let end = at &+ other
      if shared == matched, matched < wanted.count {
        while at < end, matched < wanted.count, bytes[at] == wanted[matched] {
          at &+= 1
          matched &+= 1
        }
        if at < end, matched < wanted.count ? bytes[at] > wanted[matched] : !isPrefix { return }
      }
      at = end
      if matched < wanted.count {
        try skipPlaces(bytes, &at)
        continue
      }
      var source = ByteSource(UnsafeRawBufferPointer(rebasing: bytes[at...]))
      try appendPlaces(&source, fieldCount: fieldCount, to: &places)
      if !isPrefix { return }
      at &+= source.offset
    }
  }

  /// Moves after the places of a term. There is one byte at least.
  @inline(__always)
  private static func skipPlaces(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) throws(StoreError) {
    let first = bytes[at]
    if first & 1 == 1 {
      // One place: its number has no end before a byte below 128.
      while bytes[at] >= 128 {
        at &+= 1
        guard at < bytes.count else { throw ByteSource.damage }
      }
      at &+= 1
    } else if first < 128 {
      at &+= 1 &+ Int(first >> 1)
    } else {
      var source = ByteSource(UnsafeRawBufferPointer(rebasing: bytes[at...]))
      try skipPlaces(&source)
      at &+= source.offset
    }
  }

  /// Calls `body` with each term. `body` must take the places from the source, or skip them.
  static func visitTerms(
    _ source: inout ByteSource, termCount: Int,
    _ body: (UnsafeBufferPointer<UInt8>, inout ByteSource) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let term = UnsafeMutablePointer<UInt8>.allocate(capacity: 512)
    defer { term.deallocate() }
    var length = 0
    for _ in 0..<termCount {
      let shared = Int(try source.byte())
      let other = Int(try source.byte())
      let bytes = try source.take(other)
      guard shared <= length else { throw ByteSource.damage }
      UnsafeMutableRawBufferPointer(start: term + shared, count: 256).copyMemory(from: bytes)
      length = shared + other
      guard length <= TextScanner.mostTermBytes, length > 0 else { throw ByteSource.damage }
      guard try body(UnsafeBufferPointer(start: term, count: length), &source) else { return }
    }
  }
}
