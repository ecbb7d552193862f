/// Places of one term in one document, in memory that is reused.
final class PlaceList {
  private(set) var start: UnsafeMutablePointer<UInt32>
  private(set) var count = 0
  private var room = 256

  init() { start = .allocate(capacity: room) }
  deinit { start.deallocate() }

  var places: UnsafeBufferPointer<UInt32> { UnsafeBufferPointer(start: start, count: count) }

  @inline(__always)
  func clear() { count = 0 }

  @inline(__always)
  func append(_ place: UInt32) {
    if count == room { grow() }
    start[count] = place
    count &+= 1
  }

  /// Memory after the last place for `more` places. ``extend(_:)`` adds them.
  @inline(__always)
  func room(_ more: Int) -> UnsafeMutablePointer<UInt32> {
    while count &+ more > room { grow() }
    return start + count
  }

  @inline(__always)
  func extend(_ more: Int) { count &+= more }

  /// Removes the last places.
  @inline(__always)
  func cut(_ kept: Int) { count = kept }

  @inline(never)
  private func grow() {
    let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: room * 2)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
    room *= 2
  }
}
