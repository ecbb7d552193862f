internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A key path whose values are selected, without its type.
class AnySelectedColumn<Model: PersistentModel> {
  /// Nil for one that no key path names.
  let keyPath: PartialKeyPath<Model>?
  let path: PropertyPath?
  /// Its place in the rows that a ``SelectRun`` finds.
  var number = 0
  /// How the engine reads it, once it was placed.
  var kind: Kind?

  init(_ keyPath: PartialKeyPath<Model>?) {
    self.keyPath = keyPath
    path = keyPath.flatMap { ComputedPath.find(in: $0) == nil ? PathShelf.shared.path($0) : nil }
  }

  /// What the engine reads; nil if it has no words for the key path.
  func placed(_ map: EntityMap, _ graph: GraphContext) -> PlacedPath? { preconditionFailure("a column can be placed") }
}

/// A key path whose values are selected.
final class SelectedColumn<Model: PersistentModel, Known>: AnySelectedColumn<Model> {
  private let typed: KeyPath<Model, Known>
  private let computed: Computed<Model, Known>?
  private var read: (Value) -> Known? = { _ in nil }

  init(_ keyPath: KeyPath<Model, Known>) {
    typed = keyPath
    computed = ComputedPath.find(in: keyPath) as? Computed<Model, Known>
    super.init(keyPath)
  }

  override func placed(_ map: EntityMap, _ graph: GraphContext) -> PlacedPath? {
    if let computed {
      guard let placed = computed.placed(map, graph) else { return nil }
      read = placed.read
      // What a closure makes of a stored value is not what rows have.
      kind = computed.measured(map, graph)?.kind
      return placed.path
    }
    guard let path, let found = PlacedPath(path, map, store: graph.store),
      let read = StoredReading.make(of: Known.self, path, at: found, in: graph.store)
    else { return nil }
    (self.read, kind) = (read, found.kind)
    return found
  }

  func value(_ stored: Value) throws -> Known {
    if let value = read(stored) { return value }
    throw RoostError(
      .unreadable,
      "the stored value of \(Model._$type.name).\(PathNames.text(typed)) is not of type \(Known.self): \(Describer.text(stored))"
    )
  }

  func value(_ model: Model) throws -> Known { try computed?.value(model) ?? model[keyPath: typed] }
}
