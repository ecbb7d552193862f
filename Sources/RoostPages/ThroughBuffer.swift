import RoostBytes
import RoostFile

/// Pages that are complete when they are made, on their way to the file.
///
/// They get no frames: a tree that is built may be much larger than the cache, and would evict
/// everything else. Readers find them in the file, with the checksums that are noted here.
///
/// ## Invariants
/// Pages wait in the order in which they were made, so a page is written after all pages to which
/// it refers.
final class ThroughBuffer {
  /// The number of pages that are written together.
  private static let capacity = 256
  /// The number of bytes after which the device is asked to begin writing, so that the sync at the
  /// end is shorter.
  private static let announcement: UInt64 = 8 << 20

  let file: any StorageFile
  private let frames: FrameMap
  private let settleChecks: Store.SettleChecks
  private let memory: UnsafeMutableRawBufferPointer
  // Unchecked exclusivity: one thread builds, and no access calls other code.
  @exclusivity(unchecked) private var places: [UInt32] = []
  private var announced: Range<UInt64>?
  /// The births up to here were searched for large values.
  @exclusivity(unchecked) var lookedAt: Int

  init(
    _ file: any StorageFile, _ frames: FrameMap, settleChecks: @escaping Store.SettleChecks, lookedAt: Int
  ) throws(StoreError) {
    self.lookedAt = lookedAt
    self.file = file
    self.frames = frames
    self.settleChecks = settleChecks
    memory = try Room.take(Self.capacity * Page.size)
    // Pages have unused bytes, and old data of the process must not be written.
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    places.reserveCapacity(Self.capacity)
  }

  deinit { Room.give(memory) }

  /// The memory for the page of this place. The pages before it must be complete.
  func begin(_ place: UInt32) throws(StoreError) -> UnsafeMutableRawPointer {
    if places.count == Self.capacity { try flush() }
    places.append(place)
    return page(places.count - 1)
  }

  private func page(_ index: Int) -> UnsafeMutableRawPointer { memory.baseAddress! + index * Page.size }

  /// Writes the waiting pages.
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
