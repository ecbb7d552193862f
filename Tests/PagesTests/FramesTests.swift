import RoostBytes
import RoostFile
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostPages

/// Only the page cache, over a file of pages that each contain their own place.
@Suite struct FramesTests {
  private static let pageCount = 600
  private let fileSystem = SimulatedFileSystem()
  private let file: any StorageFile
  private let frames: Frames
  private let checks: [UInt64]

  init() throws {
    file = try fileSystem.open("/a", .writeOrCreate)
    var checks: [UInt64] = [0, 0]
    for place in 2..<Self.pageCount {
      var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: place), count: Page.size)
      bytes.withUnsafeMutableBytes { $0.baseAddress!.set32(Page.Field.place, UInt32(place)) }
      try file.write(bytes, at: UInt64(place * Page.size))
      checks.append(Checksum.of(bytes))
    }
    self.checks = checks
    frames = try Frames(file: file, capacity: 64) { _, memory in memory.u8(100) == 13 ? "an unlucky page" : nil }
    try frames.reserve(upTo: Self.pageCount)
  }

  private func reference(_ place: Int) -> PageReference { PageReference(PageID(UInt32(place)), check: checks[place]) }

  private func isWhole(_ memory: UnsafeRawPointer, _ place: Int) -> Bool {
    memory.u32(Page.Field.place) == UInt32(place) && memory.u8(2000) == UInt8(truncatingIfNeeded: place)
      && memory.u8(4095) == UInt8(truncatingIfNeeded: place)
  }

  private func places(_ generator: inout SplitMix64) -> Int {
    while true {
      let place = 2 + generator.below(Self.pageCount - 2)
      if place & 255 != 13 { return place }
    }
  }

  #if os(Linux)
    /// Before the fix, each 64 MiB of a file took two of the 65,530 mappings that a process may
    /// have, so a file ended at about 2.6 TiB.
    @Test func `the largest file takes few mappings`() throws {
      func mappings() throws -> Int {
        let file = try DiskFileSystem().open("/proc/self/maps", .read)
        defer { file.close() }
        var (lines, offset) = (0, UInt64(0))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while case let count = try file.readOnce(into: buffer, at: offset), count > 0 {
          lines += buffer[..<count].count { $0 == UInt8(ascii: "\n") }
          offset += UInt64(count)
        }
        return lines
      }
      let before = try mappings()
      let large = try Frames(file: nil, capacity: 64) { _, _ in nil }
      try large.reserve(upTo: Int(Frames.largestPlace))
      #expect(large.slabCount == 1 << 18)
      #expect(try mappings() - before < 20_000)
      let last = large.map.memory(PageID(Frames.largestPlace - 1))
      last.set64(0, 77)
      #expect(large.map.memory(PageID(Frames.largestPlace - 1)).u64(0) == 77 && large.map.memory(PageID(5)).u64(0) == 0)
    }
  #endif

  @Test func `room that grows in steps keeps its content`() throws {
    let growing = try Frames(file: nil, capacity: 64) { _, _ in nil }
    var first: UnsafeMutableRawPointer?
    for slabs in 1...40 {
      try growing.reserve(upTo: slabs * FrameMap.slabPlaces)
      let page = PageID(UInt32(slabs * FrameMap.slabPlaces - 1))
      growing.map.memory(page).set64(4088, UInt64(slabs))
      growing.map.setCheck(page, UInt64(slabs))
      growing.map.setState(page, 1)
      first = first ?? growing.map.memory(page)
    }
    for slabs in 1...40 {
      let page = PageID(UInt32(slabs * FrameMap.slabPlaces - 1))
      #expect(growing.map.memory(page).u64(4088) == UInt64(slabs) && growing.map.check(page) == UInt64(slabs))
      #expect(growing.map.state(page) == 1)
    }
    #expect(growing.map.memory(PageID(UInt32(FrameMap.slabPlaces - 1))) == first)
  }

  @Test func `a page is filled once and found after that`() throws {
    let slot = try frames.slots.take()
    slot.enter()
    for _ in 0..<3 { #expect(isWhole(try frames.map.page(reference(5)), 5)) }
    slot.leave()
    #expect(frames.fills.load(ordering: .relaxed) == 1)
  }

  @Test func `a damaged page is refused, and may be read again`() throws {
    #expect(failure { () throws(StoreError) in _ = try frames.map.page(reference(13)) } == .damaged)
    #expect(
      failure { () throws(StoreError) in _ = try frames.map.page(PageReference(PageID(6), check: 1)) } == .damaged)
    #expect(failure { () throws(StoreError) in _ = try frames.map.page(PageReference(PageID(6))) } == .damaged)
    #expect(isWhole(try frames.map.page(reference(6)), 6))
    for place in [0, 1, 20_000, UInt32.max] {
      #expect(
        failure { () throws(StoreError) in _ = try frames.map.page(PageReference(PageID(place), check: 1)) } == .damaged
      )
    }
    #expect(
      failure { () throws(StoreError) in _ = try frames.map.page(PageReference(PageID(9000), check: 1)) } == .truncated)
    fileSystem.inject(FaultRule(.read, .error(ErrorNumber.io)))
    #expect(failure { () throws(StoreError) in _ = try frames.map.page(reference(7)) } == .ioError)
    #expect(isWhole(try frames.map.page(reference(7)), 7))
  }

  /// The check in the map is used if the parent in memory has none.
  @Test func `a reference without a check takes the check with which the page was written`() throws {
    frames.map.setCheck(PageID(8), checks[8])
    #expect(isWhole(try frames.map.page(PageReference(PageID(8))), 8))
  }

  @Test(arguments: UInt64(1)...3) func `memory stays within the capacity`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let slot = try frames.slots.take()
    for _ in 0..<5000 {
      let place = places(&generator)
      slot.enter()
      #expect(isWhole(try frames.map.page(reference(place)), place))
      slot.leave()
    }
    frames.trim()
    #expect(frames.resident.load(ordering: .relaxed) <= frames.capacity)
  }

  @Test func `drafts, held pages and pages in use stay`() throws {
    let slot = try frames.slots.take()
    let other = try frames.slots.take()
    frames.begin(PageID(3))
    frames.map.memory(PageID(3)).initializeMemory(as: UInt8.self, repeating: 3, count: Page.size)
    slot.enter()
    var held: [Int] = []
    for place in 20..<40 {
      _ = try frames.map.page(reference(place))
      _ = try slot.hold(PageID(UInt32(place)))
      held.append(place)
    }
    slot.leave()
    other.enter()
    let used = try frames.map.page(reference(50))
    for round in 0..<20 {
      for place in 100..<250 {
        slot.enter()
        _ = try frames.map.page(reference(place + round))
        slot.leave()
      }
      frames.trim()
      #expect(isWhole(used, 50))
      for place in held { #expect(isWhole(UnsafeRawPointer(frames.map.memory(PageID(UInt32(place)))), place)) }
    }
    #expect(frames.map.memory(PageID(3)).u8(77) == 3)
    other.leave()
    frames.slots.give(slot)
    #expect(frames.slots.heldPlaces().isEmpty)
    #expect(frames.slots.takenCount == 1)
    frames.end(PageID(3))
    for _ in 0..<4 { frames.trim() }
    #expect(frames.resident.load(ordering: .relaxed) <= frames.capacity)
    #expect(frames.drafts.load(ordering: .relaxed) == 0)
  }

  /// Before the fix, a `trim` that could evict nothing swept all states of a slab at least eight
  /// times. A large transaction with a small cache trims often, and a disk that refuses writes
  /// leaves only drafts.
  @Test func `a trim ends when nothing can be evicted`() throws {
    for place in 2..<200 { frames.begin(PageID(UInt32(place))) }
    #expect(frames.placeEnd == Self.pageCount)
    #expect(frames.lock.withLock { frames.evict() } == false)
    frames.trim()
    #expect(frames.resident.load(ordering: .relaxed) == 198)
    for place in 2..<200 { frames.settle(PageID(UInt32(place))) }
    #expect(frames.lock.withLock { frames.evict() } == true)
    frames.trim()
    #expect(frames.resident.load(ordering: .relaxed) <= frames.capacity)
    #expect(frames.sweepPlace < Self.pageCount)
  }

  /// A reader was in a look-up while a page left, was saved and left again. Another reader had
  /// taken the page between the two. Before the fix, the first departure ended and freed the memory
  /// under it. In one of a few hundred runs with readers and writers this gave "the page is not the
  /// node that its parent names".
  @Test func `a saved page does not leave with pages that left before`() throws {
    let early = try frames.slots.take()
    let late = try frames.slots.take()
    _ = try frames.map.page(reference(50))
    early.enter()
    // Two sweeps: the first one marks the page as unused, the second one removes it.
    frames.lock.withLock { for _ in 0..<2 { frames.evict() } }
    #expect(frames.map.state(PageID(50)) & FrameState.leaving != 0)
    late.enter()
    let memory = try frames.map.page(reference(50))
    frames.lock.withLock { for _ in 0..<2 { frames.evict() } }
    early.leave()
    _ = frames.lock.withLock { frames.evict() }
    #expect(isWhole(memory, 50))
    late.leave()
    frames.lock.withLock { for _ in 0..<4 { frames.evict() } }
    #expect(frames.resident.load(ordering: .relaxed) == 0)
  }

  @Test func `many readers fill and evict the same pages`() throws {
    let wrong = Atomic<Int>(0)
    try onThreads(4) { thread in
      var generator = SplitMix64(seed: UInt64(thread))
      let work = { () throws(StoreError) in
        let slot = try frames.slots.take()
        defer { frames.slots.give(slot) }
        var hold: (HoldIndex, UnsafeRawPointer, Int)?
        for _ in 0..<4000 {
          let place = places(&generator)
          slot.enter()
          let memory = try frames.map.page(reference(place))
          if !isWhole(memory, place) { wrong.add(1, ordering: .relaxed) }
          if generator.chance(1, in: 5) {
            let page = PageID(UInt32(place))
            let index: HoldIndex
            if let hold { index = hold.0 } else { index = try slot.hold(page) }
            slot.move(index, to: page)
            hold = (index, memory, place)
          }
          slot.leave()
          if let hold, !isWhole(hold.1, hold.2) { wrong.add(1, ordering: .relaxed) }
        }
      }
      if failure(work) != nil { wrong.add(1000, ordering: .relaxed) }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }

  @Test func `a hold during a page's departure is seen`() throws {
    let slot = try frames.slots.take()
    let other = try frames.slots.take()
    slot.enter()
    let memory = try frames.map.page(reference(5))
    // Two sweeps: the page counts as unused, then it leaves and waits only for the look-up.
    frames.lock.withLock {
      for _ in 0..<4 { frames.evict() }
    }
    _ = try slot.hold(PageID(5))
    slot.leave()
    other.enter()
    other.leave()
    frames.lock.withLock {
      for _ in 0..<4 { frames.evict() }
    }
    #expect(isWhole(memory, 5))
  }

  @Test func `the number of readers is limited`() throws {
    let slots = ReaderSlots()
    for _ in 0..<ReaderSlots.most { _ = try slots.take() }
    #expect(failure { () throws(StoreError) in _ = try slots.take() } == .busy)
  }
}
