/// Telling whoever shows objects that they changed.
extension GraphContext {
  /// Says whether objects let those who read them wait for changes. Each reading of such an object asks who waits, so only a
  /// context whose objects are shown does so. Whoever waits already is told in any case.
  package func observe(_ observes: Bool) {
    if observes == observesObjects { return }
    observesObjects = observes
    for object in allObjects {
      if observes {
        object._$state.flags.insert(.observed)
      } else {
        object._$state.flags.remove(.observed)
      }
    }
  }

  /// Notes that a property changed, all of them where it is nil, which the object's own setter did not do.
  func noteTold(_ object: any _ModelObject, _ property: Int?) {
    if object._$state.flags.contains(.tracked), !isGoing(object) { told.append((object, property)) }
  }

  /// Tells those who wait. They may do anything, so it comes after both sides of all relationships agree.
  func tell(_ all: [(object: any _ModelObject, property: Int?)]) {
    for (object, property) in all {
      if let property {
        object._$tellOfChange(property)
      } else {
        for number in type(of: object)._$type.properties.indices { object._$tellOfChange(number) }
      }
    }
  }
}
