internal import RoostGraph

/// Changing a snapshot, and comparing two.
extension ModelSnapshot {
  /// Gives a stored property another value; `ModelContext.apply(_:)` takes it over.
  @_disfavoredOverload
  public mutating func set<Value>(_ keyPath: KeyPath<Model, Value>, to value: Value) throws {
    let number = try number(keyPath)
    guard content.link(number) == nil, let image = content.values.setting(number, to: value) else {
      throw RoostError(.badValue, "\(name(number)) cannot be set to a value of type \(Value.self) in a snapshot")
    }
    content.values = image
    content.refused[number] = nil
  }

  /// Lets an optional relationship reference another model; nil for none.
  ///
  /// - Throws: ``RoostError/Code/badValue`` if the key path is not a stored relationship.
  public mutating func set<Other: PersistentModel>(
    _ keyPath: KeyPath<Model, Other?>, to identifier: PersistentIdentifier?
  ) throws { try lead(keyPath, .one(identifier)) }

  /// Lets a required relationship reference another model.
  ///
  /// - Throws: ``RoostError/Code/badValue`` if the key path is not a stored relationship.
  public mutating func set<Other: PersistentModel>(
    _ keyPath: KeyPath<Model, Other>, to identifier: PersistentIdentifier
  ) throws { try lead(keyPath, .one(identifier)) }

  /// Sets the models of a relationship to many, in their order.
  ///
  /// - Throws: ``RoostError/Code/badValue`` if the key path is not a stored relationship.
  public mutating func set<Other: PersistentModel>(
    _ keyPath: KeyPath<Model, [Other]>, to identifiers: [PersistentIdentifier]
  ) throws { try lead(keyPath, .many(identifiers)) }

  /// Sets the models of an optional relationship to many, in their order.
  ///
  /// - Throws: ``RoostError/Code/badValue`` if the key path is not a stored relationship.
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

  /// A property that two snapshots do not have in common.
  public struct Difference: Hashable, Sendable, CustomStringConvertible {
    /// The name of the property.
    public let property: String
    fileprivate let number: Int
    fileprivate let old: SnapshotContent
    fileprivate let new: SnapshotContent

    /// The value in the older snapshot, in words.
    public var before: String { old.text(number) }
    /// The value in the newer snapshot, in words.
    public var after: String { new.text(number) }
    public var description: String { "\(property): \(before) → \(after)" }
  }

  /// What is not the same in an older snapshot, by property, in the order in which they are declared. What one of the two knows nothing
  /// of is left out. Values are compared as they are stored, to the byte; whose snapshots they are does not count.
  public func differences(from old: ModelSnapshot) -> [Difference] {
    // Of two classes what the one above has in common.
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
