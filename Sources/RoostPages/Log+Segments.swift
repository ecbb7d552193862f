import RoostFile

/// Manages free segments and the number of segments.
///
/// ## Invariants
/// 1. A segment becomes free only after the superblock that no longer needs it is synced.
/// 2. A segment is cut off only while it is free, and neither superblock needs its former content.
extension Log {
  /// Frees the segments that lie completely before `first`. The caller has synced the superblock
  /// that begins there.
  func retire(before first: UInt64) {
    for index in segments.indices {
      if let start = segments[index].first, start < first, index != segment {
        segments[index].first = nil
        segments[index].left = start
      }
    }
  }

  /// Finds a free segment besides the reserve, or adds one.
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

  /// Cuts free segments off the file's end until `wanted` are left.
  ///
  /// If the newest superblock rots, the previous one still needs segments that are free now. So
  /// those stay until that one has been overwritten too. Its log begins at `oldest`.
  func cut(to wanted: Int, reachedFrom oldest: UInt64) {
    var count = segments.count
    while count > max(wanted, 2), segments[count - 1].first == nil, segments[count - 1].left ?? 0 < oldest {
      count -= 1
    }
    if count == segments.count { return }
    // Noted first, then cut: the file may be longer than noted, but never shorter.
    segments.removeLast(segments.count - count)
    do throws(StoreError) { try file.truncate(to: offset(of: count)) } catch {}
  }
}
