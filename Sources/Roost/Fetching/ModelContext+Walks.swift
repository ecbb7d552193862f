internal import RoostGraph

/// Walks along a relationship from a class to itself, such as folders in folders.
extension ModelContext {
  /// Finds the models that a list reaches in any number of steps, the nearest first, each once:
  ///
  /// ```swift
  /// for (folder, depth) in try context.descendants(of: root, along: \.folders) { print(depth, folder.name) }
  /// ```
  ///
  /// The lists of all models at one depth are loaded together. If the relationship has a cycle, a
  /// model counts with its least depth. The result does not contain the model itself. `atMost` is
  /// the largest number of steps.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if `atMost` is negative, `foreign` if the
  ///   model belongs to another context, and `store` if the store cannot be read.
  public func descendants<Model: PersistentModel>(
    of model: Model, along keyPath: KeyPath<Model, [Model]>, atMost depth: Int = .max
  ) throws -> [(model: Model, depth: Int)] {
    try walk(from: model, keyPath, atMost: depth) { $0[keyPath: keyPath] }
  }

  /// Finds the models that an optional list reaches in any number of steps, the nearest first, each
  /// once.
  ///
  /// - Throws: what the form with a list that is not optional throws.
  public func descendants<Model: PersistentModel>(
    of model: Model, along keyPath: KeyPath<Model, [Model]?>, atMost depth: Int = .max
  ) throws -> [(model: Model, depth: Int)] {
    try walk(from: model, keyPath, atMost: depth) { $0[keyPath: keyPath] ?? [] }
  }

  /// Finds the models that a reference reaches in any number of steps, the nearest first: the
  /// parent of a folder, then the parent's parent.
  ///
  /// If the relationship has a cycle, the walk ends before a model would be repeated.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if `atMost` is negative, `foreign` if the
  ///   model belongs to another context, and `store` if the store cannot be read.
  public func ancestors<Model: PersistentModel>(
    of model: Model, along keyPath: KeyPath<Model, Model?>, atMost depth: Int = .max
  ) throws -> [Model] {
    try walk(from: model, keyPath, atMost: depth) { $0[keyPath: keyPath].map { [$0] } ?? [] }.map { $0.model }
  }

  private func walk<Model: PersistentModel>(
    from model: Model, _ keyPath: PartialKeyPath<Model>, atMost depth: Int, next: (Model) -> [Model]
  ) throws -> [(model: Model, depth: Int)] {
    if depth < 0 { throw RoostError(.badValue, "atMost is \(depth): omit it, or give 0 or more") }
    guard model.graphContext != nil, model.modelContext === self else {
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
