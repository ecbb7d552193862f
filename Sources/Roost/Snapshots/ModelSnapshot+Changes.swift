internal import RoostGraph

/// Changes to a snapshot, and differences between two.
extension ModelSnapshot {
  /// Sets a stored property. `ModelContext.apply(_:)` applies it to the model.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if the key path is not a stored property, or
  ///   the value has another type.
  @_disfavoredOverload
  public mutating func set<Value>(_ keyPath: KeyPath<Model, Value>, to value: Value) throws {
    let number = try number(keyPath)
    guard content.link(number) == nil, let image = content.values.setting(number, to: value) else {
      throw RoostError(.badValue, "\(name(number)) cannot be set to a value of type \(Value.self) in a snapshot")
    }
    content.values = image
    content.refused[number] = nil
  }

  /// Sets the model that an optional relationship references; nil for none.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if the key path is not a stored
  ///   relationship.
  public mutating func set<Other: PersistentModel>(
    _ keyPath: KeyPath<Model, Other?>, to identifier: PersistentIdentifier?
  ) throws { try lead(keyPath, .one(identifier)) }

  /// Sets the model that a required relationship references.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if the key path is not a stored
  ///   relationship.
  public mutating func set<Other: PersistentModel>(
    _ keyPath: KeyPath<Model, Other>, to identifier: PersistentIdentifier
  ) throws { try lead(keyPath, .one(identifier)) }

  /// Sets the models of a to-many relationship, in order.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if the key path is not a stored
  ///   relationship.
  public mutating func set<Other: PersistentModel>(
    _ keyPath: KeyPath<Model, [Other]>, to identifiers: [PersistentIdentifier]
  ) throws { try lead(keyPath, .many(identifiers)) }

  /// Sets the models of an optional to-many relationship, in order.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if the key path is not a stored
  ///   relationship.
  public mutating func set<Other: PersistentModel>(
    _ keyPath: KeyPath<Model, [Other]?>, to identifiers: [PersistentIdentifier]
  ) throws { try lead(keyPath, .many(identifiers)) }

  private mutating func lead(_ keyPath: PartialKeyPath<Model>, _ link: SnapshotContent.Link) throws {
    let number = try number(keyPath)
    let place = content.form.linkPlaces[number]
    guard place >= 0 else { throw RoostError(.badValue, "\(name(number)) is not a relationship") }
    content.links[place] = link
  }

  private func number(_ keyPath: PartialKeyPath<Model>) throws -> Int {
    if let number = SnapshotPaths.number(of: keyPath) { return number }
    throw RoostError(
      .badValue,
      "\(keyPath) is not a stored property, so it cannot be set in a snapshot: set the property that contains it"
    )
  }

  private func name(_ number: Int) -> String { "\(content.type.name).\(content.type.propertyName(number))" }

  /// A property that differs between two snapshots.
  public struct Difference: Hashable, Sendable, CustomStringConvertible {
    /// The name of the property.
    public let property: String
    fileprivate let number: Int
    fileprivate let old: SnapshotContent
    fileprivate let new: SnapshotContent

    /// The value in the older snapshot, as text.
    public var before: String { old.text(number) }
    /// The value in the newer snapshot, as text.
    public var after: String { new.text(number) }
    public var description: String { "\(property): \(before) → \(after)" }
  }

  /// Returns the properties that differ from an older snapshot, in the order of their declaration.
  /// Properties that one of the two does not have are left out. Values are compared in their stored
  /// form, byte by byte. The models of the snapshots may be different ones.
  public func differences(from old: ModelSnapshot) -> [Difference] {
    // If the classes differ, the properties of their common superclass are compared.
    let count = content.type === old.content.type ? content.type.properties.count : Model._$type.properties.count
    return (0..<count).compactMap { number in
      guard content.isPresent(number), old.content.isPresent(number),
        !content.isSame(number, as: old.content)
      else { return nil }
      return Difference(
        property: content.type.propertyName(number), number: number, old: old.content, new: content)
    }
  }
}
