internal import RoostGraph

extension SnapshotContent {
  /// A model that is nobody's.
  func makeModel() -> any PersistentModel {
    guard let type = type.model as? any PersistentModel.Type else {
      preconditionFailure("\(type.name) is no model")
    }
    return type.init(_$state: _ModelState())
  }
}

extension SnapshotContent {
  /// Gives a model that is nobody's the values; what is not known gets its default. Returns the first property that has neither.
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

  /// Whether a value may be nil, so that one that is not known is.
  private func isOptional(_ property: Int) -> Bool {
    guard let coder = form.coders[property], coder.field?.isOptional == true else { return false }
    return true
  }
}
