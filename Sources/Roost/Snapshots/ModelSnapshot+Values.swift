internal import RoostFile
internal import RoostGraph

/// Reads by key path. The path is looked up by its address, so that a read of many snapshots is
/// cheap; ``Swift/Sequence/values(of:)`` looks it up only once.
extension ModelSnapshot {
  /// The stored value. If the snapshot does not have the property, because an older program coded
  /// it, this is the property's default, or nil, zero or empty. A computed property, or a property
  /// of a struct, is computed from the snapshot's values.
  @_disfavoredOverload
  public subscript<Value>(keyPath: KeyPath<Model, Value>) -> Value {
    do { return try value(of: keyPath) } catch { StandardError.stop("\(error)") }
  }

  /// The model that an optional relationship references; nil for none.
  public subscript<Other: PersistentModel>(keyPath: KeyPath<Model, Other?>) -> PersistentIdentifier? {
    one(keyPath)
  }

  /// The model that a required relationship references. If that model was deleted nevertheless, the
  /// identifier names no model.
  public subscript<Other: PersistentModel>(keyPath: KeyPath<Model, Other>) -> PersistentIdentifier {
    one(keyPath) ?? PersistentIdentifier(store: nil, entity: Other._$type.name, .temporary(0), isSaved: false)
  }

  /// The members of a relationship, in order. If the list was not loaded, it ends the program;
  /// ``isLoaded(_:)`` tests that, and `value(of:)` throws.
  public subscript<Other: PersistentModel>(keyPath: KeyPath<Model, [Other]>) -> [PersistentIdentifier] {
    do { return try many(keyPath) } catch { StandardError.stop("\(error)") }
  }
  /// The members of an optional relationship, in order. If the list was not loaded, it ends the
  /// program.
  public subscript<Other: PersistentModel>(keyPath: KeyPath<Model, [Other]?>) -> [PersistentIdentifier] {
    do { return try many(keyPath) } catch { StandardError.stop("\(error)") }
  }

  /// The stored value of a property, such as `snapshot.title`.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember keyPath: KeyPath<Model, Value>) -> Value { self[keyPath] }
  /// The model that an optional relationship references, such as `snapshot.playlist`; nil for none.
  public subscript<Other: PersistentModel>(dynamicMember keyPath: KeyPath<Model, Other?>) -> PersistentIdentifier? {
    self[keyPath]
  }
  /// The model that a required relationship references.
  public subscript<Other: PersistentModel>(dynamicMember keyPath: KeyPath<Model, Other>) -> PersistentIdentifier {
    self[keyPath]
  }
  /// The members of a relationship, in order. If the list was not loaded, it ends the program.
  public subscript<Other: PersistentModel>(dynamicMember keyPath: KeyPath<Model, [Other]>) -> [PersistentIdentifier] {
    self[keyPath]
  }
  /// The members of an optional relationship, in order. If the list was not loaded, it ends the
  /// program.
  public subscript<Other: PersistentModel>(dynamicMember keyPath: KeyPath<Model, [Other]?>) -> [PersistentIdentifier] {
    self[keyPath]
  }

  /// Returns the value of `self[keyPath]`.
  ///
  /// - Throws: ``RoostError`` if the subscript would end the program. The code is `badValue` if a
  ///   computed property reads a relationship, because a snapshot has only identifiers, or if a
  ///   list was not loaded. It is `unreadable` if the property's type does not accept the stored
  ///   value.
  @_disfavoredOverload
  public func value<Value>(of keyPath: KeyPath<Model, Value>) throws -> Value {
    guard let number = SnapshotPaths.number(of: keyPath) else { return try computed(keyPath) }
    return try content.value(number)
  }

  /// Returns the model that an optional relationship references; nil for none.
  ///
  /// - Throws: nothing. The other overloads throw.
  public func value<Other: PersistentModel>(of keyPath: KeyPath<Model, Other?>) throws -> PersistentIdentifier? {
    self[keyPath]
  }
  /// Returns the model that a required relationship references.
  ///
  /// - Throws: nothing. The other overloads throw.
  public func value<Other: PersistentModel>(of keyPath: KeyPath<Model, Other>) throws -> PersistentIdentifier {
    self[keyPath]
  }
  /// Returns the members of a relationship, in order.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if the list was not loaded.
  public func value<Other: PersistentModel>(of keyPath: KeyPath<Model, [Other]>) throws -> [PersistentIdentifier] {
    try many(keyPath)
  }
  /// Returns the members of an optional relationship, in order.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if the list was not loaded.
  public func value<Other: PersistentModel>(of keyPath: KeyPath<Model, [Other]?>) throws -> [PersistentIdentifier] {
    try many(keyPath)
  }

  /// Whether the snapshot has a property. A list may not have been loaded, and a snapshot that an
  /// older program coded may lack new properties.
  public func isLoaded(_ keyPath: PartialKeyPath<Model>) -> Bool {
    SnapshotPaths.number(of: keyPath).map { content.isPresent($0) } ?? false
  }

  private func one(_ keyPath: PartialKeyPath<Model>) -> PersistentIdentifier? {
    guard let number = SnapshotPaths.number(of: keyPath), case .one(let found)? = content.link(number) else {
      return nil
    }
    return found
  }

  private func many(_ keyPath: PartialKeyPath<Model>) throws -> [PersistentIdentifier] {
    guard let number = SnapshotPaths.number(of: keyPath) else {
      throw RoostError(.badValue, "\(keyPath) is not stored, so a snapshot has no list of it: read it from the model")
    }
    if case .many(let found)? = content.link(number) { return found }
    if content.link(number) == .absent, content.isDecoded { return [] }
    throw RoostError(
      .badValue,
      "\(content.type.name).\(content.type.propertyName(number)) was not read: fetch the snapshots with lists")
  }

  /// Computes a property that is not stored, from a model that has the snapshot's values and no
  /// relationships.
  private func computed<Value>(_ keyPath: KeyPath<Model, Value>) throws -> Value {
    let made = content.makeModel()
    guard let model = made as? Model else {
      throw RoostError(.badValue, "\(keyPath) cannot be computed from a snapshot")
    }
    // The property may read any other property.
    try content.checkRefused()
    content.fill(made)
    let alarm = LinkAlarm(model)
    let value = model[keyPath: keyPath]
    if let property = alarm.asked {
      throw RoostError(
        .badValue,
        "\(keyPath) reads \(content.type.name).\(content.type.propertyName(property)), and a snapshot has only its identifiers: "
          + "compute it from the model")
    }
    // If the result is the identifier of the made model, the caller gets the identifier of the
    // snapshot's model.
    if let identifier = value as? PersistentIdentifier, identifier == model.persistentModelID,
      let own = content.identifier as? Value
    {
      return own
    }
    return value
  }
}

extension Sequence {
  /// Reads one property of many snapshots. The key path is looked up once.
  ///
  /// - Throws: what `value(of:)` throws.
  public func values<Model, Value>(of keyPath: KeyPath<Model, Value>) throws -> [Value]
  where Element == ModelSnapshot<Model> {
    guard let number = SnapshotPaths.number(of: keyPath) else { return try map { try $0.value(of: keyPath) } }
    return try map { try $0.content.value(number) }
  }
}

/// Finds the property of a key path.
enum SnapshotPaths {
  static func number<Model: PersistentModel>(of keyPath: PartialKeyPath<Model>) -> Int? {
    ImageForm.of(Model._$type).number(of: keyPath)
  }
}
