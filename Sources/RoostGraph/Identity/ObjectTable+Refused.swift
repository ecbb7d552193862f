internal import RoostFile
internal import RoostRecords

/// Stored values that their types reject: a case that was removed from an enum, or bytes that a
/// type no longer decodes.
///
/// Such a value affects one property of one object. The object is filled like any other, and the
/// property's slot stays empty until the program reads it. Then the getter returns a default, and
/// the context reports that once for each property of a store. A save writes only changed
/// properties, so the stored value stays. Setting the property replaces it, and a deletion needs no
/// value.
extension _RowSource {
  /// Records in an object that was just read which properties' stored values were rejected.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - wanted: the bits of the properties that were read.
  /// - Returns: the error if the row itself could not be read.
  mutating func noteRefused(in object: any _ModelObject, only wanted: UInt64 = .max) -> (any Error)? {
    guard let failure else { return nil }
    if !(failure is RecordFault) { return failure }
    let type = Swift.type(of: object)._$type
    var refused: [Int: any Error] = [:]
    for (number, property) in type.properties.enumerated() where wanted & _ModelState.bit(number) != 0 {
      guard case .value = property.storage else { continue }
      self.failure = nil
      object._$decode(only: _ModelState.bit(number), from: &self)
      guard let error = self.failure else { continue }
      if !(error is RecordFault) { return error }
      if property.isByHand { object._$box?.remove(property.keyPath) }
      // Properties that share a bit were read together.
      if !object.hasValue(number) { refused[number] = error }
    }
    if refused.isEmpty { return nil }
    let others = object.refused.filter { wanted & _ModelState.bit($0.key) == 0 }
    let extras = object._$state.takeExtras()
    extras.refused = others.merging(refused) { _, new in new }
    if wanted == .max { extras.failure = nil }
    object._$state.flags.insert(.invalid)
    return nil
  }
}

extension _ModelObject {
  /// The properties whose stored values their types reject, with the errors.
  package var refused: [Int: any Error] {
    _$state.flags.contains(.invalid) ? _$state.extras?.refused ?? [:] : [:]
  }

  /// Whether the whole row of the object could not be read.
  var isUnreadable: Bool { _$state.flags.contains(.invalid) && _$state.extras?.failure != nil }

  /// Whether a property has a value, in its slot or in the box.
  func hasValue(_ property: Int) -> Bool {
    let known = Self._$type.properties[property]
    return known.isByHand ? _$box?.value(known.keyPath) != nil : _$isFilled(property)
  }

  /// Forgets the rejected value of a property, because the property has another value from here on.
  func forgetRefused(_ property: Int) {
    guard _$state.flags.contains(.invalid), let extras = _$state.extras else { return }
    extras.refused[property] = nil
    if extras.refused.isEmpty, extras.failure == nil { _$state.flags.remove(.invalid) }
  }

  /// Gives a property its declared default, else nil, zero, an empty value or the first case.
  /// Returns false if there is none.
  @discardableResult
  func giveDefault(_ property: Int) -> Bool {
    let known = Self._$type.properties[property]
    if !known.isByHand { return _$fill(property, orEmpty: true) }
    guard case .value(let coder) = known.storage, let value = known.initial?() ?? (try? coder.coder())?.madeUp else {
      return false
    }
    let box = _$box ?? _Box()
    box.set(known.keyPath, value)
    _$box = box
    return true
  }
}

extension ObjectTable {
  /// Gives a getter a default if the property's stored value was rejected.
  func replaceRefused(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) {
    guard let error = object.refused[property], !object.hasValue(property) else { return }
    guard object.giveDefault(property) else {
      // The getter stops the program with this error.
      object._$state.extras?.failure = error
      return
    }
    if !store.defaults.isNew(origin.map.number, property) { return }
    session.report(.defaultGiven(refusal(error, name(object), property: property, map: origin.map)))
  }

  /// The error about a rejected value.
  func refusal(_ error: any Error, _ name: ObjectName, property: Int, map: EntityMap) -> GraphFault {
    let row = RowID(name.row)
    let own = try? fields(map)[property]
    let stored = own.flatMap { fields in try? session.table(map).values(fields, of: row) }
    let values = stored.map { $0.map(\.brief).joined(separator: ", ") } ?? "a value"
    return GraphFault(
      .unreadable,
      "the store holds \(values), which its type rejects (\((error as? RecordFault)?.detail ?? "\(error)")), so a "
        + "getter returns a default: set the property to replace the stored value, or change the type so that it accepts the value",
      name: name, property: map.type.propertyName(property))
  }
}
