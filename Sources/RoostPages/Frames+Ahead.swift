import RoostFile

/// Requests pages from the device before they are looked up, so that it reads them in advance.
extension Frames {
  /// A system call takes less if the kernel's cache has everything.
  private static let leastNanoseconds: UInt64 = 1000

  /// Requests these pages, with one call for consecutive ones. Their frames do not change: the
  /// kernel reads the bytes into its cache. Checksums are compared later, when the pages are read
  /// from there.
  ///
  /// Returns false if most calls were so quick that the kernel probably had the pages. Each call is
  /// timed separately, because on a busy machine some are slow for other reasons.
  func willNeed(_ pages: [PageID]) -> Bool {
    guard let file else { return false }
    // A damaged reference may contain any place.
    let places = pages.map(\.place).filter { $0 >= 2 && Int($0) < slabCount * FrameMap.slabPlaces }.sorted()
    var (calls, quickCalls, start) = (0, 0, 0)
    var before = Clock.monotonicNanoseconds()
    for index in places.indices {
      if index + 1 < places.count, places[index + 1] <= places[index] + 1 { continue }
      let count = UInt64(places[index] - places[start] + 1)
      file.willRead(offset: PageID(places[start]).byteOffset, length: count * UInt64(Page.size))
      let now = Clock.monotonicNanoseconds()
      calls += 1
      if now - before < Self.leastNanoseconds { quickCalls += 1 }
      before = now
      start = index + 1
    }
    return quickCalls * 2 <= calls
  }
}
