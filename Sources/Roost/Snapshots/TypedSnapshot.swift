internal import RoostFile
internal import RoostGraph

/// A struct with a field for each property of a model. `@Snapshots` makes one: ``SnapshotModel``'s
/// `Snapshot`.
public protocol TypedSnapshot: Sendable {
  /// The class of the model.
  associatedtype SnapshotModel: PersistentModel

  /// The identifier of the model.
  var persistentModelID: PersistentIdentifier { get }
  /// Makes the struct from a snapshot. It ends the program if a property's type does not accept the
  /// stored value; ``init(checking:)`` throws instead.
  init(_ snapshot: ModelSnapshot<SnapshotModel>)
  /// Returns the fields, by number.
  func _$put(into values: inout _SnapshotSink)
}

extension TypedSnapshot {
  /// Makes the struct from a snapshot. `init(_:)` ends the program if a value is not accepted,
  /// because each field must have a value.
  ///
  /// - Throws: ``RoostError`` with the code `unreadable` if a property's type does not accept the
  ///   stored value. The error names the row, the property and the stored value.
  public nonisolated init(checking snapshot: ModelSnapshot<SnapshotModel>) throws {
    try snapshot.content.checkRefused()
    self.init(snapshot)
  }

  /// Makes the struct from a model with its unsaved changes.
  public nonisolated init(_ model: SnapshotModel) { self.init(ModelSnapshot(model)) }

  /// The values of the struct as a ``ModelSnapshot``, for comparing and applying.
  public var modelSnapshot: ModelSnapshot<SnapshotModel> {
    var sink = _SnapshotSink(SnapshotModel._$type, persistentModelID)
    _$put(into: &sink)
    return ModelSnapshot(sink.content)
  }
}

/// A typed snapshot of a class with a superclass. Inherited properties are read by key path.
public protocol InheritingSnapshot: TypedSnapshot {
  /// The superclass, whose properties are not fields of the struct.
  associatedtype InheritedModel: PersistentModel
  /// The values of the superclass's properties. They can be read from the struct directly too.
  var inherited: ModelSnapshot<InheritedModel> { get set }
}

extension InheritingSnapshot {
  /// The stored value of an inherited property.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember keyPath: KeyPath<InheritedModel, Value>) -> Value { inherited[keyPath] }
  /// The model that an inherited optional relationship references; nil for none.
  public subscript<Other: PersistentModel>(
    dynamicMember keyPath: KeyPath<InheritedModel, Other?>
  ) -> PersistentIdentifier? { inherited[keyPath] }
  /// The model that an inherited required relationship references.
  public subscript<Other: PersistentModel>(
    dynamicMember keyPath: KeyPath<InheritedModel, Other>
  ) -> PersistentIdentifier { inherited[keyPath] }
  /// The members of an inherited relationship, in order. If the list was not loaded, it ends the
  /// program.
  public subscript<Other: PersistentModel>(
    dynamicMember keyPath: KeyPath<InheritedModel, [Other]>
  ) -> [PersistentIdentifier] { inherited[keyPath] }
  /// The members of an inherited optional relationship, in order. If the list was not loaded, it
  /// ends the program.
  public subscript<Other: PersistentModel>(
    dynamicMember keyPath: KeyPath<InheritedModel, [Other]?>
  ) -> [PersistentIdentifier] { inherited[keyPath] }
}

extension ModelSnapshot {
  /// For generated code: the value of a property, or a relationship's identifiers.
  public func _known<Value>(_ property: Int) -> Value { SnapshotReading.value(content, property) }

  public func _field<Value>(_ property: Int) -> _SnapshotField<Value> { _SnapshotField(content, property) }

  public func _inherited<Other: PersistentModel>() -> ModelSnapshot<Other> { ModelSnapshot<Other>(content) }
}

/// Reads the value of a field by its number.
enum SnapshotReading {
  static func value<Value>(_ content: SnapshotContent, _ property: Int) -> Value {
    if let link = content.link(property) {
      if let found = identifiers(link, content, property: property) as? Value { return found }
    } else if let found: Value = try? content.value(property) {
      return found
    } else if let why = content.refused[property] {
      StandardError.stop(why)
    }
    StandardError.stop(
      "\(content.type.name).\(content.type.propertyName(property)) has no value of type \(Value.self): fetch the snapshots with "
        + "lists, and give properties that older programs do not know a default")
  }

  private static func identifiers(_ link: SnapshotContent.Link, _ content: SnapshotContent, property: Int) -> Any {
    switch link {
    case .many(let many): return many
    case .absent where content.form.isList(property) && content.isDecoded: return [PersistentIdentifier]()
    case .one(let one?): return one
    case .one(nil), .absent:
      if content.type.mayBeNil(property) { return PersistentIdentifier?.none as Any }
      let name = content.form.destination(property)?.name ?? ""
      return PersistentIdentifier(store: nil, entity: name, .temporary(0), isSaved: false)
    }
  }
}

/// Collects the fields of a typed snapshot, by number.
public struct _SnapshotSink {
  private let form: ImageForm
  private let identifier: PersistentIdentifier
  private var values: [Any?]
  private var links: [SnapshotContent.Link]

  init(_ type: _ModelType, _ identifier: PersistentIdentifier) {
    form = ImageForm.of(type)
    self.identifier = identifier
    values = Array(repeating: nil, count: form.coders.count)
    links = form.links.map { _ in .absent }
  }

  public mutating func _put<Value>(_ value: Value, _ property: Int) {
    let place = form.linkPlaces[property]
    guard place >= 0 else { return values[property] = .some(value) }
    if let many = value as? [PersistentIdentifier] {
      links[place] = .many(many)
    } else {
      let one = value as? PersistentIdentifier
      // An identifier without a target was made where none could be had.
      links[place] = .one(one?.key == .temporary(0) ? nil : one)
    }
  }

  public mutating func _inherit<Other>(_ inherited: ModelSnapshot<Other>) {
    for property in Other._$type.properties.indices {
      if let link = inherited.content.link(property) {
        links[form.linkPlaces[property]] = link
      } else {
        values[property] = inherited.content.values.any(property)
      }
    }
  }

  var content: SnapshotContent { SnapshotContent(identifier, ValueImage(form, values: values), links: links) }
}

extension ModelContext {
  /// Fetches the models of a descriptor as structs of `@Snapshots`, with unsaved changes.
  ///
  /// - Throws: what ``fetch(_:fileID:line:)`` throws, and what ``TypedSnapshot/init(checking:)``
  ///   throws if a property's type does not accept a stored value. To get all other models then,
  ///   fetch `ModelSnapshot`s and convert each with ``TypedSnapshot/init(checking:)``.
  public func fetchSnapshots<S>(
    _ descriptor: FetchDescriptor<S.SnapshotModel>, as type: S.Type, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [S] where S: TypedSnapshot {
    try fetchSnapshots(descriptor, includingLists: true, fileID: fileID, line: line).map { try S(checking: $0) }
  }

  /// Gives a model the values of a typed snapshot: see ``apply(_:)-(ModelSnapshot<T>)``.
  ///
  /// - Throws: what ``apply(_:)-(ModelSnapshot<T>)`` throws. Then nothing is changed.
  @discardableResult
  public func apply<S>(_ snapshot: S) throws -> S.SnapshotModel where S: TypedSnapshot {
    try apply(snapshot.modelSnapshot)
  }

  /// Gives models the values of typed snapshots, all or none. New models may reference each other,
  /// in any order.
  ///
  /// - Throws: what ``apply(_:)-(ModelSnapshot<T>)`` throws. Then nothing is changed.
  @discardableResult
  public func apply<S>(contentsOf snapshots: some Sequence<S>) throws -> [S.SnapshotModel] where S: TypedSnapshot {
    try apply(contentsOf: snapshots.map(\.modelSnapshot))
  }
}

extension ModelContainer {
  /// Fetches the saved models of a descriptor as typed snapshots. Call it on any thread: it uses no
  /// context of the caller.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws, and what
  ///   ``TypedSnapshot/init(checking:)`` throws if a property's type does not accept a stored
  ///   value.
  public nonisolated func fetchSnapshots<S>(
    _ descriptor: FetchDescriptor<S.SnapshotModel>, as type: S.Type, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [S] where S: TypedSnapshot {
    try ModelContext(self).fetchSnapshots(descriptor, as: type, fileID: fileID, line: line)
  }
}
