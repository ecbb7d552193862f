internal import RoostFile
internal import RoostGraph

/// Computes a value again after each commit that touches what it depends on. A value that equals the last one is not an element.
///
/// Unchecked because `work` guards all of it.
final class LiveValueReader<Value: Sendable>: LiveReader<Value>, @unchecked Sendable {
  private let subjects: (ContextState) throws -> [LiveSubject]
  private let compute: (ModelContext) throws -> Value
  private let isSame: (Value, Value) -> Bool
  private let work = Lock()
  /// Shows which rows were touched. Its snapshot moves with each commit, so that the store need not keep it.
  private var context: ModelContext?
  private var known: [LiveSubject] = []
  private var failure: (any Error)?
  /// Guarded by the reader's task, which alone uses it.
  private var shown: Value?

  init(
    _ container: ModelContainer, _ subjects: @escaping (ContextState) throws -> [LiveSubject],
    isSame: @escaping (Value, Value) -> Bool, compute: @escaping (ModelContext) throws -> Value
  ) {
    (self.subjects, self.compute, self.isSame) = (subjects, compute, isSame)
    super.init(container)
  }

  override func follow() {
    let isNew = work.withLock { () -> Bool in
      guard let context, failure == nil else { return false }
      // All stores are asked, so that each goes on.
      do { return try !known.filter { try isTouched($0, context) }.isEmpty } catch {
        failure = error
        return true
      }
    }
    if isNew { wake() }
  }

  override func take() throws -> Value? {
    try work.withLock {
      if let failure { throw failure }
      if context == nil { context = try begin() }
    }
    // It takes its time, and runs the program's code: no commit waits for it.
    let value = try compute(ModelContext(container))
    if let shown, isSame(shown, value) { return nil }
    shown = value
    return value
  }

  private func begin() throws -> ModelContext {
    try container.stores.checkOpen()
    if container.stores.hasSilentStores { throw DataStoreError.unsupportedFeature }
    let made = ModelContext(container)
    known = try subjects(made.state)
    for subject in known { _ = try isTouched(subject, made) }
    container.stores.followers.add(self)
    return made
  }

  private func isTouched(_ subject: LiveSubject, _ context: ModelContext) throws -> Bool {
    let graph = context.state.graph(subject.store)
    return subject.isTouched(try context.state.call(.fetching) { try graph.moveOn(subject.map) })
  }
}

/// What a value depends on in one store.
struct LiveSubject {
  var store: Int
  /// The model's own entity. A row of it counts as touched if a relationship that leads to it changed.
  var map: EntityMap
  var isTouched: (RowNews) -> Bool
}

extension ContextState {
  /// All rows of some models.
  func subjects(_ models: [any PersistentModel.Type]) throws -> [LiveSubject] {
    let places = try models.map { try stores.known($0) }
    return Dictionary(grouping: places, by: \.store).map { store, places in
      LiveSubject(store: store, map: places[0].map) { news in places.contains { news.touches($0.map) } }
    }
  }

  /// What a fetch looks at.
  func subjects<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [LiveSubject] {
    let place = try stores.known(Model.self)
    let part = try call(.fetching) { try FetchRun(descriptor, self).part() }
    // What memory tests may depend on everything.
    let maps = part.tests.isEmpty ? [place.map] + part.passes : stores.stores[place.store].maps
    return [LiveSubject(store: place.store, map: place.map) { news in maps.contains { news.touches($0) } }]
  }

  /// One row.
  func subjects(_ identifier: PersistentIdentifier) throws -> [LiveSubject] {
    let (place, row) = try stores.knownRow(of: identifier)
    let home = place.map.home
    return [
      LiveSubject(store: place.store, map: place.map) { news in
        news.isEverything || news.rows[home]?.contains(row) == true
      }
    ]
  }
}
