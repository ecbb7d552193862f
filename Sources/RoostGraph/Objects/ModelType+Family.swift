/// What a class has to do with those that it inherits from.
///
/// Objects of a class and of its subclasses are rows of one entity, that of the topmost class. What a subclass adds stands there
/// under its own name and the property's, because classes beside each other may have properties of the same name.
extension _ModelType {
  /// The topmost class, whose entity holds the rows.
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

  /// What the property's field is called.
  package func fieldName(_ property: Int) -> String {
    let (owner, name) = (owner(of: property), propertyName(property))
    return owner.superType == nil ? name : owner.name + "/" + name
  }

  /// Whether a relationship to one may lead nowhere.
  package func mayBeNil(_ property: Int) -> Bool {
    if case .toOne(let link) = properties[property].storage { link.isOptional } else { true }
  }

  /// The number of a property by its name, or by that of a part of it.
  package func number(ofPath path: String) -> Int? {
    let name = path.prefix { $0 != "." }
    return properties.lastIndex { $0.name == name }
  }

  /// The same for a property, or for a part of a struct behind a point.
  package func fieldName(ofPath path: String) -> String {
    guard let number = number(ofPath: path) else { return path }
    return fieldName(number) + path.drop { $0 != "." }
  }
}
