internal import RoostGraph
internal import RoostRecords

#if !canImport(Darwin)

  extension ModelContext {
    /// What takes changes of this context back: insertions, deletions, and changes of properties and relationships, also those that were
    /// saved meanwhile. None by default.
    ///
    /// What other contexts changed stays, also in the same models. A model that comes back after its deletion was saved is a new object
    /// with another identifier. ``rollback()`` and ``reset()`` forget what the context's changes were. Bulk writes are not taken back.
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

  /// Compares what a context holds with what it held when it was looked at last, and registers the differences.
  final class UndoRecorder: ChangeRecording, UndoRecording {
    let manager: UndoManager
    // The state has it.
    unowned let state: ContextState
    /// Models as they were at the last look, of those that have changed since or wait to be saved; nil for one that was not there.
    private var known: [PersistentIdentifier: SnapshotContent?] = [:]
    /// By models that are gone for good, those that came back instead.
    var heirs: [PersistentIdentifier: PersistentIdentifier] = [:]
    private var isLooking = false

    init(_ manager: UndoManager, _ state: ContextState) {
      self.manager = manager
      self.state = state
      manager.add(self)
      // What waits already counts as it is.
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
      // Its place in the lists of others is theirs to remember.
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
          // Stored ones that are gone were deleted by others.
          changes.append(UndoChange(identifier: identifier, before: before, after: nil))
        }
      }
      known = next
      return changes
    }

    /// What is saved now need not be remembered: whatever changes from here on is seen. It is called before anybody hears of the save,
    /// who may change more.
    func isSaved() { known = [:] }

    /// Behind a save, when everybody has heard of it.
    func didSave() { manager.endEvent() }

    func forget() {
      known = [:]
      manager.removeAllActions(withTarget: self)
    }
  }

#endif
