import RoostBytes
import RoostFile

/// Pages that are complete when they are made, on their way to the file.
///
/// They get no frames: a tree that is built may be much larger than the cache, and would push everything else out of it.
/// Whoever reads them finds them in the file, with the checks that are noted here.
///
/// ## Invariants
/// Pages wait in the order in which they were made, so what a page refers to was made before it.
final class ThroughBuffer {
  /// Pages that are written together.
  private static let capacity = 256
  /// Bytes behind which the device is told to begin, so that the sync at the end waits for less.
  private static let announcement: UInt64 = 8 << 20

  let file: any StorageFile
  private let frames: FrameMap
  private let settleChecks: Store.SettleChecks
  private let memory: UnsafeMutableRawBufferPointer
  // Unchecked exclusivity: one thread builds, and no access calls back.
  @exclusivity(unchecked) private var places: [UInt32] = []
  private var announced: Range<UInt64>?
  /// Births of the transaction before this one were looked through for large values.
  @exclusivity(unchecked) var lookedAt: Int

  init(
    _ file: any StorageFile, _ frames: FrameMap, settleChecks: @escaping Store.SettleChecks, lookedAt: Int
  ) throws(StoreError) {
    self.lookedAt = lookedAt
    self.file = file
    self.frames = frames
    self.settleChecks = settleChecks
    memory = try Room.take(Self.capacity * Page.size)
    // Pages have gaps, and what the process had in this memory is nobody's business.
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    places.reserveCapacity(Self.capacity)
  }

  deinit { Room.give(memory) }

  /// Memory for the page of this place. The pages before it must be complete.
  func begin(_ place: UInt32) throws(StoreError) -> UnsafeMutableRawPointer {
    if places.count == Self.capacity { try flush() }
    places.append(place)
    return page(places.count - 1)
  }

  private func page(_ index: Int) -> UnsafeMutableRawPointer { memory.baseAddress! + index * Page.size }

  /// Writes what waits.
  func flush() throws(StoreError) {
    for index in places.indices {
      let page = page(index)
      if Page.level(page) > 0 { settleChecks(page, frames) }
      frames.setCheck(PageID(places[index]), Checksum.of(UnsafeRawBufferPointer(start: page, count: Page.size)))
    }
    var start = 0
    for index in places.indices {
      let isLast = index + 1 == places.count
      if !isLast && places[index + 1] == places[index] + 1 { continue }
      let first = PageID(places[start])
      let bytes = UnsafeRawBufferPointer(start: page(start), count: (index + 1 - start) * Page.size)
      try file.write(bytes, at: first.byteOffset)
      announce(first.byteOffset..<first.byteOffset + UInt64(bytes.count))
      start = index + 1
    }
    places.removeAll(keepingCapacity: true)
  }

  private func announce(_ range: Range<UInt64>) {
    guard let before = announced, before.upperBound == range.lowerBound else {
      announced = range
      return
    }
    announced = before.lowerBound..<range.upperBound
    if range.upperBound - before.lowerBound < Self.announcement { return }
    file.willSync(offset: before.lowerBound, length: range.upperBound - before.lowerBound)
    announced = range.upperBound..<range.upperBound
  }
}
