public import Roost
internal import RoostGraph
internal import RoostRecords
internal import RoostTransfer

extension ModelContainer {
  /// Writes the stored models that a fetch finds, in its order. An import makes the same models of
  /// the output. Each model is written at once, so the memory does not grow with their number. All
  /// models are from one snapshot, and other threads do not wait.
  ///
  /// ```swift
  /// let byTitle = FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)])
  /// try container.export(byTitle, to: .file(folder.appending(path: "songs.csv")))
  /// ```
  ///
  /// Relationships are written as the unique values of the related models. Without unique values
  /// they are written as row numbers, which are valid in this store only. Lists that are the
  /// inverse of a reference are not written, because the members contain the reference.
  ///
  /// - Returns: the number of written models.
  /// - Throws: ``Roost/SwiftDataError/unsupportedPredicate`` if a part of the predicate cannot be evaluated, and
  ///   ``Roost/RoostError`` if the store cannot be read or the target cannot be written.
  @discardableResult
  public func export<Model>(
    _ descriptor: FetchDescriptor<Model> = FetchDescriptor<Model>(), to target: ExportTarget,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> Int where Model: PersistentModel { try export(descriptor, target, place: (fileID, line)) { false } }

  /// Writes the stored models that a fetch finds without blocking the caller's thread. If the task
  /// is cancelled, an existing file stays unchanged.
  ///
  /// - Throws: what the synchronous form throws, and `CancellationError` if the task is cancelled.
  @discardableResult
  public func export<Model>(
    _ descriptor: FetchDescriptor<Model> = FetchDescriptor<Model>(), to target: ExportTarget,
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Int where Model: PersistentModel {
    try await OffThread.run { [self] in try export(descriptor, target, place: (fileID, line), isCancelled: $0) }
  }

  private func export<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ target: ExportTarget, place: (fileID: StaticString, line: UInt),
    isCancelled: @escaping () -> Bool
  ) throws -> Int {
    try withRows(of: descriptor, for: .export, place) { found in
      let names = ExportNames(found.map, found.store)
      return try ImportErrors.pass {
        try target.write { output, format in
          let exporter = Exporter(found.reader, format) { names.name($0) }
          let count =
            switch found.rows {
            case .query(let query): try exporter.write(query, to: output, isCancelled: isCancelled)
            case .known(let rows):
              try exporter.write(
                rows.lazy.map { RowID($0) }, of: found.map.entity.name, to: output, isCancelled: isCancelled)
            }
          if isCancelled() { throw CancellationError() }
          return count
        }
      }
    }
  }
}

/// The names of fields in an export of a class.
private struct ExportNames {
  /// The names of the class's fields, by their names in the store.
  private var names: [String: String] = [:]
  /// Classes whose fields are written under their own names: the subclasses.
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
