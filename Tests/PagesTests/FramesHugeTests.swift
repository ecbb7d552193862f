import RoostFile
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostPages

/// The ranges of 2 MiB that become huge pages.
@Suite struct FramesHugeTests {
  private func frames(_ capacity: Int) throws -> Frames {
    let frames = try Frames(file: nil, capacity: capacity) { _, _ in nil }
    try frames.reserve(upTo: 8 * Frames.stretchPlaces)
    return frames
  }

  private func begin(_ frames: Frames, _ places: some Sequence<Int>) {
    for place in places {
      let page = PageID(UInt32(place))
      frames.begin(page)
      frames.map.memory(page).initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: place), count: 8)
    }
  }

  private func dense(_ frames: Frames) -> Int { frames.denseStretches.load(ordering: .relaxed) }

  @Test func `a range is dense once seven eighths of it have memory, and its bytes stay`() throws {
    let frames = try frames(1 << 16)
    begin(frames, 512..<512 + 447)
    #expect(dense(frames) == 0)
    begin(frames, [512 + 447])
    #expect(dense(frames) == 1)
    begin(frames, 512 + 448..<1024)
    #expect(dense(frames) == 1)
    for place in 512..<1024 {
      #expect(frames.map.memory(PageID(UInt32(place))).load(as: UInt8.self) == UInt8(truncatingIfNeeded: place))
    }
  }

  @Test func `the range after a dense one becomes a huge page after an eighth, once, and its bytes stay`() throws {
    let frames = try frames(1 << 16)
    begin(frames, 512..<1024 + 63)
    #expect(dense(frames) == 1)
    begin(frames, [1024 + 63])
    #expect(dense(frames) == 2)
    begin(frames, 1024 + 64..<1536)
    #expect(dense(frames) == 2)
    begin(frames, 1536..<1536 + 64)
    #expect(dense(frames) == 3)
    for place in 512..<1536 + 64 {
      #expect(frames.map.memory(PageID(UInt32(place))).load(as: UInt8.self) == UInt8(truncatingIfNeeded: place))
    }
  }

  @Test func `pages far from each other make no range dense`() throws {
    let frames = try frames(1 << 16)
    for stretch in 0..<8 { begin(frames, (2..<400).map { stretch * Frames.stretchPlaces + $0 }) }
    #expect(dense(frames) == 0)
    #expect(frames.resident.load(ordering: .relaxed) == 8 * 398)
  }

  @Test func `a cache that is nearly full requests none`() throws {
    let frames = try frames(512)
    begin(frames, 512..<1024)
    #expect(dense(frames) == 0)
  }

  /// A frame that is taken twice without freeing its memory in between is counted once.
  @Test func `a page that is dropped and used again is not counted twice`() throws {
    let frames = try frames(1 << 16)
    for _ in 0..<3 {
      begin(frames, 512..<912)
      for place in 512..<912 { frames.end(PageID(UInt32(place))) }
    }
    #expect(dense(frames) == 0)
    #expect(frames.stretches[1].load(ordering: .relaxed) == 400)
  }

  @Test func `freed memory is no longer counted`() throws {
    let frames = try frames(64)
    begin(frames, 512..<912)
    for place in 512..<912 { frames.end(PageID(UInt32(place))) }
    frames.trim()
    let held = Int(frames.stretches[1].load(ordering: .relaxed))
    #expect(held == frames.resident.load(ordering: .relaxed) && held <= 64)
  }
}
