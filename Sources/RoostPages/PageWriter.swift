import RoostBytes
import RoostFile

/// Writes draft pages to their places, children before parents, so that every written reference has
/// the right checksum.
///
/// The catalog's leaves refer to the roots of all other trees, so the catalog is written last.
struct PageWriter {
  let file: any StorageFile
  let frames: FrameMap
  let settleChecks: Store.SettleChecks

  /// The most pages in one write.
  private static let longestRun = 256

  /// Writes pages of any level and extents, and notes their checksums. Places ascend.
  func write(_ places: [UInt32]) throws(StoreError) {
    var leaves: [UInt32] = []
    var branches: [[UInt32]] = []
    for place in places {
      let rank = Self.rank(PageID(place), frames)
      if rank == 0 {
        leaves.append(place)
      } else {
        while branches.count < rank { branches.append([]) }
        branches[rank - 1].append(place)
      }
    }
    try writeLeaves(leaves)
    for rank in branches { try writeBranches(rank) }
  }

  /// 0 if a page refers to no page; else higher than the rank of every page to which it refers.
  static func rank(_ page: PageID, _ frames: FrameMap) -> Int {
    if frames.state(page) & FrameState.extent != 0 { return 0 }
    let memory = UnsafeRawPointer(frames.memory(page))
    let level = Int(Page.level(memory))
    return memory.u32(Page.Field.tree) == Page.catalogTree ? 256 + level : level
  }

  /// Leaves refer to no page, so their frames are written as they are, in runs.
  private func writeLeaves(_ places: [UInt32]) throws(StoreError) {
    var start = 0
    for index in places.indices {
      let page = PageID(places[index])
      if frames.state(page) & FrameState.extent == 0 {
        frames.setCheck(page, Checksum.of(UnsafeRawBufferPointer(start: frames.memory(page), count: Page.size)))
      }
      let isLast = index + 1 == places.count
      let continues =
        !isLast && places[index + 1] == places[index] + 1 && index - start + 1 < Self.longestRun
        && places[index + 1] >> UInt32(FrameMap.slabShift) == places[index] >> UInt32(FrameMap.slabShift)
      if continues { continue }
      let first = PageID(places[start])
      let count = Int(places[index] - places[start]) + 1
      try file.write(
        UnsafeRawBufferPointer(start: frames.memory(first), count: count * Page.size), at: first.byteOffset)
      start = index + 1
    }
  }

  /// Branches are copied, and the copies get the checksums of their written children.
  private func writeBranches(_ places: [UInt32]) throws(StoreError) {
    let room = Self.longestRun
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: room * Page.size, alignment: 16)
    defer { buffer.deallocate() }
    var start = 0
    for index in places.indices {
      let page = PageID(places[index])
      let copy = buffer + (index - start) * Page.size
      copy.copyMemory(from: frames.memory(page), byteCount: Page.size)
      settleChecks(copy, frames)
      frames.setCheck(page, Checksum.of(UnsafeRawBufferPointer(start: copy, count: Page.size)))
      let isLast = index + 1 == places.count
      if !isLast && places[index + 1] == places[index] + 1 && index - start + 1 < room { continue }
      try file.write(
        UnsafeRawBufferPointer(start: buffer, count: (index - start + 1) * Page.size),
        at: PageID(places[start]).byteOffset)
      start = index + 1
    }
  }
}
