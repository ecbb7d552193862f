internal import RoostPages

/// What one run of an import keeps in its store until it is done: whose the import is, how far it came, and references that wait.
///
/// Texts, models and snapshots keep it by this one thing. They differ in the words by which a reference waits, and in how its row is
/// found by them.
///
/// Unchecked because one thread at a time uses it.
package final class ImportKeeper: @unchecked Sendable {
  private let store: RecordStore
  private let durability: SyncMode
  private let author: String
  /// Nil where nobody gave the import a name: then nobody can go on with it.
  private let given: String?
  private var run = ""
  /// What the run says of itself in the store; nil where there is nothing to keep.
  private var claim: ImportClaim?
  /// How far an earlier run of the name came.
  package private(set) var progress = ImportCounts()
  /// The check of the records up to there.
  package private(set) var check: UInt64 = 0

  /// What the import is called in the store: one without a name is called as its run.
  package var name: String { given ?? ImportRuns.prefix + run }

  package init(_ store: RecordStore, named name: String?, isRelaxed: Bool, author: String) {
    self.store = store
    durability = isRelaxed ? .relaxed : .full
    self.author = author
    given = name
  }

  /// The run is over, whatever became of it.
  package func end() {
    ImportRuns.shared.end(run)
    claim = nil
  }

  /// Makes the import this run's own. ``end()`` is to be called in any case.
  ///
  /// - Parameters:
  ///   - format: what the records are, so that another run goes on with the same.
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

  /// Removes what imports without names kept that ended with their process: nobody comes back for it.
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

  /// Notes in a chunk's transaction how far the import came. Throws if it is another run's by now.
  package func note(_ progress: ImportCounts, check: UInt64 = 0, _ writer: RecordWriter) throws {
    if let claim, given != nil { try ImportState.set(progress, check, claim: claim, writer: writer) }
  }

  /// Keeps models that later ones may lead to, in a chunk's transaction, for a run that goes on.
  package func keep(_ models: [SharedModel], _ writer: RecordWriter) throws {
    if claim != nil, given != nil { try ImportState.keep(models, name, writer: writer) }
  }

  /// Those that an earlier run of the name kept, by their elements.
  package func shared() throws -> [Int: [SharedModel]] {
    given == nil ? [:] : try store.read { try ImportState.shared(name, $0) }
  }

  /// The references that wait, in a chunk's transaction.
  package func references(_ writer: RecordWriter) throws -> OpenReferences { try OpenReferences(name, writer) }

  // MARK: The end

  /// Whether another run of the name may go on with what is left.
  package var isNamed: Bool { given != nil }

  /// Ends the import, whether its input came to its end, somebody cancelled it, or an error broke it off. References lead where they can. What
  /// is left is told, and the import forgotten; or it waits for the run that goes on. Everything before is on the disk then.
  ///
  /// - Parameters:
  ///   - isWhole: whether the input came to its end. Else an import with a name can be gone on with.
  ///   - mutual: the relationships that are their own other side.
  ///   - tell: is called with those that lead nowhere.
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
    // The last one first. Then a partner whom another one of them took came later, as one has that somebody gave it. While others may
    // come all of them wait: of those that have come, none is known to be the last.
    try resolve { reader, last in
      try ImportState.kept([name], before: last, most: Self.page, reader) { partners.contains($0) }
    } waits: { _ in
      !isLast
    }
  }

  /// How many references one transaction looks up.
  private static let page = 5000

  /// References that are their own other side: of two that want one partner, one alone can have it.
  private static func partners(_ mutual: Set<String>, _ claim: ImportClaim, catalog: Catalog) -> Set<RelationshipID> {
    guard !mutual.isEmpty, let entity = catalog.entity(claim.entity) else { return [] }
    let found = catalog.relationships(of: entity.id).filter { one in
      if case .one = one.shape { mutual.contains(one.name) } else { false }
    }
    return Set(found.map(\.id))
  }
}
