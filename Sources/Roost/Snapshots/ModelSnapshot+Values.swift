internal import RoostFile
internal import RoostGraph

/// Reading by key path. The path is looked up by its address, so that it costs little for each of many snapshots;
/// ``Swift/Sequence/values(of:)`` does not even do that.
extension ModelSnapshot {
  /// A stored value. One that the snapshot knows nothing of, because it was coded by an older program, is the property's default, else
  /// nil, zero or empty. A computed property, or a part of a struct, is computed of the snapshot's values.
  @_disfavoredOverload
  public subscript<Value>(keyPath: KeyPath<Model, Value>) -> Value {
    do { return try value(of: keyPath) } catch { StandardError.stop("\(error)") }
  }

  /// Where a relationship leads; nil for nowhere.
  public subscript<Other: PersistentModel>(keyPath: KeyPath<Model, Other?>) -> PersistentIdentifier? {
    one(keyPath)
  }

  /// Where a relationship leads that must lead somewhere. If the other model was deleted nevertheless it is an identifier of none.
  public subscript<Other: PersistentModel>(keyPath: KeyPath<Model, Other>) -> PersistentIdentifier {
    one(keyPath) ?? PersistentIdentifier(store: nil, entity: Other._$type.name, .temporary(0), isSaved: false)
  }

  /// The members of a relationship, in their order. Where they were not read, it ends the program; ``isLoaded(_:)`` tells, and
  /// `value(of:)` throws.
  public subscript<Other: PersistentModel>(keyPath: KeyPath<Model, [Other]>) -> [PersistentIdentifier] {
    do { return try many(keyPath) } catch { StandardError.stop("\(error)") }
  }
  /// The members of an optional relationship, in their order. Without a list that was read it ends the program, as
  /// for a list that is not optional.
  public subscript<Other: PersistentModel>(keyPath: KeyPath<Model, [Other]?>) -> [PersistentIdentifier] {
    do { return try many(keyPath) } catch { StandardError.stop("\(error)") }
  }

  /// The stored value of a property, as `snapshot.title`.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember keyPath: KeyPath<Model, Value>) -> Value { self[keyPath] }
  /// The model that an optional relationship references, as `snapshot.playlist`; nil for none.
  public subscript<Other: PersistentModel>(dynamicMember keyPath: KeyPath<Model, Other?>) -> PersistentIdentifier? {
    self[keyPath]
  }
  /// The model that a required relationship references.
  public subscript<Other: PersistentModel>(dynamicMember keyPath: KeyPath<Model, Other>) -> PersistentIdentifier {
    self[keyPath]
  }
  /// The members of a relationship, in their order. Without a list that was read it ends the program.
  public subscript<Other: PersistentModel>(dynamicMember keyPath: KeyPath<Model, [Other]>) -> [PersistentIdentifier] {
    self[keyPath]
  }
  /// The members of an optional relationship, in their order. Without a list that was read it ends the program.
  public subscript<Other: PersistentModel>(dynamicMember keyPath: KeyPath<Model, [Other]?>) -> [PersistentIdentifier] {
    self[keyPath]
  }

  /// The value that `self[keyPath]` gives; it throws where that would end the program: where a computed property asks a relationship,
  /// because a snapshot has only identifiers, for a list that was not read, and for a property whose type does not accept what is
  /// stored.
  @_disfavoredOverload
  public func value<Value>(of keyPath: KeyPath<Model, Value>) throws -> Value {
    guard let number = SnapshotPaths.number(of: keyPath) else { return try computed(keyPath) }
    return try content.value(number)
  }

  /// The model that an optional relationship references; nil for none.
  public func value<Other: PersistentModel>(of keyPath: KeyPath<Model, Other?>) throws -> PersistentIdentifier? {
    self[keyPath]
  }
  /// The model that a required relationship references.
  public func value<Other: PersistentModel>(of keyPath: KeyPath<Model, Other>) throws -> PersistentIdentifier {
    self[keyPath]
  }
  /// The members of a relationship, in their order. It throws ``RoostError/Code/badValue`` if the list was not read.
  public func value<Other: PersistentModel>(of keyPath: KeyPath<Model, [Other]>) throws -> [PersistentIdentifier] {
    try many(keyPath)
  }
  /// The members of an optional relationship, in their order. It throws ``RoostError/Code/badValue`` if the list was
  /// not read.
  public func value<Other: PersistentModel>(of keyPath: KeyPath<Model, [Other]?>) throws -> [PersistentIdentifier] {
    try many(keyPath)
  }

  /// Whether the snapshot knows a property: lists may not have been read, and one that was coded by an older program may not have it.
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

  /// What no property stores: it is computed of a model that has the snapshot's values and no relationships.
  private func computed<Value>(_ keyPath: KeyPath<Model, Value>) throws -> Value {
    let made = content.makeModel()
    guard let model = made as? Model else {
      throw RoostError(.badValue, "\(keyPath) cannot be computed from a snapshot")
    }
    // It may read any property.
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
    // Whoever asks for the identifier wants that of the model.
    if let identifier = value as? PersistentIdentifier, identifier == model.persistentModelID,
      let own = content.identifier as? Value
    {
      return own
    }
    return value
  }
}

extension Sequence {
  /// One property of many snapshots. The key path is looked up once.
  public func values<Model, Value>(of keyPath: KeyPath<Model, Value>) throws -> [Value]
  where Element == ModelSnapshot<Model> {
    guard let number = SnapshotPaths.number(of: keyPath) else { return try map { try $0.value(of: keyPath) } }
    return try map { try $0.content.value(number) }
  }
}

/// Which property a key path is about.
enum SnapshotPaths {
  static func number<Model: PersistentModel>(of keyPath: PartialKeyPath<Model>) -> Int? {
    ImageForm.of(Model._$type).number(of: keyPath)
  }
}
