internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A selected key path, without its type.
class AnySelectedColumn<Model: PersistentModel> {
  /// The key path; nil for a column without one.
  let keyPath: PartialKeyPath<Model>?
  let path: PropertyPath?
  /// Its position in the rows of a ``SelectRun``.
  var number = 0
  /// The kind of the stored value, after it was placed.
  var kind: Kind?
  /// Counts what a closure computes, if the call keeps it.
  var memory: QueryMemory?

  init(_ keyPath: PartialKeyPath<Model>?) {
    self.keyPath = keyPath
    path = keyPath.flatMap { ComputedPath.find(in: $0) == nil ? PathShelf.shared.path($0) : nil }
  }

  /// Returns the engine's form; nil if the engine cannot express the key path.
  func placed(_ map: EntityMap, _ graph: GraphContext) -> PlacedPath? { preconditionFailure("a column can be placed") }
}

/// A selected key path.
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
      // The result of a closure is not the stored value.
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
    if let value = read(stored) {
      if computed != nil, let memory { try memory.take(HeapBytes.of(value), for: .rows) }
      return value
    }
    throw RoostError(
      .unreadable,
      "the stored value of \(Model._$type.name).\(PathNames.text(typed)) is not of type \(Known.self): \(Describer.text(stored))"
    )
  }

  func value(_ model: Model) throws -> Known { try computed?.value(model) ?? model[keyPath: typed] }
}
