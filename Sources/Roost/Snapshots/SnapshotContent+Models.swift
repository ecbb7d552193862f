internal import RoostFile
internal import RoostGraph

extension SnapshotContent {
  /// Returns a stored value, or its substitute if it is not known.
  func value<Value>(_ number: Int) throws -> Value {
    if let value = values.value(number, as: Value.self) { return value }
    try checkRefused(number)
    if link(number) != nil {
      throw RoostError(
        .badValue,
        "\(type.name).\(type.propertyName(number)) is a relationship, and a snapshot has only its identifiers: "
          + "read it by a key path of its own type")
    }
    let property = type.properties[number]
    if let value = property.initial?() as? Value { return value }
    if let value = form.coders[number]?.anyValue as? Value { return value }
    throw RoostError(
      .badValue,
      "\(type.name).\(property.name) is not in the snapshot, and its type has no empty value: give it a default"
    )
  }

  /// Makes a model without a context.
  func makeModel() -> any PersistentModel {
    guard let type = type.model as? any PersistentModel.Type else {
      StandardError.stop("\(type.name) is not a model")
    }
    return type.init(_$state: _ModelState())
  }
}

extension SnapshotContent {
  /// Sets the properties that differ in a model of a context. Unknown and unwanted properties stay.
  func give(
    to model: any PersistentModel, target: (PersistentIdentifier) -> (any PersistentModel)?,
    where isWanted: (Int) -> Bool = { _ in true }
  ) {
    let now = SnapshotContent(model)
    for property in type.properties.indices where isPresent(property) && isWanted(property) {
      switch link(property) {
      case nil:
        if !values.isSame(property, as: now.values), let value = values.any(property) { model.assign(property, value) }
      case .one(let one)?:
        let other = one.flatMap(target)
        if case .one(let before)? = now.link(property), before == other?.persistentModelID { continue }
        // A required reference stays.
        if other == nil, !type.mayBeNil(property) { continue }
        model.assign(property, other as Any)
      case .many(let many)?:
        let others = many.compactMap(target)
        if case .many(let before)? = now.link(property), before == others.map(\.persistentModelID) { continue }
        model.assign(property, others)
      case .absent?: continue
      }
    }
  }

  /// Gives the values to a model without a context. Unknown properties get their defaults. Returns
  /// the first property that has neither.
  @discardableResult
  func fill(_ model: some PersistentModel) -> Int? {
    var missing: Int?
    for (number, property) in type.properties.enumerated() where form.linkPlaces[number] < 0 {
      if let value = values.any(number) {
        if property.isByHand { model.assign(number, value) } else { model._$fill(number, with: value) }
      } else if !property.isByHand, !model._$fill(number, orEmpty: false), !isOptional(number), missing == nil {
        missing = number
      }
    }
    return missing
  }

  /// Whether a value may be nil, so that an unknown one is nil.
  private func isOptional(_ property: Int) -> Bool {
    guard let coder = form.coders[property], coder.field?.isOptional == true else { return false }
    return true
  }
}
