public import Foundation
internal import RoostFile
internal import RoostGraph

/// Writes that make no model for each row. Each call is one transaction, which is stored when the
/// call returns. Unsaved changes of this context stay unsaved. Neither ``ModelContext/rollback()``
/// nor an ``ModelContext/undoManager`` undoes such a write, because nothing keeps the old values of
/// the rows.
extension ModelContext {
  /// Changes all stored models that fulfil a predicate, without a save. Calls the closure with each
  /// model and writes the values that it sets.
  ///
  /// The call works on the newest state of the store. If the closure throws, or a model cannot be
  /// written, nothing is changed. The model that the closure gets is valid until the closure
  /// returns; afterwards it is a deleted model. The closure can set to-one relationships to stored
  /// models of this context. It can only read to-many relationships.
  ///
  /// - Returns: the identifiers of the models in which the closure set a property.
  /// - Throws: ``RoostError`` with the code `pendingChanges` if the predicate matches a model with
  ///   unsaved changes in this context, and what the closure throws. If a row cannot be written, it
  ///   throws what ``save(fileID:line:)`` throws.
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

  /// Deletes all stored models that fulfil a predicate, without a save, and applies their delete
  /// rules. It deletes all of them, or throws and deletes none.
  ///
  /// ``delete(model:where:includeSubclasses:)`` deletes with the next save and can be undone. This
  /// function makes no model and cannot be undone.
  ///
  /// - Returns: the identifiers of the models that fulfilled the predicate. Delete rules may have
  ///   deleted other models too.
  /// - Throws: ``RoostError`` with the code `pendingChanges` if a model with unsaved changes in
  ///   this context would be deleted, or if the predicate depends on unsaved changes, `denied` if a
  ///   delete rule or a required reference forbids it, `count` if a list would have too few models,
  ///   and `invalid` if ``Validatable/validate(_:)`` forbids it.
  ///   ``SwiftDataError/unsupportedPredicate`` if the predicate cannot be evaluated, and
  ///   ``DataStoreError/unsupportedFeature`` if a store of your program's own cannot delete so.
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

  /// Inserts new models without a save. Each is written and released before the next is requested,
  /// so the number of models does not matter.
  ///
  /// If a reference already inserted one of the models into this context (`song.album = album`),
  /// the batch calls ``save()`` at its end. That save writes all unsaved changes, and may throw
  /// after the batch was committed.
  ///
  /// The other models stay in no context. A new model that they reference is inserted with them,
  /// once. Any other model that they reference must be stored, and belong to this context. Changes
  /// that you make to a model after the batch has taken it are ignored. If a model has unique
  /// values that are stored already, ``uniquePolicy`` decides.
  ///
  /// - Returns: the identifiers, in the order of the models. A merged model has the identifier of
  ///   the stored model.
  /// - Throws: ``RoostError`` with the code `notUnique`, `badValue`, `count`, `denied` or `invalid`
  ///   if a model is refused, and `foreign` if it is stored already, belongs to another context, or
  ///   references a model of another context. `deleted` or `pendingChanges` if it references a
  ///   deleted or unsaved model of this context. Then nothing is inserted.
  @discardableResult
  public func insert<S>(
    batch models: S, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> BulkResult where S: Sequence, S.Element: PersistentModel {
    try insert(batch: models, fileID: fileID, line: line) { $0 }
  }

  /// Inserts the models that a closure makes of values, such as the lines of a file: see
  /// ``insert(batch:fileID:line:)``.
  ///
  /// - Throws: what the closure throws, and what ``insert(batch:fileID:line:)`` throws. Then
  ///   nothing is inserted.
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
    // That save may have merged an unsaved model into a stored one.
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

  /// Posts the notification of a save. If the write changed more than 100,000 models, the
  /// notification has no identifiers.
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
