internal import RoostFile
internal import RoostGraph

/// Computes a value again after each commit that changes the data it depends on. A value that
/// equals the last one is not an element.
///
/// Unchecked because `work` guards all fields.
final class LiveValueReader<Value: Sendable>: LiveReader<Value>, @unchecked Sendable {
  private let subjects: (ContextState) throws -> [LiveSubject]
  private let compute: (ModelContext) throws -> Value
  private let isSame: (Value, Value) -> Bool
  private let work = Lock()
  /// Reports the changed rows. Its snapshot moves with each commit, so that the store need not keep
  /// it.
  private var context: ModelContext?
  private var known: [LiveSubject] = []
  private var failure: (any Error)?
  /// The last value. Only the reader's task uses it.
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
      // Ask all stores, so that each one's snapshot moves.
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
    // Computing takes time and runs code of the program, so no commit waits for it.
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

/// The data in one store that a value depends on.
struct LiveSubject {
  var store: Int
  /// The model's own entity. A row of it counts as changed if a relationship that references it
  /// changed.
  var map: EntityMap
  var isTouched: (RowNews) -> Bool
}

extension ContextState {
  /// Returns all rows of some classes.
  func subjects(_ models: [any PersistentModel.Type]) throws -> [LiveSubject] {
    let places = try models.map { try stores.known($0) }
    return Dictionary(grouping: places, by: \.store).map { store, places in
      LiveSubject(store: store, map: places[0].map) { news in places.contains { news.touches($0.map) } }
    }
  }

  /// Returns the entities that a fetch reads.
  func subjects<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [LiveSubject] {
    let place = try stores.known(Model.self)
    let part = try call(.fetching) { try FetchRun(descriptor, self).part() }
    // A test in memory may read anything.
    let maps = part.tests.isEmpty ? [place.map] + part.passes : stores.stores[place.store].maps
    return [LiveSubject(store: place.store, map: place.map) { news in maps.contains { news.touches($0) } }]
  }

  /// Returns one row.
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
