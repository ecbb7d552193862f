internal import RoostPages

/// The state that one run of an import keeps in its store until it ends: the owner, the progress,
/// and waiting references.
///
/// Imports of texts, models and snapshots all use it. They differ in the keys of waiting
/// references, and in how a key finds its row.
///
/// Unchecked because one thread at a time uses it.
package final class ImportKeeper: @unchecked Sendable {
  private let store: RecordStore
  private let durability: SyncMode
  private let author: String
  /// Nil for an import without a name, which no later run can continue.
  private let given: String?
  private var run = ""
  /// The run's entry in the store; nil if it keeps nothing.
  private var claim: ImportClaim?
  /// The progress of an earlier run with the same name.
  package private(set) var progress = ImportCounts()
  /// The checksum of the records up to there.
  package private(set) var check: UInt64 = 0

  /// The name of the import in the store. An import without a name gets one from its run.
  package var name: String { given ?? ImportRuns.prefix + run }

  package init(_ store: RecordStore, named name: String?, isRelaxed: Bool, author: String) {
    self.store = store
    durability = isRelaxed ? .relaxed : .full
    self.author = author
    given = name
  }

  /// Ends the run, after success or failure.
  package func end() {
    ImportRuns.shared.end(run)
    claim = nil
  }

  /// Makes the import belong to this run. ``end()`` must be called in any case.
  ///
  /// - Parameters:
  ///   - format: the kind of the records, so that another run continues with the same kind.
  ///   - waits: whether references may have to wait.
  package func begin(_ entity: String, _ format: String, waits: Bool) throws {
    run = ImportRuns.shared.begin()
    (progress, check) = (ImportCounts(), 0)
    guard given != nil || waits else { return }
    let own = ImportClaim(name: name, entity: entity, format: format, run: run)
    (progress, check) = try store.write(durability, author: author) { writer in
      try ImportState.prepare(writer)
      return try ImportState.claim(own, writer)
    }
    claim = own
    try tidyUp()
  }

  /// Removes the state of unnamed imports whose process has ended: no run continues them.
  private func tidyUp() throws {
    let dead = try store.read { try ImportState.dead($0) }
    if dead.isEmpty { return }
    while true {
      let kept = try store.read { try ImportState.kept(dead, most: 5000, $0) }
      if kept.isEmpty { break }
      try store.write(durability, author: author) { writer in
        let table = try writer.table(ImportState.references)
        for one in kept { try table.delete(one.id) }
      }
    }
    try store.write(durability, author: author) { writer in
      for name in dead { try ImportState.forget(name, writer) }
    }
  }

  /// Stores the progress in a chunk's transaction. Throws if the import now belongs to another run.
  package func note(_ progress: ImportCounts, check: UInt64 = 0, _ writer: RecordWriter) throws {
    if let claim, given != nil { try ImportState.set(progress, check, claim: claim, writer: writer) }
  }

  /// Stores models that later models may reference, in a chunk's transaction, for a run that
  /// continues.
  package func keep(_ models: [SharedModel], _ writer: RecordWriter) throws {
    if claim != nil, given != nil { try ImportState.keep(models, name, writer: writer) }
  }

  /// The models that an earlier run with the same name stored, by element.
  package func shared() throws -> [Int: [SharedModel]] {
    given == nil ? [:] : try store.read { try ImportState.shared(name, $0) }
  }

  /// The waiting references, in a chunk's transaction.
  package func references(_ writer: RecordWriter) throws -> OpenReferences { try OpenReferences(name, writer) }

  // MARK: The end

  /// Whether a later run with the same name may continue.
  package var isNamed: Bool { given != nil }

  /// Ends the import after the end of its input, a cancellation, or an error. Sets the waiting
  /// references that can be set. The others are reported and the import is removed, or they wait
  /// for a run that continues. Everything before is then synced.
  ///
  /// - Parameters:
  ///   - isWhole: whether the input was read to its end. Otherwise a named import can be continued.
  ///   - mutual: the relationships that are their own inverse.
  ///   - tell: called with the references that could not be set.
  package func finish(
    isWhole: Bool, _ finder: any ReferenceFinder, mutual: Set<String>, _ watch: (any ImportWatch)?,
    tell: ([UnresolvedReference]) -> Void
  ) throws {
    let isLast = isWhole || !isNamed
    try resolve(finder, mutual, isLast: isLast, watch: watch, tell: tell)
    if isLast { try forgetModels() }
    try store.write(.full, author: author) { writer in
      if isLast, claim != nil { try ImportState.forget(name, writer) }
    }
  }

  private func forgetModels() throws {
    guard given != nil else { return }
    while true {
      let kept = try store.read { try ImportState.models(name, most: Self.page, $0) }
      if kept.isEmpty { return }
      try store.write(durability, author: author) { writer in
        let table = try writer.table(ImportState.models)
        for row in kept { try table.delete(row) }
      }
    }
  }

  private func resolve(
    _ finder: any ReferenceFinder, _ mutual: Set<String>, isLast: Bool, watch: (any ImportWatch)?,
    tell: ([UnresolvedReference]) -> Void
  ) throws {
    guard let claim else { return }
    let partners = try store.read { Self.partners(mutual, claim, catalog: $0.catalog) }
    func resolve(_ page: (RecordReader, RowID?) throws -> [ImportState.Kept], waits: (RowID?) -> Bool) throws {
      var last: RowID?
      while true {
        let resolving = try store.read { try ReferenceResolving(page($0, last), finder, reader: $0) }
        guard let end = resolving.kept.last else { return }
        last = end.id
        var unresolved: [UnresolvedReference] = []
        try store.write(durability, author: author) { writer in
          if isNamed { try ImportState.check(claim, writer) }
          try watch?.begin(writer)
          let setting = ReferenceSetting(writer: writer, mutual: mutual, watch: watch)
          unresolved = try resolving.store(setting, waits: waits)
          try watch?.end()
        }
        watch?.stored()
        tell(unresolved)
      }
    }
    try resolve { reader, last in
      try ImportState.kept([name], behind: last, most: Self.page, reader) { !partners.contains($0) }
    } waits: {
      !isLast && $0 == nil
    }
    if partners.isEmpty { return }
    // The newest first. If one of these references took the partner of another one, it was read
    // later, as a partner that a user set. While the input may continue, all of them wait, because
    // the last one is not known yet.
    try resolve { reader, last in
      try ImportState.kept([name], before: last, most: Self.page, reader) { partners.contains($0) }
    } waits: { _ in
      !isLast
    }
  }

  /// The number of references that one transaction looks up.
  private static let page = 5000

  /// Mutual references: if two want the same partner, only one can have it.
  private static func partners(_ mutual: Set<String>, _ claim: ImportClaim, catalog: Catalog) -> Set<RelationshipID> {
    guard !mutual.isEmpty, let entity = catalog.entity(claim.entity) else { return [] }
    let found = catalog.relationships(of: entity.id).filter { one in
      if case .one = one.shape { mutual.contains(one.name) } else { false }
    }
    return Set(found.map(\.id))
  }
}
