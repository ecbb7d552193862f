/// The relation of a class to its superclasses.
///
/// Objects of a class and of its subclasses are rows of one entity, that of the root class. A
/// property that a subclass adds has a field named after the subclass and the property, because two
/// subclasses may have properties of the same name.
extension _ModelType {
  /// The root class, whose entity holds the rows.
  package var root: _ModelType {
    var type = self
    while let above = type.superType { type = above }
    return type
  }

  package func isKind(of other: _ModelType) -> Bool {
    var next: _ModelType? = self
    while let type = next {
      if type === other { return true }
      next = type.superType
    }
    return false
  }

  /// The class that declares a property.
  package func owner(of property: Int) -> _ModelType {
    var type = self
    while property < type.first, let above = type.superType { type = above }
    return type
  }

  /// Whether a subclass adds the property, so that some rows of the entity have no value for it.
  package func isAdded(_ property: Int) -> Bool { owner(of: property).superType != nil }

  /// The name of the property's field.
  package func fieldName(_ property: Int) -> String {
    let (owner, name) = (owner(of: property), propertyName(property))
    return owner.superType == nil ? name : owner.name + "/" + name
  }

  /// Whether a to-one relationship may be nil.
  package func mayBeNil(_ property: Int) -> Bool {
    if case .toOne(let link) = properties[property].storage { link.isOptional } else { true }
  }

  /// The number of a property by its name, or by the path of a part of it.
  package func number(ofPath path: String) -> Int? {
    let name = path.prefix { $0 != "." }
    return properties.lastIndex { $0.name == name }
  }

  /// The name of the field of a property, or of a part of a struct after a point.
  package func fieldName(ofPath path: String) -> String {
    guard let number = number(ofPath: path) else { return path }
    return fieldName(number) + path.drop { $0 != "." }
  }
}
