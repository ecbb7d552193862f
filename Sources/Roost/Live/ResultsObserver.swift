public import Foundation
public import Observation
internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// The results of a fetch in a context, kept up to date.
///
/// ``results`` includes unsaved changes of the context, and commits of other contexts. When the
/// results change, views and `withObservationTracking` that read them are notified. A read updates
/// the results; its cost depends on the number of changes, because it does not fetch again.
///
/// Use an observer on the thread, or actor, of its context. An observer that is made on an actor
/// takes over commits of other contexts there automatically. Any other observer does at the next
/// call of its context.
public final class ResultsObserver<Element, SectionTitle>: Observable, CustomDebugStringConvertible
where Element: PersistentModel, SectionTitle: Hashable {
  /// The context whose models ``results`` has. The observer keeps it alive.
  public let modelContext: ModelContext
  private let section: SectionRule<Element>?
  private var descriptor: FetchDescriptor<Element> { didSet { forget() } }
  private let registrar = ObservationRegistrar()
  /// Stored, because a key path of a generic class takes microseconds to make.
  private let resultsPath: KeyPath<ResultsObserver, FetchResultsCollection<Element>> = \.results
  private var query: LiveQuery<Element, Element>?
  private var shown: LiveResults<Element>
  private var failure: (any Error)?
  /// Whether the context may have changed since ``shown`` was made.
  private var isStale = true
  /// Whether the context had unsaved changes of these models when ``shown`` was made.
  private var showsPending = false
  private var isTelling = false
  private var isLooking = false
  private var tickets: [CommitListeners.Ticket] = []

  init(
    _ descriptor: FetchDescriptor<Element>, _ section: SectionRule<Element>?, context: ModelContext,
    isolation: (any Actor)?
  ) throws {
    (self.descriptor, self.section, modelContext) = (descriptor, section, context)
    shown = LiveResults(LiveList(), hasSections: section != nil)
    context.state.watch(self)
    refresh()
    if let failure { throw failure }
    if let isolation { listen(isolation) }
  }

  deinit {
    for ticket in tickets { ticket.end() }
    forgetQuery()
  }

  // MARK: The descriptor

  /// The descriptor of the results. After a change the next read fetches again.
  public var fetchDescriptor: FetchDescriptor<Element> {
    get {
      registrar.access(self, keyPath: \.fetchDescriptor)
      return descriptor
    }
    set { registrar.withMutation(of: self, keyPath: \.fetchDescriptor) { descriptor = newValue } }
  }

  /// The predicate of the descriptor; nil for all models. After a change the next read fetches
  /// again.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { fetchDescriptor.predicate = newValue }
  }

  /// The order of the results. After a change the next read fetches again.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { fetchDescriptor.sortBy = newValue }
  }

  /// The property by which the results are divided into sections.
  public var sectionBy: PartialKeyPath<Element>? { section?.keyPath }

  // MARK: The results

  /// The models of the descriptor, in its order. A read updates them. If that fails, they stay as
  /// they were, and ``fetchError`` has the error.
  public var results: FetchResultsCollection<Element> { FetchResultsCollection(LivePages(current)) }

  /// The results in sections; nil for an observer that was made without `sectionBy`.
  public var sections: SectionedResults<Element, SectionTitle>? {
    let current = current
    guard section != nil else { return nil }
    let found = current.titled
    return SectionedResults(
      current, titles: found.compactMap { $0.title as? SectionTitle }, counts: found.map(\.count))
  }

  /// The error of the last fetch. While it is not nil, ``results`` has the result of an earlier
  /// fetch.
  public var fetchError: (any Error)? {
    _ = current
    return failure
  }

  /// Returns the model at an index path; nil if there is none. Without sections all models are in
  /// section 0.
  public func element(at indexPath: IndexPath) -> Element? {
    guard indexPath.count == 2 else { return nil }
    let current = current
    let position = current.sections.map { $0.position(section: indexPath[0], item: indexPath[1]) }
    guard let position = position ?? (indexPath[0] == 0 ? indexPath[1] : nil), current.indices.contains(position)
    else { return nil }
    return current[position]
  }

  /// Returns the index path of a model; nil if it is not among the results.
  public func indexPath(for element: Element) -> IndexPath? {
    let current = current
    return current.firstIndex { $0 === element }.map { current.indexPath($0) }
  }

  public var debugDescription: String {
    "ResultsObserver of \(shown.count) \(Element._$type.name)\(isStale ? ", out of date" : "")"
  }

  private var current: LiveResults<Element> {
    modelContext.state.catchUp()
    registrar.access(self, keyPath: resultsPath)
    refresh()
    return shown
  }

  // MARK: Following

  private func forgetQuery() {
    if let query { query.graph.letGoNews(after: query.commit) }
    query = nil
  }

  private func forget() {
    forgetQuery()
    invalidate()
  }

  /// Notifies the observers of ``results`` of a change.
  private func invalidate() {
    isStale = true
    isTelling = true
    registrar.withMutation(of: self, keyPath: resultsPath) {}
    isTelling = false
  }

  private func refresh() {
    guard isStale else { return }
    // An observer that reads before the setter has finished sees the old value, and reads again.
    isStale = isTelling
    do {
      try Doorway.pass { try modelContext.state.call(.fetching) { try find() } }
      failure = nil
    } catch { failure = Doorway.translated(error) }
  }

  private func find() throws {
    let query = try self.query ?? makeQuery()
    // The list and the changed models must have one state.
    try query.graph.keepSnapshot()
    try follow(query, to: query.graph.newestCommit())
    query.graph.processPendingChanges()
    showsPending = query.entities.contains { query.graph.hasPending($0) }
    let isPlain = query.isKeyed && !(showsPending && descriptor.includePendingChanges)
    shown = isPlain ? query.results : try withPending(query)
  }

  private func makeQuery() throws -> LiveQuery<Element, Element> {
    let state = modelContext.state
    let place = try state.stores.known(Element.self)
    let graph = state.graph(place.store)
    let made = try LiveQuery(descriptor, state, section: section) { rows in
      let found = try graph.objects.read(rows.map { RowID($0) }, place.map).compactMap { $0 as? Element }
      if found.count == rows.count { return found }
      let byRow = Dictionary(found.map { ($0._$state.row, $0) }) { first, _ in first }
      return rows.map { byRow[$0] }
    }
    query = made
    graph.keepNews(after: made.commit)
    return made
  }

  /// Updates the query to the commit that its context shows.
  private func follow(_ query: LiveQuery<Element, Element>, to commit: UInt64) throws {
    if commit == query.commit { return }
    let before = query.commit
    let news = try query.graph.news(after: before)
    query.graph.keepNews(after: commit)
    query.graph.letGoNews(after: before)
    guard query.isKeyed else { return query.pass(to: commit) }
    try query.follow(news, to: commit)
    query.forgetDifference()
  }

  /// Returns the results with the context's unsaved changes.
  private func withPending(_ query: LiveQuery<Element, Element>) throws -> LiveResults<Element> {
    // Unsafe, because models belong to the same thread as the observer.
    nonisolated(unsafe) weak let observer: (any PendingWatching)? = self
    let found = withObservationTracking {
      Result { try query.withPending(descriptor, modelContext.state) }
    } onChange: {
      observer?.pendingWillChange()
    }
    return try found.get()
  }

  /// Makes an idle context take over commits of other contexts, on the actor that made the
  /// observer.
  private func listen(_ isolation: any Actor) {
    let state = modelContext.state
    // The main context does that itself.
    if state.isMain { return }
    // Unsafe, because only the actor uses the state.
    nonisolated(unsafe) weak let weakState = state
    weak let actor = isolation
    @Sendable func catchUp(_ isolation: isolated any Actor) async { weakState?.catchUp() }
    tickets = state.stores.stores.map { store in
      store.listeners.add(
        { begins in
          guard let actor else { return }
          Task {
            begins()
            await catchUp(actor)
          }
        }, for: ObjectIdentifier(state))
    }
  }
}

/// An object that is notified when a value of an unsaved model changes.
private protocol PendingWatching: AnyObject {
  func pendingWillChange()
}

extension ResultsObserver: PendingWatching {
  fileprivate func pendingWillChange() { if !isStale { invalidate() } }
}

extension ResultsObserver: ContextWatching {
  /// An observer that is not read for more commits than this drops its query, so that the context
  /// need not keep their news. The next read fetches again.
  private static var mostCommits: UInt64 { 1000 }

  func contextChanged() {
    if isLooking { return }
    if isStale {
      if let query, (query.graph.session.seenCommit ?? 0) > query.commit + Self.mostCommits { forgetQuery() }
      return
    }
    isLooking = true
    defer { isLooking = false }
    if mayBeOthers { invalidate() }
  }

  /// Whether changes in the context since the last call may change the results.
  private var mayBeOthers: Bool {
    guard let query else { return true }
    let graph = query.graph
    return graph.quietly(.reading, otherwise: true) {
      if showsPending || query.entities.contains(where: { graph.hasPending($0) }) { return true }
      guard let commit = graph.session.seenCommit, commit != query.commit else { return false }
      guard let news = try? graph.news(after: query.commit), !query.isTouched(by: news) else { return true }
      return (try? follow(query, to: commit)) == nil
    }
  }
}

extension ResultsObserver where SectionTitle == Never {
  /// Observes the results of a descriptor in a context.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: the predicate, the order, the limit and the offset.
  ///   - modelContext: the context whose models, saved or not, are the results.
  ///   - isolation: the actor on which commits of other contexts are taken over automatically.
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the descriptor.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, nil, context: modelContext, isolation: isolation) }

  /// Observes the results of a descriptor in a new context.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the descriptor.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, nil, context: ModelContext(modelContainer), isolation: isolation) }

  /// Observes the models of a context that fulfil a predicate, in an order.
  ///
  /// ```swift
  /// let observer = try ResultsObserver(filterBy: #Predicate<Song> { $0.year > 1975 }, modelContext: context)
  /// print(observer.results.map(\.title))
  /// ```
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the predicate and the order.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, context: modelContext, isolation: isolation)
  }

  /// Observes the models that fulfil a predicate in a new context, in an order.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the predicate and the order.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, context: ModelContext(modelContainer),
      isolation: isolation)
  }
}

/// Results in sections by a property. They are sorted by it first.
extension ResultsObserver where SectionTitle == String {
  /// Observes the results of a descriptor in a context, in sections by a text.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the descriptor.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, SectionRule(sectionBy), context: modelContext, isolation: isolation) }

  /// Observes the results of a descriptor in a new context, in sections by a text.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the descriptor.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, SectionRule(sectionBy), context: ModelContext(modelContainer), isolation: isolation)
  }

  /// Observes the models of a context that fulfil a predicate, in sections by a text.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the predicate and the order.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), SectionRule(sectionBy), context: modelContext,
      isolation: isolation)
  }

  /// Observes the models that fulfil a predicate in a new context, in sections by a text.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the predicate and the order.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), SectionRule(sectionBy),
      context: ModelContext(modelContainer),
      isolation: isolation)
  }

  /// Observes the results of a descriptor in a context, in sections by an optional text. Models
  /// without a value are in the section with an empty title.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the descriptor.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws { try self.init(fetchDescriptor, SectionRule(sectionBy), context: modelContext, isolation: isolation) }

  /// Observes the results of a descriptor in a new context, in sections by an optional text. Models
  /// without a value are in the section with an empty title.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the descriptor.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, SectionRule(sectionBy), context: ModelContext(modelContainer), isolation: isolation)
  }

  /// Observes the models of a context that fulfil a predicate, in sections by an optional text.
  /// Models without a value are in the section with an empty title.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the predicate and the order.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), SectionRule(sectionBy), context: modelContext,
      isolation: isolation)
  }

  /// Observes the models that fulfil a predicate in a new context, in sections by an optional text.
  /// Models without a value are in the section with an empty title.
  ///
  /// - Throws: what ``ModelContext/fetch(_:fileID:line:)`` throws for the predicate and the order.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), SectionRule(sectionBy),
      context: ModelContext(modelContainer),
      isolation: isolation)
  }
}
