public import Foundation
internal import RoostFile
internal import RoostGraph

/// Writes that make no model for each row. Each is one transaction of its own, which is stored when the call returns; what waits in
/// this context goes on waiting. Neither ``ModelContext/rollback()`` nor an ``ModelContext/undoManager`` takes it back, because nothing is kept of what
/// the rows were.
extension ModelContext {
  /// Changes all stored models that fulfil a predicate, now: the closure is called with each in turn, and what it sets is written.
  ///
  /// It works on the newest state of the store. If the closure throws, or a model cannot be written, nothing is changed.
  /// The model that the closure gets is good until it returns; one that is kept says that it is deleted. Its relationships to
  /// one can be set, to stored models of this context; those to many can only be read.
  ///
  /// Where models wait in this context to be saved that the predicate means too, it throws `pendingChanges`.
  ///
  /// - Returns: the identifiers of the models of which the closure set something.
  @discardableResult
  public func update<T>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true,
    fileID: StaticString = #fileID, line: UInt = #line, _ change: (T) throws -> Void
  ) throws -> BulkResult where T: PersistentModel {
    try bulk(T.self, (fileID, line)) {
      let choice = try BulkChoice(predicate, state, includesSubclasses: includeSubclasses)
      // The rows of a choice are of its class, or of a subclass.
      return try choice.graph.updateRows(choice.rows) { try change(unsafeDowncast($0, to: T.self)) }
    }
  }

  /// Deletes all stored models that fulfil a predicate, now, with what their delete rules say. It does all of it, or throws and does nothing.
  ///
  /// ``delete(model:where:includeSubclasses:)`` waits for the save and can be taken back; this makes no model and cannot.
  /// Where models wait in this context to be saved that would go, it throws `pendingChanges`.
  ///
  /// - Returns: the identifiers of the models that fulfilled the predicate. Rules may have taken along others.
  @discardableResult
  public func deleteAll<T>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> BulkResult where T: PersistentModel {
    if let set = state.graph(try state.stores.known(model).store).store.backing as? WorkingSet {
      return BulkResult(try set.deleteAll(model, predicate, includesSubclasses: includeSubclasses, for: self))
    }
    return try bulk(T.self, (fileID, line)) {
      let choice = try BulkChoice(predicate, state, includesSubclasses: includeSubclasses)
      return try choice.graph.deleteRows(choice.rows)
    }
  }

  /// Inserts new models, now: each is written and forgotten before the next is asked for, so it does not matter how many there are.
  ///
  /// If a reference already inserted one of the models into this context (`song.album = album`), the batch calls ``save()`` at its
  /// end. That save writes everything pending, and may throw after the batch was committed.
  ///
  /// The other models stay in no context. A new model that they reference is inserted with them, once. Any other model that they
  /// reference must be stored, and belong to this context. What is changed in a model after it came is not looked at. Where a model has unique values that are stored already, ``uniquePolicy`` decides.
  ///
  /// - Returns: the identifiers, in the order of the models; that of the stored one where a model was merged.
  @discardableResult
  public func insert<S>(
    batch models: S, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> BulkResult where S: Sequence, S.Element: PersistentModel {
    try insert(batch: models, fileID: fileID, line: line) { $0 }
  }

  /// Inserts the models that a closure makes of values, such as the lines of a file: see ``insert(batch:fileID:line:)``. If the closure throws,
  /// nothing is inserted.
  @discardableResult
  public func insert<S, T>(
    batch values: S, fileID: StaticString = #fileID, line: UInt = #line, _ make: (S.Element) throws -> T
  ) throws -> BulkResult where S: Sequence, T: PersistentModel {
    var given: RowRuns?
    let result = try bulk(T.self, (fileID, line)) {
      let graph = state.graph(try state.stores.known(T.self).store)
      var counter = InterruptCounter()
      let outcome = try graph.insertRows { add in
        for value in values {
          try counter.step()
          try add(make(value))
        }
      }
      given = outcome.given
      return outcome
    }
    guard let given else { return result }
    try save()
    // A model that waited may have become a stored one in that save.
    let store = state.graph(try state.stores.known(T.self).store).store
    return BulkResult(store.rows(behind: given), store)
  }

  private func bulk<T: PersistentModel>(
    _ model: T.Type, _ place: ContextState.CodePlace, body: () throws -> BulkOutcome
  ) throws -> BulkResult {
    let outcome = try state.traced(.bulk, of: model, place, plan: nil, note: { $1.note($0) }) {
      () throws -> BulkOutcome in
      do { return try body() } catch let refusal as SaveRefusal { throw state.stores.error(refusal) } catch {
        throw Doorway.translated(error)
      }
    }
    let graph = state.graph(try state.stores.known(model).store)
    if outcome.rows.count > 0 {
      state.noteCommit()
      for other in state.open where other !== graph { other.saver.forgetLastSave() }
      CallInterrupt.with(nil) { post(outcome, graph.store) }
    }
    CommitWatch.tell()
    return BulkResult(outcome, graph.store)
  }

  /// What a save would tell. Where more than a hundred thousand models were written, their identifiers are not told.
  private func post(_ outcome: BulkOutcome, _ store: GraphStore) {
    let keys = NotificationKey.self
    let inserted = outcome.tellsAll ? Array(BulkResult(outcome.inserted, store)) : []
    let (updated, deleted) = (outcome.updated.map(store.identifier), outcome.deleted.map(store.identifier))
    var told: [AnyHashable: Any] = [
      "inserted": inserted, "updated": updated, "deleted": deleted,
      keys.insertedIdentifiers.rawValue: inserted, keys.updatedIdentifiers.rawValue: updated,
      keys.deletedIdentifiers.rawValue: deleted,
    ]
    if !outcome.tellsAll { told[keys.invalidatedAllIdentifiers.rawValue] = true }
    NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: told)
  }
}

extension TraceEvent {
  fileprivate mutating func note(_ outcome: BulkOutcome) {
    found = outcome.rows.count
    (inserted, updated, deleted) = (outcome.inserted.count, outcome.updated.count, outcome.deleted.count)
  }
}
