/// How a context finds out whether its objects are observed.
///
/// It tests for a tracking at each fetch, whenever it fills a fault, and when the program reads one
/// of the first objects that it made (the scouts). A test at every read would take longer than the
/// read.
struct ObserverSearch {
  private var isOn = true
  /// The number of further scouts.
  private var scouts = 200
  private var probe: ObservationProbe?

  /// Whether the caller runs inside `withObservationTracking`; false after ``end()``.
  var isTracked: Bool {
    mutating get {
      if !isOn { return false }
      if let probe { return probe.isTracking }
      let made = ObservationProbe()
      probe = made
      return made.isTracking
    }
  }

  /// Whether the next object is a scout.
  @inline(__always)
  mutating func takeScout() -> Bool {
    if scouts == 0 { return false }
    scouts &-= 1
    return true
  }

  /// Ends the search, because the context knows that it is observed, or was told.
  mutating func end() {
    isOn = false
    scouts = 0
  }
}
