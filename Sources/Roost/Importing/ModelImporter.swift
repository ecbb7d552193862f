internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// Imports many models of a class, or of its subclasses, into a container: from texts, from
/// snapshots, or made one by one.
///
/// Each chunk is one transaction. Contexts are notified as of any other commit, and the history
/// records it. After a chunk is stored, the importer keeps only what later records may reference:
/// models that your program still has, and about forty bytes for each snapshot if its class
/// references itself.
public struct ModelImporter<Model: PersistentModel>: Sendable {
  /// How models are imported. A change applies to the next run.
  public var options: ImportOptions
  package let container: ModelContainer
  package let target: ImportTarget

  init(_ container: ModelContainer, _ target: ImportTarget, options: ImportOptions) {
    self.container = container
    self.target = target
    self.options = options
  }

  // MARK: Models

  /// Imports models that a closure makes of values, such as rows of another database. The closure
  /// runs on this thread, for all values of a chunk before any of them is stored. The models belong
  /// to no context, and new models that they reference are inserted with them. When a named import
  /// is resumed, the closure runs again for stored elements whose models later elements may
  /// reference.
  ///
  /// - Throws: ``RoostError`` with the code `badInput` if a model is refused and
  ///   ``ImportOptions/badRecords`` does not skip it. Chunks that were stored before stay.
  @discardableResult
  public func run<Values: Sequence>(
    _ values: Values, progress: ((ImportProgress) -> Void)? = nil, make: (Values.Element) throws -> Model
  ) throws -> ImportReport {
    try run(values, .models, progress: progress) { elements, chunks in
      try chunks.store { chunk in
        for element in elements {
          do { try chunk.add(model: make(element)) } catch { try chunk.leaveOut(error) }
        }
        // The elements may be the models: a model that the program still has when it is stored may
        // be referenced later.
        elements = []
      }
    } recall: { number, element, chunks in
      try chunks.recall(number, try make(element))
    }
  }

  /// Imports models that belong to no context.
  ///
  /// - Throws: ``RoostError`` with the code `badInput` if a model is refused and
  ///   ``ImportOptions/badRecords`` does not skip it. Chunks that were stored before stay.
  @discardableResult
  public func run(
    models: some Sequence<Model>, progress: ((ImportProgress) -> Void)? = nil
  ) throws -> ImportReport { try run(models, progress: progress) { $0 } }

  // MARK: Snapshots

  /// Imports snapshots, of this store or of another one.
  ///
  /// If a model with the snapshot's identifier or unique values is stored already, that is a
  /// conflict: ``ImportOptions/conflict`` decides. Relationships may reference models of this
  /// store, or of other snapshots of the import. All other references, and references to deleted
  /// models, are reported.
  ///
  /// - Throws: ``RoostError`` with the code `badInput` if a snapshot is refused and ``ImportOptions/badRecords`` does
  ///   not skip it. Chunks that were stored before stay.
  @discardableResult
  public func run(
    snapshots: some Sequence<ModelSnapshot<Model>>, progress: ((ImportProgress) -> Void)? = nil
  ) throws -> ImportReport {
    try run(snapshots, .snapshots, progress: progress) { elements, chunks in
      try chunks.store(snapshots: elements.lazy.map(\.content))
    }
  }

  /// Imports typed snapshots, of this store or of another one. Conflicts and relationships are
  /// handled as with ``ModelSnapshot``.
  ///
  /// - Throws: ``RoostError`` with the code `badInput` if a snapshot is refused and
  ///   ``ImportOptions/badRecords`` does not skip it. Chunks that were stored before stay.
  @discardableResult
  public func run<Snapshot: TypedSnapshot>(
    snapshots: some Sequence<Snapshot>, progress: ((ImportProgress) -> Void)? = nil
  ) throws -> ImportReport where Snapshot.SnapshotModel == Model {
    try run(snapshots, .snapshots, progress: progress) { elements, chunks in
      try chunks.store(snapshots: elements.lazy.map { $0.modelSnapshot.content })
    }
  }

  /// Imports snapshots from an asynchronous sequence, such as from a network. One chunk is stored
  /// while the next one arrives.
  ///
  /// - Throws: ``RoostError`` with the code `badInput` if a snapshot is refused and
  ///   ``ImportOptions/badRecords`` does not skip it, and what the sequence throws. Chunks that
  ///   were stored before stay.
  @discardableResult
  public func run<Snapshots: AsyncSequence>(
    snapshots: Snapshots, progress: (@Sendable (ImportProgress) -> Void)? = nil
  ) async throws -> ImportReport where Snapshots.Element == ModelSnapshot<Model> {
    try await run(snapshots, .snapshots, progress: progress) { elements, chunks in
      try chunks.store(snapshots: elements.lazy.map(\.content))
    }
  }

  /// Imports models that a closure makes from the values of an asynchronous sequence. The closure
  /// runs on a thread of the import.
  ///
  /// - Throws: ``RoostError`` with the code `badInput` if a model is refused and
  ///   ``ImportOptions/badRecords`` does not skip it, and what the sequence throws. Chunks that
  ///   were stored before stay.
  @discardableResult
  public func run<Values: AsyncSequence>(
    _ values: Values, progress: (@Sendable (ImportProgress) -> Void)? = nil,
    make: @escaping @Sendable (Values.Element) throws -> Model
  ) async throws -> ImportReport where Values.Element: Sendable {
    try await run(values, .models, progress: progress) { elements, chunks in
      try chunks.store { chunk in
        for element in elements {
          do { try chunk.add(model: make(element)) } catch { try chunk.leaveOut(error) }
        }
      }
    } recall: { number, element, chunks in
      try chunks.recall(number, try make(element))
    }
  }

  // MARK: Chunks

  private func sink(_ kind: ImportChunks.Kind) throws -> any ImportSink {
    if kind == .snapshots, let map = target.map,
      let one = target.store.maps.first(where: { $0.isKind(of: map) && !$0.type.computed.isEmpty })
    {
      throw RoostError(
        .badInput,
        "\(one.type.name).\(one.type.propertyName(one.type.computed[0])) is computed by the program, and snapshots are stored without "
          + "their objects: import models, with run(models:)")
    }
    if let set = target.store.backing as? WorkingSet, let store = set.store as? any BulkStore {
      return try BulkImport(target, set, store: store, options: options, kind: kind)
    }
    return try ImportChunks(container, target, options: options, kind: kind)
  }

  private func run<Element>(
    _ elements: some Sequence<Element>, _ kind: ImportChunks.Kind, progress: ((ImportProgress) -> Void)?,
    store: (inout [Element], any ImportSink) throws -> Void,
    recall: (Int, Element, any ImportSink) throws -> Void = { _, _, _ in }
  ) throws -> ImportReport {
    try ImportErrors.pass {
      let chunks = try sink(kind)
      defer { chunks.close() }
      do {
        try run(elements, chunks, progress: progress, store: store, recall: recall)
        return try chunks.finish(isCancelled: false)
      } catch {
        chunks.abandon()
        throw error
      }
    }
  }

  private func run<Element>(
    _ elements: some Sequence<Element>, _ chunks: any ImportSink, progress: ((ImportProgress) -> Void)?,
    store: (inout [Element], any ImportSink) throws -> Void, recall: (Int, Element, any ImportSink) throws -> Void
  ) throws {
    var (left, pending) = (chunks.skipped, [Element]())
    pending.reserveCapacity(min(chunks.size, 1 << 16))
    for element in elements {
      if left > 0 {
        let number = chunks.skipped - left
        if chunks.knows(number) { try recall(number, element, chunks) }
        left -= 1
        continue
      }
      pending.append(element)
      if pending.count < chunks.size { continue }
      try store(&pending, chunks)
      progress?(chunks.progress)
      pending.removeAll(keepingCapacity: true)
    }
    if pending.isEmpty { return }
    try store(&pending, chunks)
    progress?(chunks.progress)
  }

  private func run<Elements: AsyncSequence>(
    _ elements: Elements, _ kind: ImportChunks.Kind, progress: (@Sendable (ImportProgress) -> Void)?,
    store: @escaping @Sendable ([Elements.Element], any ImportSink) throws -> Void,
    recall: @escaping @Sendable (Int, Elements.Element, any ImportSink) throws -> Void = { _, _, _ in }
  ) async throws -> ImportReport where Elements.Element: Sendable {
    let chunks = try ImportErrors.pass { try sink(kind) }
    defer { chunks.close() }
    var (left, pending) = (chunks.skipped, [Elements.Element]())
    var underWay: Task<Void, any Error>?
    func hand(_ elements: [Elements.Element]) async throws {
      try await underWay?.value
      underWay = Task {
        try await OffThread.run { _ in try store(elements, chunks) }
        progress?(chunks.progress)
      }
    }
    do {
      for try await element in elements {
        if Task.isCancelled { break }
        if left > 0 {
          let number = chunks.skipped - left
          if chunks.knows(number) { try await OffThread.run { _ in try recall(number, element, chunks) } }
          left -= 1
          continue
        }
        pending.append(element)
        if pending.count < chunks.size { continue }
        try await hand(pending)
        pending = []
      }
      let isCancelled = Task.isCancelled
      if !pending.isEmpty, !isCancelled { try await hand(pending) }
      try await underWay?.value
      return try ImportErrors.pass { try chunks.finish(isCancelled: isCancelled) }
    } catch {
      // The running chunk is finished before the error is thrown.
      _ = await underWay?.result
      chunks.abandon()
      throw ImportErrors.shown(error)
    }
  }
}

extension ModelContainer {
  /// Returns an importer of many models of a class: see ``ModelImporter``.
  ///
  /// ```swift
  /// let report = try container.importer(for: Song.self).run(1...1000) { Song(title: "Song \($0)", year: 1977) }
  /// print(report)
  /// ```
  ///
  /// - Parameters:
  ///   - model: the class of the models, or a superclass.
  ///   - options: how duplicates and bad records are handled, and how many records are in one
  ///     transaction.
  /// - Throws: ``RoostError/Code/unknownModel`` if the class is not a model of the container.
  public func importer<Model>(
    for model: Model.Type, options: ImportOptions = ImportOptions()
  ) throws -> ModelImporter<Model> where Model: PersistentModel {
    ModelImporter(self, ImportTarget(try stores.known(model), stores), options: options)
  }
}
