internal import RoostFile
internal import RoostGraph
internal import Synchronization

/// Reads the results of a descriptor, and the changes of commits.
///
/// Unchecked because `work` guards all fields except the atomics.
final class LiveResultsReader<Model: PersistentModel, Content: Sendable>: LiveReader<ResultsChange<Content>>,
  @unchecked Sendable
{
  private let descriptor: FetchDescriptor<Model>
  private let section: SectionRule<Model>?
  private let content: (SnapshotContent) throws -> Content
  private let work = Lock()
  private let isKeyed = Atomic<Bool>(false)
  /// The thread that has `work`.
  private let worker = Atomic<UInt64>(0)
  private var context: ModelContext?
  private var query: LiveQuery<Model, Content>?
  private var shown: LiveResults<Content>?
  private var failure: (any Error)?
  /// The commits since the results were fetched, if a change fetches them again.
  private var news = RowNews()

  init(
    _ container: ModelContainer, _ descriptor: FetchDescriptor<Model>, section: SectionRule<Model>?,
    content: @escaping (SnapshotContent) throws -> Content
  ) {
    (self.descriptor, self.section, self.content) = (descriptor, section, content)
    super.init(container)
  }

  /// Runs a body with `work`, which the caller has acquired.
  private func working<Result>(_ body: () throws -> Result) rethrows -> Result {
    worker.store(Thread.currentID, ordering: .relaxed)
    defer {
      worker.store(0, ordering: .relaxed)
      work.release()
    }
    return try body()
  }

  override func follow() {
    // This thread is reading values. That ran code of the program, and that code saved. `work` is
    // taken already; the next read sees the commit.
    if worker.load(ordering: .relaxed) == Thread.currentID { return wake() }
    // A commit does not wait while the reader's task fetches.
    if isKeyed.load(ordering: .relaxed) { work.acquire() } else if !work.tryAcquire() { return wake() }
    let isNew = working { () -> Bool in
      guard let query, failure == nil else { return false }
      do { try look(query, fetches: false) } catch { failure = error }
      return failure != nil || query.hasChanges || query.isTouched(by: news)
    }
    if isNew { wake() }
  }

  override func take() throws -> ResultsChange<Content>? {
    work.acquire()
    return try working {
      if let failure { throw failure }
      let query = try self.query ?? makeQuery()
      try look(query, fetches: true)
      guard query.hasChanges || shown == nil else { return nil }
      let difference = query.takeDifference()
      if difference.isEmpty, shown != nil { return nil }
      let results = query.results
      let change = ResultsChange(
        results: results, formerResults: shown ?? LiveResults(LiveList(), hasSections: section != nil),
        difference: difference)
      shown = results
      return change
    }
  }

  private func makeQuery() throws -> LiveQuery<Model, Content> {
    try container.stores.checkOpen()
    let context = ModelContext(container)
    let place = try container.stores.known(Model.self)
    let graph = context.state.graph(place.store)
    let content = content
    let query = try context.state.call(.fetching) {
      try LiveQuery(descriptor, context.state, section: section) { rows in
        try graph.snapshots(place.map, rows).map { try $0.map(content) }
      }
    }
    (self.context, self.query) = (context, query)
    isKeyed.store(query.isKeyed, ordering: .relaxed)
    // The results include all earlier commits, and the reader follows all later ones.
    container.stores.followers.add(self)
    return query
  }

  /// Applies new commits. The snapshot moves with each commit, so that the store need not keep it.
  ///
  /// - Parameter fetches: whether results may be fetched again.
  private func look(_ query: LiveQuery<Model, Content>, fetches: Bool) throws {
    guard let context else { return }
    try context.state.call(.fetching) {
      news.add(try query.graph.moveOn(query.entities[0]))
      guard fetches || query.isKeyed else { return }
      try query.follow(news, to: query.graph.session.seenCommit ?? 0)
      news = RowNews()
    }
  }
}
