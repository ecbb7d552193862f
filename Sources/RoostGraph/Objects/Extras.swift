public import Observation

/// What few objects need beside their values; made at the first use.
public final class _Extras {
  /// Who waits to be told of changes.
  package var registrar: ObservationRegistrar?
  /// Why no value could be had.
  package var failure: (any Error)?
  /// By property, why its stored value was refused, while the object is marked as invalid.
  var refused: [Int: any Error] = [:]
  /// A number of its own, for an object without a row.
  package var temporaryNumber: UInt64 = 0
  /// Room for whoever manages the object.
  package var note: AnyObject?

  package init() {}
}

extension _ModelState {
  package mutating func takeExtras() -> _Extras {
    if let extras { return extras }
    let made = _Extras()
    extras = made
    return made
  }

  package mutating func takeRegistrar() -> ObservationRegistrar {
    let extras = takeExtras()
    if let registrar = extras.registrar { return registrar }
    let made = ObservationRegistrar()
    extras.registrar = made
    flags.insert(.tracked)
    return made
  }

  /// For the name that SwiftData's expansion gives to this.
  public var _registrar: ObservationRegistrar {
    mutating get { takeRegistrar() }
  }
}
