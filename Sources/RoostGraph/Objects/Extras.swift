public import Observation

/// Data that only few objects need, made at the first use.
public final class _Extras {
  /// Notifies the observers of changes.
  package var registrar: ObservationRegistrar?
  /// The error of the last read of the whole object.
  package var failure: (any Error)?
  /// The errors of rejected values by property, while the object is marked as invalid.
  var refused: [Int: any Error] = [:]
  /// A unique number for an object without a row.
  package var temporaryNumber: UInt64 = 0
  /// Storage for the owner of the object.
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

  /// The name that SwiftData's macro expansion uses.
  public var _registrar: ObservationRegistrar {
    mutating get { takeRegistrar() }
  }
}
