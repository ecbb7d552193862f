internal import RoostGraph

/// Recognises key paths to the identifier of a model.
///
/// `persistentModelID` and `id` are generic, so their components have a different description
/// wherever they are written. But equal ones have the same hash, even if a `?` makes the whole key
/// path unequal to all others.
enum PathIdentity {
  static func isShown(by keyPath: AnyKeyPath, behind path: PropertyPath) -> Bool {
    if path.references.isEmpty { return Identity.isIdentifier(keyPath, of: path.root.model) }
    var start: AnyKeyPath?
    var type = path.root
    var isOptional = false
    for number in path.references {
      guard case .toOne(let link) = type.properties[number].storage else { return false }
      let own = type.heirPath(number)
      // After an optional, no key path can be composed here.
      guard let next = start.map({ $0.appending(path: own) }) ?? own else { return false }
      start = next
      isOptional = link.isOptional
      type = link.model._$type
    }
    guard let start, let model = type.model as? any PersistentModel.Type else { return false }
    return ends(model, isOptional).contains { start.appending(path: $0)?.hashValue == keyPath.hashValue }
  }

  /// Finds an inherited property with one of Roost's key paths appended. A subclass's key paths
  /// have other descriptions than those of the class that declares the property.
  static func inherited(by keyPath: AnyKeyPath, _ root: _ModelType) -> PropertyPath? {
    for number in 0..<root.first {
      let own = root.heirPath(number)
      var ends = KeyPathEnds.changers
      let type = Swift.type(of: own).valueType
      if let type = TypeFacts.whole(type) as? any RawRepresentable.Type {
        ends += rawValues(type).map { ($0, .rawValue) }
      }
      for end in ends where own.appending(path: end.keyPath)?.hashValue == keyPath.hashValue {
        var path = PropertyPath(root)
        path.finish(.property(number))
        path.change = end.change
        return path
      }
    }
    return nil
  }

  private static func rawValues<Value: RawRepresentable>(_ type: Value.Type) -> [AnyKeyPath] {
    [Composed.rawValue(type), Composed.optionalRawValue(type)]
  }

  private static func ends(_ model: any PersistentModel.Type, _ isOptional: Bool) -> [AnyKeyPath] {
    func open<Model: PersistentModel>(_ type: Model.Type) -> [AnyKeyPath] {
      if isOptional {
        let property: KeyPath<Model?, PersistentIdentifier?> = \Model?.?.id
        return [\Model?.?.persistentModelID, property]
      }
      let property: KeyPath<Model, PersistentIdentifier> = \Model.id
      return [\Model.persistentModelID, property]
    }
    return open(model)
  }
}

/// Recognises the key paths to a model itself.
enum Identity {
  static func isIdentifier(_ keyPath: AnyKeyPath, of model: any _ModelObject.Type) -> Bool {
    guard let root = type(of: keyPath).rootType as? any PersistentModel.Type else { return false }
    func open<Model: PersistentModel>(_ type: Model.Type) -> Bool {
      // The second is the property; generic code uses the third.
      let property: KeyPath<Model, PersistentIdentifier> = \Model.id
      let required: KeyPath<Model, Model.ID> = \Model.id
      if keyPath == \Model.persistentModelID || keyPath == property { return true }
      return keyPath == required && Model.ID.self == PersistentIdentifier.self
    }
    return open(root)
  }
}
