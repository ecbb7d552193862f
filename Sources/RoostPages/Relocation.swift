import RoostBytes
package import RoostFile

/// The limits of one step of compaction, which moves pages from the end of the file to lower
/// places.
///
/// A page is moved by copying it, as a change does. So a crash meanwhile leaves the old places or
/// the new ones.
///
/// ## Invariants
/// 1. A copy takes a place below `bound`, so that the file never grows. `room` counts the free
///    places there, and some are reserved for the branches above, the catalog and the map.
package struct Relocation {
  /// Pages at this place or above are moved.
  package let bound: UInt32
  /// The number of pages that may still be moved in this step.
  var budget: Int
  var room: Int
  let reserve: Int
  package var moved = 0

  /// Whether another page may be moved, with the branches above it.
  package var goesOn: Bool { budget > 0 && room > reserve }

  package mutating func note(_ pages: Int) {
    moved += pages
    budget -= pages
    room -= pages
  }
}

extension WriteTransaction {
  /// Chooses what to move in a step of about `budget` pages; nil if nothing can be gained.
  package func relocation(budget: Int) -> Relocation? {
    let space = store.space
    let used = space.limit - UInt32(space.spare.count)
    let reserve = min(16, Int(used) / 16) + 2 * (store.freeMap.ownPages.count + store.copies.count)
    let lowest = used + UInt32(2 * reserve)
    guard store.file != nil, budget > 0, space.limit > lowest else { return nil }
    var bound = space.limit
    var above = 0
    while bound > lowest && above < budget {
      bound -= 1
      if !space.spare.contains(bound) { above += 1 }
    }
    let room = space.free.count(below: bound)
    guard room > reserve else { return nil }
    // The checkpoint writes pages of the map again, if their region counts as changed.
    store.space.noteChanged(Set(store.freeMap.regions(from: bound)))
    // This is also true for copies of pages. If only those and map pages are above the bound, this
    // still forces a commit and a checkpoint.
    let anew = store.copies.leave(from: bound) + store.freeMap.ownPages.count { $0.place >= bound }
    if anew > 0 { hasRecords = true }
    return Relocation(bound: bound, budget: 2 * budget, room: room, reserve: reserve, moved: anew)
  }

  /// Makes the next checkpoint cut the file, even if nothing else changed. Returns false if that
  /// would not make the file shorter.
  ///
  /// The checkpoint writes the map and the copies again. Those that do not fit below the free end
  /// of the file take places of that end.
  package func cutTail() -> Bool {
    let space = store.space
    let tail = Int(space.free.tailLength(below: space.limit))
    let anew = store.freeMap.ownPages.count + store.copies.count + 1
    guard store.file != nil, tail > max(0, anew - space.free.count(below: space.limit - UInt32(tail))) else {
      return false
    }
    hasRecords = true
    return true
  }

  /// Moves those extents of a value that lie at the end of the file; nil if none was moved.
  ///
  /// The list keeps its birth stamp, so that nothing that older snapshots see is freed too early.
  package func relocate(_ list: ExtentList, _ job: inout Relocation) throws(StoreError) -> ExtentList? {
    // While the log names an extent, it stays at its place.
    if list.born > store.durableStamp && (list.isNamed || store.isNamed(list.born)) { return nil }
    guard list.isIndirect else {
      var result = list
      return try relocate(&result.extents, born: list.born, &job) ? result : nil
    }
    var inner = try view.extents(of: list)
    let outer = list.extents[0]
    // The list itself gets its place first, so that no extent is moved unnecessarily.
    let bytes = inner.count * ExtentList.Extent.encodedBytes
    let pages = UInt32((bytes + Page.size - 1) / Page.size)
    guard job.goesOn, let place = store.space.takeRun(pages, below: job.bound) else { return nil }
    guard try relocate(&inner, born: list.born, &job) || outer.place + outer.pages > job.bound else {
      for member in place..<place + pages { store.space.giveBack(member) }
      return nil
    }
    let encoded = ExtentList.encode(inner)
    var fresh: ExtentList.Extent?
    var failure: StoreError?
    encoded.withUnsafeBytes { stored in
      do throws(StoreError) {
        fresh = try put(
          stored, at: place, rawBytes: UInt32(bytes), check: Checksum.of(stored), isNamed: false)
      } catch { failure = error }
    }
    guard let fresh else { throw failure! }
    job.note(Int(pages))
    bury(outer, born: list.born)
    var result = list
    result.extents = [fresh]
    return result
  }

  /// Moves some of the extents. Returns false if it moved none.
  private func relocate(
    _ extents: inout [ExtentList.Extent], born: UInt64, _ job: inout Relocation
  ) throws(StoreError) -> Bool {
    var wasMoved = false
    for index in extents.indices where extents[index].place + extents[index].pages > job.bound {
      guard let copy = try relocate(extents[index], &job) else { continue }
      bury(extents[index], born: born)
      extents[index] = copy
      wasMoved = true
    }
    return wasMoved
  }

  private func bury(_ extent: ExtentList.Extent, born: UInt64) {
    bury(Death(place: extent.place, length: extent.pages, born: born, died: 0, named: false))
  }

  private func relocate(
    _ extent: ExtentList.Extent, _ job: inout Relocation
  ) throws(StoreError) -> ExtentList.Extent? {
    let pages = Int(extent.pages)
    guard job.goesOn, job.room - pages > job.reserve else { return nil }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(extent.storedBytes), alignment: 16)
    defer { buffer.deallocate() }
    try view.readStored(extent, into: buffer)
    // Free runs are rarer than free places: any lower one is used.
    guard let place = store.space.takeRun(extent.pages, below: extent.place) else { return nil }
    job.note(pages)
    return try put(
      UnsafeRawBufferPointer(buffer), at: place, rawBytes: extent.rawBytes, check: extent.check, isNamed: false)
  }
}
