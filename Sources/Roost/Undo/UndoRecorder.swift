internal import RoostGraph
internal import RoostRecords

#if !canImport(Darwin)

  extension ModelContext {
    /// The manager that undoes changes of this context: insertions, deletions, and changes of
    /// properties and relationships, also after a save. None by default.
    ///
    /// Changes of other contexts stay, even in the same models. A model that is restored after its
    /// deletion was saved is a new object with another identifier. ``rollback()`` and ``reset()``
    /// remove the context's changes from the manager. Bulk writes cannot be undone.
    public var undoManager: UndoManager? {
      get { recorder?.manager }
      set {
        let old = recorder
        if newValue === old?.manager { return }
        if let old {
          old.noteChanges()
          old.manager.remove(old)
        }
        state.recorder = newValue.map { UndoRecorder($0, state) }
      }
    }

    private var recorder: UndoRecorder? { state.recorder as? UndoRecorder }
  }

  /// Compares the context with its state at the last look, and records the differences.
  final class UndoRecorder: ChangeRecording, UndoRecording {
    let manager: UndoManager
    // Unowned, because the state owns the recorder.
    unowned let state: ContextState
    /// The contents at the last look, of models that have changed since or have unsaved changes;
    /// nil for a model that did not exist.
    private var known: [PersistentIdentifier: SnapshotContent?] = [:]
    /// For models that are gone for good, those that were restored instead.
    var heirs: [PersistentIdentifier: PersistentIdentifier] = [:]
    private var isLooking = false

    init(_ manager: UndoManager, _ state: ContextState) {
      self.manager = manager
      self.state = state
      manager.add(self)
      // Existing unsaved changes count as the initial state.
      noteAll()
    }

    // MARK: Looking

    func willChange(_ object: any _ModelObject) {
      note(object)
      manager.beginEvent(isMain: state.isMain)
    }

    func willDelete(_ object: any _ModelObject) {
      note(object)
      manager.beginEvent(isMain: state.isMain)
      guard let model = object as? any PersistentModel, case .some(let content?) = known[model.persistentModelID] else {
        return
      }
      // The lists of other models record its position in them.
      for case .one(let other?) in content.links {
        if let owner = find(other), !owner.isDeleted { note(owner) }
      }
    }

    private func note(_ object: any _ModelObject) {
      guard let model = object as? any PersistentModel, model.isStored else { return }
      let identifier = model.persistentModelID
      if known[identifier] == nil { known[identifier] = .some(SnapshotContent(unsettled: model)) }
    }

    private func noteAll() {
      for model in pending { known[model.persistentModelID] = .some(SnapshotContent(model)) }
      for model in state.open.flatMap(\.changes.deletedObjects) {
        if let model = model as? any PersistentModel { known[model.persistentModelID] = .some(nil) }
      }
    }

    private var pending: [any PersistentModel] {
      state.open.flatMap { $0.changes.insertedObjects + $0.changes.changedObjects }.compactMap {
        $0 as? any PersistentModel
      }
    }

    func noteChanges() {
      if isLooking { return }
      isLooking = true
      for graph in state.open { graph.processPendingChanges() }
      let changes = takeChanges()
      isLooking = false
      if changes.isEmpty { return }
      manager.registerUndo(withTarget: self) { $0.restore(changes) }
    }

    private func takeChanges() -> [UndoChange] {
      var changes: [UndoChange] = []
      var next: [PersistentIdentifier: SnapshotContent?] = [:]
      let pending = pending
      let deleted = state.open.flatMap(\.changes.deletedObjects).compactMap { $0 as? any PersistentModel }
      let unborn = known.compactMap { $0.value?.identifier }.filter { $0.storeIdentifier == nil }
      let ours = OwnChanges(pending, deleted: deleted, unborn: unborn)
      for model in pending {
        let identifier = model.persistentModelID
        let now = SnapshotContent(model)
        switch known[identifier] {
        case .some(let before?):
          if let change = ours.change(model, from: before, to: now) { changes.append(change) }
        case .some(nil): changes.append(UndoChange(identifier: identifier, before: nil, after: now))
        case nil:
          if !model.isStored { changes.append(UndoChange(identifier: identifier, before: nil, after: now)) }
        }
        next[identifier] = .some(now)
      }
      for model in deleted {
        let identifier = model.persistentModelID
        if case .some(let before?) = known[identifier] {
          changes.append(UndoChange(identifier: identifier, before: before, after: nil))
        }
        next[identifier] = .some(nil)
      }
      for (identifier, before) in known.sorted(by: { $0.key < $1.key }) where next[identifier] == nil {
        let model = find(identifier)
        if let model, !model.isDeleted {
          let now = SnapshotContent(model)
          if let before {
            if let change = ours.change(model, from: before, to: now) { changes.append(change) }
          } else {
            changes.append(UndoChange(identifier: identifier, before: nil, after: now))
          }
        } else if let before, before.identifier.storeIdentifier == nil {
          // Stored models that are gone were deleted by other contexts.
          changes.append(UndoChange(identifier: identifier, before: before, after: nil))
        }
      }
      known = next
      return changes
    }

    /// Forgets the contents, because the next change of a saved model is noticed. Called before the
    /// notification of the save, whose observers may change more.
    func isSaved() { known = [:] }

    /// Called after a save, when all observers were notified.
    func didSave() { manager.endEvent() }

    func forget() {
      known = [:]
      manager.removeAllActions(withTarget: self)
    }
  }

#endif
