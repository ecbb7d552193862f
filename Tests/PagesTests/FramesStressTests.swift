import RoostBytes
import RoostFile
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostPages

/// Only the page cache and the readers' slots, at full speed: long look-ups, and a cache too small
/// for them.
@Suite struct FramesStressTests {
  private static let pageCount = 3000
  private let frames: Frames
  /// The checksum of each page.
  private let checks: [UInt64]

  init() throws {
    let file = try SimulatedFileSystem().open("/a", .writeOrCreate)
    var checks: [UInt64] = [0, 0]
    for place in 2..<Self.pageCount {
      var bytes = [UInt8](repeating: Self.byte(place), count: Page.size)
      bytes.withUnsafeMutableBytes { $0.baseAddress!.set32(Page.Field.place, UInt32(place)) }
      checks.append(bytes.withUnsafeBytes { Checksum.of($0) })
      try file.write(bytes, at: UInt64(place * Page.size))
    }
    self.checks = checks
    frames = try Frames(file: file, capacity: 64, validator: { _, _ in nil })
    try frames.reserve(upTo: Self.pageCount)
  }

  /// A byte of a page that freed memory never has.
  private static func byte(_ place: Int) -> UInt8 { UInt8(place % 255) + 1 }

  private func isWhole(_ memory: UnsafeRawPointer, _ place: Int, _ generator: inout SplitMix64) -> Bool {
    let some = 64 + generator.below(4032)
    return memory.u32(Page.Field.place) == UInt32(place) && memory.u8(some) == Self.byte(place)
      && memory.u8(4095) == Self.byte(place)
  }

  /// This test finds the error that a page that was saved leaves with an earlier departure. If the
  /// places of departures are not remembered, it fails nearly always.
  @Test(arguments: UInt64(1)...2) func `no page leaves during a look-up, however long it lasts`(seed: UInt64) throws {
    let wrong = Atomic<Int>(0)
    try onThreads(4) { thread in
      var generator = SplitMix64(seed: seed * 100 + UInt64(thread))
      do throws(StoreError) {
        for _ in 0..<250 {
          wrong.add(try lookUp(&generator, pages: thread == 0 ? 60 : 12), ordering: .relaxed)
          _ = frames.lock.withLock { frames.evict() }
        }
      } catch { wrong.add(1_000_000, ordering: .relaxed) }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(frames.slots.takenCount == 0)
    #expect(frames.fills.load(ordering: .relaxed) > 2000)
    for _ in 0..<4 { frames.trim() }
    #expect(frames.resident.load(ordering: .relaxed) <= frames.capacity)
  }

  /// One transaction: nested look-ups, with pages held between them. Returns how many pages were
  /// gone.
  private func lookUp(_ generator: inout SplitMix64, pages: Int) throws(StoreError) -> Int {
    let slot = try frames.slots.take()
    defer { frames.slots.give(slot) }
    var wrong = 0
    var held: [(HoldIndex, UnsafeRawPointer, Int)] = []
    for _ in 0..<3 {
      slot.enter()
      var seen: [(UnsafeRawPointer, Int)] = []
      for _ in 0..<1 + generator.below(pages) {
        // Some pages are requested repeatedly, so that they are often saved while they leave.
        let place = 2 + generator.below(generator.chance(1, in: 2) ? 90 : Self.pageCount - 2)
        if generator.chance(1, in: 30) { _ = frames.lock.withLock { frames.evict() } }
        slot.enter()
        let memory = try frames.map.page(PageReference(PageID(UInt32(place)), check: checks[place]))
        slot.leave()
        seen.append((memory, place))
        if !isWhole(memory, place, &generator) { wrong += 1 }
      }
      for (memory, place) in seen where !isWhole(memory, place, &generator) { wrong += 1 }
      if let (memory, place) = seen.last, held.count < 12 {
        held.append((try slot.hold(PageID(UInt32(place))), memory, place))
      } else if let (memory, place) = seen.last {
        let index = generator.below(held.count)
        slot.move(held[index].0, to: PageID(UInt32(place)))
        held[index] = (held[index].0, memory, place)
      }
      slot.leave()
      for (_, memory, place) in held where !isWhole(memory, place, &generator) { wrong += 1 }
    }
    return wrong
  }
}
