/// How a context finds out by itself that its objects are observed.
///
/// It looks at each fetch, where a fault is filled, and where one of the first objects is read that it made (a scout): to look at every
/// reading would take longer than the reading.
struct ObserverSearch {
  private var isOn = true
  /// How many more objects are made whose reading looks for a tracking.
  private var scouts = 200
  private var probe: ObservationProbe?

  /// Whether the caller runs inside of `withObservationTracking`; false after ``end()``.
  var isTracked: Bool {
    mutating get {
      if !isOn { return false }
      if let probe { return probe.isTracking }
      let made = ObservationProbe()
      probe = made
      return made.isTracking
    }
  }

  /// Whether the object that is made next looks for a tracking when it is read.
  @inline(__always)
  mutating func takeScout() -> Bool {
    if scouts == 0 { return false }
    scouts &-= 1
    return true
  }

  /// The search is over: the context knows, or was told.
  mutating func end() {
    isOn = false
    scouts = 0
  }
}
