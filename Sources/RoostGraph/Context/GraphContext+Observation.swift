/// Telling whoever shows objects that they changed.
extension GraphContext {
  /// Says whether objects let those who read them wait for changes. Each reading of such an object asks who waits, so a context
  /// begins with that when it finds the first tracking, or when the program says so. A tracking that waits already is told in any case.
  package func observe(_ observes: Bool) {
    looksForObservers = false
    scouts = 0
    observesObjects = observes
    for object in allObjects {
      if observes {
        object._$state.flags.insert(.observed)
      } else {
        object._$state.flags.remove(.observed)
      }
    }
  }

  /// Whether the caller runs inside of `withObservationTracking`, where the context looks for that.
  ///
  /// It does so at each fetch, where a fault is filled, and where one of the first objects is read that it made: to ask at every reading
  /// would take longer than the reading.
  var isTracked: Bool {
    if !looksForObservers { return false }
    if let probe { return probe.isTracking }
    let made = ObservationProbe()
    probe = made
    return made.isTracking
  }

  /// Observes all objects from here on, if the caller runs inside of a tracking.
  func findObserver() { if isTracked { observe(true) } }

  /// Whether the next object that is made is to tell when it is read.
  @inline(__always)
  func takeScout() -> Bool {
    if scouts == 0 { return false }
    scouts &-= 1
    return true
  }
}
