/// Collects at most 128 postings of one term, and encodes them: see ``PostingListWriter`` for the bytes of a block.
///
/// ## Layout of a short list
/// First document × number of fields + the usual field. Then for each posting: the gap to the document before, times 2,
/// plus 1 if the term occurs once and in the usual field. Otherwise the frequency follows; with more than one field: the
/// set of fields as bits, then the frequency in each of them. Then the places: for each field the first position, then
/// distances. All numbers are of variable length.
final class PostingBlock {
  /// The value in `fields` of a posting with several fields.
  private static let mixed: UInt8 = 255

  private let fieldCount: Int
  private(set) var count = 0
  private let gaps = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingListWriter.blockCount)
  private let frequencies = UnsafeMutablePointer<UInt32>.allocate(capacity: PostingListWriter.blockCount)
  /// For each posting the one field that has the term.
  private let fields = UnsafeMutablePointer<UInt8>.allocate(capacity: PostingListWriter.blockCount)
  /// For each field the number of postings that have only this field.
  private let fieldCounts = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
  /// For each posting with several fields: the set of fields, then the frequencies in them.
  private var mixes: [UInt32] = []
  /// First positions and distances.
  private let places = PlaceList()
  // The bitwise or of all gaps and of all frequencies: it has as many bits as the greatest number.
  private var allGaps: UInt32 = 0
  private var allFrequencies: UInt32 = 0
  private var allPlaces: UInt32 = 0
  private let exceptions = ByteSink()
  private var usual: UInt8 = 0

  init(fieldCount: Int) { self.fieldCount = fieldCount }

  deinit {
    gaps.deallocate()
    frequencies.deallocate()
    fields.deallocate()
    fieldCounts.deallocate()
  }

  var placeCount: Int { places.count }

  @inline(__always)
  func clear() {
    places.clear()
    if !mixes.isEmpty { mixes.removeAll(keepingCapacity: true) }
    (count, allGaps, allFrequencies, allPlaces) = (0, 0, 0, 0)
  }

  /// Adds a posting. There are less than 128, and at least one place.
  @inline(__always)
  func add(_ gap: UInt32, _ found: UnsafeBufferPointer<UInt32>) {
    gaps[count] = gap
    allGaps |= gap
    if found.count == 1 {
      let position = TextPlace.position(found[0])
      places.append(position)
      allPlaces |= position
      frequencies[count] = 1
      fields[count] = UInt8(truncatingIfNeeded: found[0] >> 27)
    } else {
      addPlaces(found)
    }
    count &+= 1
  }

  private func addPlaces(_ found: UnsafeBufferPointer<UInt32>) {
    let frequency = UInt32(truncatingIfNeeded: found.count)
    frequencies[count] = frequency
    allFrequencies |= frequency &- 1
    let out = places.room(found.count)
    var before = found[0]
    out[0] = TextPlace.position(before)
    allPlaces |= out[0]
    var mask = UInt32(1) << (before >> 27)
    for next in 1..<found.count {
      let place = found[next]
      let isNext = place >> 27 == before >> 27
      let number = isNext ? place &- before : TextPlace.position(place)
      mask |= 1 << (place >> 27)
      out[next] = number
      allPlaces |= number
      before = place
    }
    places.extend(found.count)
    if mask & (mask &- 1) == 0 {
      fields[count] = UInt8(truncatingIfNeeded: before >> 27)
      return
    }
    fields[count] = Self.mixed
    mixes.append(mask)
    var start = 0
    while start < found.count {
      var end = start + 1
      while end < found.count, found[end] >> 27 == found[start] >> 27 { end += 1 }
      mixes.append(UInt32(truncatingIfNeeded: end - start))
      start = end
    }
  }

  // MARK: A block

  private static func width(_ all: UInt32) -> Int { 32 - all.leadingZeroBitCount }
  private static func bytes(_ count: Int, _ width: Int) -> Int { (count * width + 7) >> 3 }

  /// Finds the usual field and the exceptions to it.
  func prepare() {
    exceptions.clear()
    usual = 0
    if fieldCount == 1 { return }
    fieldCounts.update(repeating: 0, count: 256)
    for posting in 0..<count { fieldCounts[Int(fields[posting])] += 1 }
    var most: UInt8 = 0
    for field in 0..<fieldCount where fieldCounts[field] > most {
      most = fieldCounts[field]
      usual = UInt8(truncatingIfNeeded: field)
    }
    if Int(most) == count { return }
    var (mix, before) = (0, 0)
    for posting in 0..<count where fields[posting] != usual {
      exceptions.appendNumber(posting - before)
      before = posting + 1
      if fields[posting] != Self.mixed {
        exceptions.appendNumber(1 << UInt64(fields[posting]))
        continue
      }
      let fieldsOfIt = mixes[mix].nonzeroBitCount
      exceptions.appendNumber(UInt64(mixes[mix]))
      for place in 1..<fieldsOfIt { exceptions.appendNumber(UInt64(mixes[mix + place])) }
      mix += fieldsOfIt + 1
    }
  }

  /// The approximate size of the block without its head.
  var byteCount: Int {
    Self.bytes(count - 1, Self.width(allGaps)) + Self.bytes(count, Self.width(allFrequencies)) + exceptions.count
      + Self.bytes(places.count, Self.width(allPlaces))
  }

  /// Appends what follows the least length in a block.
  func write(to sink: ByteSink) {
    sink.appendNumber(places.count)
    let hasExceptions = exceptions.count > 0
    sink.append(UInt8(truncatingIfNeeded: Self.width(allGaps)))
    sink.append(
      UInt8(truncatingIfNeeded: Self.width(allFrequencies)) | (hasExceptions ? PostingListWriter.hasExceptions : 0))
    sink.append(UInt8(truncatingIfNeeded: Self.width(allPlaces)))
    if fieldCount > 1 { sink.append(usual) }
    sink.append(packed: gaps + 1, count - 1, width: Self.width(allGaps))
    if allFrequencies != 0 { for posting in 0..<count { frequencies[posting] &-= 1 } }
    sink.append(packed: frequencies, count, width: Self.width(allFrequencies))
    if hasExceptions {
      sink.appendNumber(exceptions.count)
      sink.append(exceptions.bytes)
    }
    sink.append(packed: places.start, places.count, width: Self.width(allPlaces))
  }

  // MARK: A short list

  func writeShort(_ first: UInt32, to sink: ByteSink) {
    let usual = fields[0] == Self.mixed ? 0 : fields[0]
    sink.appendNumber(UInt64(first) * UInt64(fieldCount) + UInt64(usual))
    var mix = 0
    for posting in 0..<count {
      let (gap, frequency) = (UInt64(gaps[posting]), frequencies[posting])
      let isMixed = fields[posting] == Self.mixed
      if frequency == 1, fields[posting] == usual {
        sink.appendNumber(gap << 1 | 1)
        continue
      }
      sink.appendNumber(gap << 1)
      if fieldCount > 1 { sink.appendNumber(isMixed ? UInt64(mixes[mix]) : 1 << UInt64(fields[posting])) }
      if isMixed {
        let fieldsOfIt = mixes[mix].nonzeroBitCount
        for place in 0..<fieldsOfIt { sink.appendNumber(UInt64(mixes[mix + 1 + place])) }
        mix += fieldsOfIt + 1
      } else {
        sink.appendNumber(UInt64(frequency))
      }
    }
    for place in places.places { sink.appendNumber(UInt64(place)) }
  }
}
