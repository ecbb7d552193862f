internal import RoostGraph

/// Walks along a relationship that leads from a class to itself, such as folders in folders.
extension ModelContext {
  /// The models that are reached along a list, the nearest first, each once:
  ///
  /// ```swift
  /// for (folder, depth) in try context.descendants(of: root, along: \.folders) { print(depth, folder.name) }
  /// ```
  ///
  /// The lists of all models of one depth are read together. A model that is reached twice, because the relationship has a circle, counts with
  /// its least depth. The model itself is not among them. `atMost` is the number of steps.
  public func descendants<Model: PersistentModel>(
    of model: Model, along keyPath: KeyPath<Model, [Model]>, atMost depth: Int = .max
  ) throws -> [(model: Model, depth: Int)] {
    try walk(from: model, keyPath, atMost: depth) { $0[keyPath: keyPath] }
  }

  /// The models that are reached along a list that may be nil, the nearest first, each once.
  public func descendants<Model: PersistentModel>(
    of model: Model, along keyPath: KeyPath<Model, [Model]?>, atMost depth: Int = .max
  ) throws -> [(model: Model, depth: Int)] {
    try walk(from: model, keyPath, atMost: depth) { $0[keyPath: keyPath] ?? [] }
  }

  /// The models that are reached along a reference, the nearest first: the folder that a folder is in, then the one which that is in.
  ///
  /// If the relationship has a circle, the walk ends before a model comes twice.
  public func ancestors<Model: PersistentModel>(
    of model: Model, along keyPath: KeyPath<Model, Model?>, atMost depth: Int = .max
  ) throws -> [Model] {
    try walk(from: model, keyPath, atMost: depth) { $0[keyPath: keyPath].map { [$0] } ?? [] }.map { $0.model }
  }

  private func walk<Model: PersistentModel>(
    from model: Model, _ keyPath: PartialKeyPath<Model>, atMost depth: Int, next: (Model) -> [Model]
  ) throws -> [(model: Model, depth: Int)] {
    if depth < 0 { throw RoostError(.badValue, "atMost is \(depth): omit it, or give 0 or more") }
    guard model.modelContext === self else {
      throw RoostError(.foreign, "the \(Model._$type.name) belongs to another context: fetch it in this one")
    }
    let place = try state.stores.known(Model.self)
    let path = PathShelf.shared.path(keyPath)
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(model)]
    var found: [(model: Model, depth: Int)] = []
    var level = [model]
    var number = 0
    while !level.isEmpty, number < depth {
      number += 1
      if let property = path?.property, path?.references.isEmpty == true {
        state.graph(place.store).links.prefetch(place.map, level, properties: [property])
      }
      level = level.flatMap(next).filter { seen.insert(ObjectIdentifier($0)).inserted }
      found += level.map { ($0, number) }
    }
    return found
  }
}
