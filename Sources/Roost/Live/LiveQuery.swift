internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The results of a descriptor in the snapshot of a context, kept up to date.
///
/// If the predicate and the order read only the model's own row, a commit changes the results row by row: the query is *keyed*. If they read
/// other rows, or need code of the program, a commit makes the query fetch its results again.
///
/// ## Invariants
/// 1. ``list`` has the results of the snapshot of ``commit``. With a limit it has at least as many as the limit needs.
/// 2. In a keyed query, ``list`` is sorted by key, and `keys` has the key of each row in it.
final class LiveQuery<Model: PersistentModel, Content> {
  let graph: GraphContext
  private let run: FetchRun<Model>
  private let map: EntityMap
  private let section: SectionRule<Model>?
  private var hasSections: Bool { section != nil }
  /// Reads the models or snapshots of rows; nil for a row that does not exist.
  private let contents: ([UInt64]) throws -> [Content?]
  /// The checked form of `query`.
  private var question: Question?
  private var lastProbe: RowProbe?
  /// The query of the engine; nil if the query is not keyed.
  private var query: Query?
  /// Other entities that the predicate and the order read.
  private var passes: [EntityMap] = []

  private(set) var list = LiveList()
  private(set) var commit: UInt64 = 0
  private var keys: [UInt64: [UInt8]] = [:]
  /// Whether the list has all results. With a limit it may have only the first ones.
  private(set) var isComplete = true
  /// Whether the list must be fetched: nothing was fetched yet, or applying a commit failed.
  private var isLost = true

  /// The rows that changed since the last ``takeDifference()``, each with its key at that time.
  private var former: [UInt64: [UInt8]?] = [:]
  private var formerList = LiveList()
  private var isFetchedAgain = false
  private var isAnythingChanged = false
  private(set) var hasChanges = false

  /// - Parameters:
  ///   - section: divides the results into sections; nil for none.
  ///   - contents: reads the models or snapshots of rows; nil for a row that does not exist.
  init(
    _ descriptor: FetchDescriptor<Model>, _ state: ContextState, section: SectionRule<Model>?,
    contents: @escaping ([UInt64]) throws -> [Content?]
  ) throws {
    var stored = descriptor
    stored.includePendingChanges = false
    if let section { stored.sortBy = section.sorted(stored.sortBy) }
    let place = try state.stores.known(Model.self)
    (map, graph) = (place.map, state.graph(place.store))
    if graph.source?.tellsChanges == false { throw DataStoreError.unsupportedFeature }
    (self.section, self.contents) = (section, contents)
    run = FetchRun(stored, state)
    let part = try run.part()
    if graph.source != nil {
      // Each change fetches again, because the working set may lack rows that the results will
      // contain.
      passes = try run.entitiesPassed(map, graph)
      query = nil
      return
    }
    passes = part.passes
    if part.tests.isEmpty, let orders = part.orders, passes.isEmpty {
      var asked = part.query(isSorted: false)
      // Without an order the results are sorted by row number.
      asked.order = orders.isEmpty ? [Order(.row)] : orders
      query = asked
    }
  }

  /// The number of results that the limit needs; nil for all.
  private var enough: Int? {
    run.limit.map { $0.addingReportingOverflow(run.offset) }.flatMap { $0.overflow ? nil : $0.partialValue }
  }

  /// The number of results that a fetch keeps: more than the limit needs, so that a few deletions cause no fetch.
  private var kept: Int? {
    enough.map { $0.addingReportingOverflow(max(64, $0)) }.map { $0.overflow ? .max : $0.partialValue }
  }

  var isKeyed: Bool { query != nil }

  /// Whether the changes of a commit may change the results.
  func isTouched(by news: RowNews) -> Bool { entities.contains { news.touches($0) } }

  /// The entities that the results depend on.
  var entities: [EntityMap] { [map] + passes }

  var results: LiveResults<Content> { results(list) }

  func results(_ list: LiveList) -> LiveResults<Content> {
    LiveResults(list, offset: isKeyed ? run.offset : 0, limit: isKeyed ? run.limit : nil, hasSections: hasSections)
  }

  // MARK: Following

  /// Applies the commits up to the one that the context shows. The caller is within a call of the context.
  func follow(_ news: RowNews, to commit: UInt64) throws {
    self.commit = commit
    if !isLost, !isTouched(by: news) { return }
    let wasLost = isLost
    isLost = true
    // Testing many rows one by one takes longer than a fetch.
    if !wasLost, isKeyed, let rows = news.rows(map, atMost: max(100, list.count / 4)) {
      try test(rows)
    } else {
      try fetch(news)
    }
    isLost = false
  }

  /// Notes the commit that the context shows, for a query whose reads fetch the results with
  /// ``withPending(_:_:)``.
  func pass(to commit: UInt64) { self.commit = commit }

  private func probe() throws -> RowProbe? {
    guard let query else { return nil }
    let ground = try graph.session.ground()
    if question?.isFor(ground) != true {
      question = try Question(query, ground)
    } else if let lastProbe, try lastProbe.move(to: ground) {
      return lastProbe
    }
    lastProbe = try question.map { try RowProbe($0, ground, readsHead: hasSections) }
    return lastProbe
  }

  private func test(_ rows: [UInt64]) throws {
    guard let probe = try probe() else { return }
    for row in rows {
      let found = try probe.look(RowID(row))
      let before = keys[row]
      if found == nil, before == nil { continue }
      note(row, before)
      if let before, before == found?.key {
        try replace(row, before)
        continue
      }
      if let before {
        keys[row] = nil
        list.remove(at: list.position(before))
      }
      if let found { try insert(row, found) }
    }
    guard let enough, let kept else { return }
    if !isComplete, list.count < enough { return try fetch(RowNews()) }
    while list.count > 2 * kept, let last = list.last {
      isComplete = false
      note(last.row, last.key)
      keys[last.row] = nil
      list.remove(at: list.count - 1)
    }
  }

  private func note(_ row: UInt64, _ key: [UInt8]?) {
    if !hasChanges { formerList = list }
    hasChanges = true
    if former[row] == nil { former[row] = .some(key) }
  }

  private func content(_ row: UInt64) throws -> Content {
    if let content = try contents([row])[0] { return content }
    throw RoostError(.unreadable, "row \(row) of \(map.type.name) was found, but does not exist")
  }

  private func replace(_ row: UInt64, _ key: [UInt8]) throws {
    list.replace(LiveValue(try content(row), key: key, row: row), at: list.position(key))
  }

  private func insert(_ row: UInt64, _ found: RowProbe.Found) throws {
    if !isComplete, let last = list.last, LiveList.precedes(last.key, found.key) { return }
    let content = try content(row)
    keys[row] = found.key
    list.insert(
      LiveValue(content, key: found.key, row: row), at: list.position(found.key),
      title: hasSections ? SectionRule<Model>.title(head: found.head) : nil)
  }

  // MARK: Fetching

  private func fetch(_ news: RowNews) throws {
    var entries: [LiveEntry] = []
    var rows: [UInt64] = []
    var titles: [String] = []
    keys = [:]
    if let query, let probe = try probe() {
      var asked = query
      asked.limit = kept
      try graph.planner().plan(asked).forEach { row in
        let found = try probe.found(row)
        keys[row.id.number] = found.key
        rows.append(row.id.number)
        if hasSections { titles.append(SectionRule<Model>.title(head: found.head)) }
        return true
      }
    } else if let section {
      for model in try run.objects() {
        rows.append(model._$state.row)
        titles.append(section.title(of: model))
      }
    } else {
      rows = try run.places().rows
    }
    entries.reserveCapacity(rows.count)
    for (row, content) in zip(rows, try contents(rows)) {
      guard let content else {
        throw RoostError(.unreadable, "row \(row) of \(map.type.name) was found, but does not exist")
      }
      entries.append(LiveValue(content, key: keys[row] ?? [], row: row))
    }
    if !hasChanges { formerList = list }
    hasChanges = true
    isFetchedAgain = true
    isAnythingChanged = isAnythingChanged || news.isEverything
    for row in news.rows[map.home] ?? [] where former[row] == nil { former[row] = .some(nil) }
    list = LiveList(entries, titles: titles)
    isComplete = kept.map { rows.count < $0 } ?? true
  }

  // MARK: Differences

  /// Makes the current list the base of later differences.
  func forgetDifference() {
    (former, formerList) = ([:], LiveList())
    (hasChanges, isFetchedAgain, isAnythingChanged) = (false, false, false)
  }

  /// Returns the difference from the list of the last call.
  func takeDifference() -> ResultsDifference {
    defer { forgetDifference() }
    if !hasChanges { return ResultsDifference() }
    let (before, after) = (results(formerList), results)
    var difference: ResultsDifference
    if isFetchedAgain || !before.isWhole || !after.isWhole {
      difference = ResultsDifference(from: before.rows, to: after.rows) { isAnythingChanged || former[$0] != nil }
    } else {
      difference = compare()
    }
    if hasSections {
      difference.noteSections(from: before.titled.map(\.title), to: after.titled.map(\.title))
    }
    return difference
  }

  private func compare() -> ResultsDifference {
    var (deletions, insertions): ([Int], [Int]) = ([], [])
    var touched: [ResultsDifference.Touched] = []
    for (row, old) in former {
      switch (old, keys[row]) {
      case (nil, nil): continue
      case (let old?, nil): deletions.append(formerList.position(old))
      case (nil, let new?): insertions.append(list.position(new))
      case (let old?, let new?):
        touched.append(
          ResultsDifference.Touched(
            from: formerList.position(old), to: list.position(new), hasOtherKey: old != new))
      }
    }
    return ResultsDifference(deletions: deletions, insertions: insertions, touched: touched)
  }
}

/// Queries with unsaved models of the context.
extension LiveQuery where Content == Model {
  /// Returns the results with the context's unsaved changes. The caller is within a call of the
  /// context.
  func withPending(_ descriptor: FetchDescriptor<Model>, _ state: ContextState) throws -> LiveResults<Model> {
    var asked = descriptor
    if let section { asked.sortBy = section.sorted(asked.sortBy) }
    let run = FetchRun(asked, state)
    let part = try run.part()
    guard isKeyed, part.tests.isEmpty, part.orders != nil, isComplete || list.count >= run.enough(part) ?? .max else {
      return results(fetched: try run.objects())
    }
    var list = list
    for row in part.excluded { if let key = keys[row] { list.remove(at: list.position(key)) } }
    var next = 0
    for model in part.pending.sorted(by: run.rules.precedes) {
      next = run.rules.place(of: model, from: next, to: list.count) { list[$0].value(as: Model.self) }
      list.insert(LiveValue(model, row: model._$state.row), at: next, title: section?.title(of: model))
    }
    return results(list)
  }

  private func results(fetched models: [Model]) -> LiveResults<Model> {
    let entries = models.map { LiveValue($0, row: $0._$state.row) }
    let titles = section.map { section in models.map { section.title(of: $0) } }
    return LiveResults(LiveList(entries, titles: titles ?? []), hasSections: hasSections)
  }
}
