internal import CLZ4
public import Synchronization

extension UnsafeRawPointer {
  /// Loads a word whose value is not used, so that its cache line is on its way when it is needed.
  ///
  /// Swift has no prefetch instruction; a relaxed atomic load is a plain one that the compiler keeps.
  @inlinable @inline(__always)
  package func touch(_ offset: Int) {
    _ = (self + offset).assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .relaxed)
  }

  /// Touches every cache line from `start` up to, but without, `end`, which are multiples of 64.
  @inlinable @inline(__always)
  package func touch(from start: Int, to end: Int) {
    var offset = start
    while offset < end {
      touch(offset)
      offset &+= 64
    }
  }

  /// Prefetches every cache line from `start` up to, but without, `end`, without waiting. Nothing
  /// is read, so the memory may be invalid.
  package func fetchAhead(from start: Int, to end: Int) {
    var offset = start
    while offset < end {
      roost_fetch_ahead(self + offset)
      offset &+= 64
    }
  }
}
