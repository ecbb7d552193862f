internal import Foundation
internal import RoostFile
internal import RoostGraph
internal import RoostRecords
internal import RoostTransfer

extension ModelContainer {
  /// Writes the stored models that a fetch finds, in its order, in such a way that an import makes the same models of them. Each is written at once, so it
  /// does not matter how many there are. All are of one moment, and nobody waits for it.
  ///
  /// Relationships are written as the unique values of what they lead to, else as numbers of rows, which mean something in this store alone. Lists that the references of
  /// their members make are not written: the members say it.
  ///
  /// - Returns: how many models were written.
  @discardableResult
  public func export<Model>(
    _ descriptor: FetchDescriptor<Model> = FetchDescriptor<Model>(), to target: ExportTarget,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> Int where Model: PersistentModel { try export(descriptor, target, (fileID, line)) { false } }

  /// The same without holding the caller's thread up. A task that is cancelled ends the export with a `CancellationError`, and a file is as it was before.
  @discardableResult
  public func export<Model>(
    _ descriptor: FetchDescriptor<Model> = FetchDescriptor<Model>(), to target: ExportTarget,
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Int where Model: PersistentModel {
    try await OffThread.run { [self] in try export(descriptor, target, (fileID, line), $0) }
  }

  private func export<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ target: ExportTarget, _ place: ContextState.CodePlace,
    _ isCancelled: @escaping () -> Bool
  ) throws -> Int {
    let state = ContextState(stores, isMain: false)
    // It closes what is read here at its end.
    defer { withExtendedLifetime(state) {} }
    return try state.traced(.export, descriptor, place, { $1.found = $0 }) {
      try export(descriptor, target, state, isCancelled)
    }
  }

  private func export<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ target: ExportTarget, _ state: ContextState,
    _ isCancelled: @escaping () -> Bool
  ) throws -> Int {
    try ImportErrors.pass {
      let run = FetchRun(descriptor, state)
      let part = try run.part()
      let names = ExportNames(part.map, part.graph.store)
      // Where memory must sort or test, that is done first.
      let rows = part.isEngines ? nil : try run.places().rows
      let reader = try part.graph.session.snapshot()
      return try target.write { output, format in
        let exporter = Exporter(reader, format) { names.name($0) }
        let count: Int
        if let rows {
          count = try exporter.write(
            rows.lazy.map { RowID($0) }, of: part.map.entity.name, to: output, isCancelled: isCancelled)
        } else {
          let query = part.query(isSorted: true, offset: run.offset, limit: run.limit)
          count = try exporter.write(query, to: output, isCancelled: isCancelled)
        }
        if isCancelled() { throw CancellationError() }
        return count
      }
    }
  }
}

/// What fields are called in an export of a class.
private struct ExportNames {
  /// Fields of the class, by what the store calls them.
  private var names: [String: String] = [:]
  /// Classes whose fields are written under their own names: those that inherit from it.
  private var heirs: Set<String> = []

  init(_ map: EntityMap, _ store: GraphStore) {
    for property in map.type.properties.indices {
      names[map.type.fieldName(property)] = map.type.propertyName(property)
    }
    for other in store.maps where other !== map && other.isKind(of: map) { heirs.insert(other.type.name) }
  }

  func name(_ field: String) -> String? {
    let head = String(field.prefix { $0 != "." })
    if let name = names[head] { return name + field.dropFirst(head.count) }
    guard let slash = head.firstIndex(of: "/") else { return field }
    return heirs.contains(String(head[..<slash])) ? field : nil
  }
}
