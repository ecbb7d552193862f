import RoostFile

/// Asking the device for pages before they are looked up, so that it works while we do.
extension Frames {
  /// A call of the system that has nothing to do takes less.
  private static let leastNanoseconds: UInt64 = 1000

  /// Asks for these pages, with one call where they lie one behind the other. Their frames stay as they are: the bytes
  /// wait in the kernel's cache, and are checked when they are read from there.
  ///
  /// False if most calls took so little time that the kernel seems to have had what they asked for. Each is timed by
  /// itself: on a busy machine some take long for other reasons.
  func willNeed(_ pages: [PageID]) -> Bool {
    guard let file else { return false }
    // A damaged reference may name any place.
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
