import RoostFile

/// Which segments are free, and how many there are.
///
/// ## Invariants
/// 1. A segment becomes free only when the superblock that no longer needs it is synced.
/// 2. A segment is cut off only while it is free, and neither of the two superblocks leads to what it held.
extension Log {
  /// Frees the segments that lie wholly before `first`. The caller has synced the superblock that says so.
  func retire(before first: UInt64) {
    for index in segments.indices {
      if let start = segments[index].first, start < first, index != segment {
        segments[index].first = nil
        segments[index].left = start
      }
    }
  }

  /// Makes sure that a free segment is there beyond the reserve.
  func takeSegment() throws(StoreError) -> Int {
    let free = segments.indices.filter { segments[$0].first == nil }
    if free.count >= 2 { return free[0] }
    do throws(StoreError) {
      try grow(by: free.isEmpty ? 2 : max(1, min(8, segments.count / 2)))
    } catch {
      if error.code == .diskFull && mayUseReserve, let last = free.first { return last }
      throw error
    }
    return segments.firstIndex { $0.first == nil }!
  }

  private func grow(by count: Int) throws(StoreError) {
    let zeros = try Room.take(segmentBytes)
    defer { Room.give(zeros) }
    zeros.initializeMemory(as: UInt8.self, repeating: 0)
    for _ in 0..<count {
      try file.write(UnsafeRawBufferPointer(zeros), at: offset(of: segments.count))
      segments.append(Segment())
    }
  }

  /// Gives free segments at the file's end back to the device until `wanted` are left.
  ///
  /// Should the newest superblock rot, the one before it still leads through segments that are free; so those stay
  /// until that one has been overwritten too. Its log begins at `oldest`.
  func cut(to wanted: Int, reachedFrom oldest: UInt64) {
    var count = segments.count
    while count > max(wanted, 2), segments[count - 1].first == nil, segments[count - 1].left ?? 0 < oldest {
      count -= 1
    }
    if count == segments.count { return }
    // First here, then in the file: that may be longer than is known here, but never shorter.
    segments.removeLast(segments.count - count)
    do throws(StoreError) { try file.truncate(to: offset(of: count)) } catch {}
  }
}
