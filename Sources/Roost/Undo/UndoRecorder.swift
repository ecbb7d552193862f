internal import RoostGraph
internal import RoostRecords

#if !canImport(Darwin)

  extension ModelContext {
    /// What takes changes of this context back: insertions, deletions, and changes of properties and relationships, also those that were
    /// saved meanwhile. None by default.
    ///
    /// A model that comes back after its deletion was saved is a new object with another identifier. ``rollback()`` and ``reset()``
    /// forget what the context's changes were.
    public var undoManager: UndoManager? {
      get { state.recorder?.manager }
      set {
        if newValue === state.recorder?.manager { return }
        if let old = state.recorder {
          old.noteChanges()
          old.manager.remove(old)
        }
        state.recorder = newValue.map { UndoRecorder($0, state) }
      }
    }
  }

  /// Compares what a context holds with what it held when it was looked at last, and registers the differences.
  final class UndoRecorder: ChangeWatching, UndoRecording {
    let manager: UndoManager
    // The state has it.
    private unowned let state: ContextState
    /// Models as they were at the last look, of those that have changed since or wait to be saved; nil for one that was not there.
    private var known: [PersistentIdentifier: SnapshotContent?] = [:]
    /// By models that are gone for good, those that came back instead.
    private var heirs: [PersistentIdentifier: PersistentIdentifier] = [:]
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
      for model in state.open.flatMap(\.deletedObjects) {
        if let model = model as? any PersistentModel { known[model.persistentModelID] = .some(nil) }
      }
    }

    private var pending: [any PersistentModel] {
      state.open.flatMap { $0.insertedObjects + $0.changedObjects }.compactMap { $0 as? any PersistentModel }
    }

    /// A model, and what it was before it changed; nil if it was not there.
    private struct Change {
      var identifier: PersistentIdentifier
      var before: SnapshotContent?
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

    private func takeChanges() -> [Change] {
      var changes: [Change] = []
      var next: [PersistentIdentifier: SnapshotContent?] = [:]
      for model in pending {
        let identifier = model.persistentModelID
        let now = SnapshotContent(model)
        switch known[identifier] {
        case .some(let before): if before != now { changes.append(Change(identifier: identifier, before: before)) }
        case nil: if !model.isStored { changes.append(Change(identifier: identifier, before: nil)) }
        }
        next[identifier] = .some(now)
      }
      for object in state.open.flatMap(\.deletedObjects) {
        guard let identifier = (object as? any PersistentModel)?.persistentModelID else { continue }
        if case .some(let before?) = known[identifier] {
          changes.append(Change(identifier: identifier, before: before))
        }
        next[identifier] = .some(nil)
      }
      for (identifier, before) in known.sorted(by: { $0.key < $1.key }) where next[identifier] == nil {
        let model = find(identifier)
        if let model, !model.isDeleted {
          if before != SnapshotContent(model) { changes.append(Change(identifier: identifier, before: before)) }
        } else if before != nil {
          changes.append(Change(identifier: identifier, before: before))
        }
      }
      known = next
      return changes
    }

    /// What was saved need not be remembered: whatever changes from here on is seen.
    func didSave() {
      known = [:]
      manager.endEvent()
    }

    func forget() {
      known = [:]
      manager.removeAllActions(withTarget: self)
    }

    // MARK: Taking back

    private func restore(_ changes: [Change]) {
      state.attempt {
        let contents = Dictionary(changes.compactMap { change in change.before.map { (change.identifier, $0) } }) {
          first, _ in
          first
        }
        var models: [PersistentIdentifier: any PersistentModel] = [:]
        for change in changes { try revive(change.identifier, contents, &models) }
        for (identifier, model) in models.sorted(by: { $0.key < $1.key }) {
          contents[identifier]?.give(to: model) { self.live($0) }
        }
        for change in changes where change.before == nil {
          if let model = live(change.identifier) { try state.graph(of: model).delete(model) }
        }
      }
    }

    /// Brings a model back, and before it those to which it leads: what went along with one comes back with it.
    private func revive(
      _ identifier: PersistentIdentifier, _ contents: [PersistentIdentifier: SnapshotContent],
      _ models: inout [PersistentIdentifier: any PersistentModel]
    ) throws {
      var path = [identifier]
      var seen: Set<PersistentIdentifier> = []
      while let next = path.last {
        guard let content = contents[next], models[next] == nil else {
          path.removeLast()
          continue
        }
        if seen.insert(next).inserted {
          for case .one(let other?) in content.links where !seen.contains(other) { path.append(other) }
          continue
        }
        models[next] = try revived(next, content)
      }
    }

    private func heir(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
      var last = identifier
      while let next = heirs[last] { last = next }
      return last
    }

    /// Whether it is deleted or not.
    private func find(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
      guard let (place, row) = state.stores.row(of: heir(identifier)) else { return nil }
      let graph = state.graph(place.store)
      let found = graph.registered(place.map, RowID(row)) ?? graph.existingQuietly(place.map, RowID(row))
      return found as? any PersistentModel
    }

    private func live(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
      find(identifier).flatMap { $0.isDeleted ? nil : $0 }
    }

    private func revived(_ identifier: PersistentIdentifier, _ content: SnapshotContent) throws -> any PersistentModel {
      if let model = find(identifier) {
        if !model.isDeleted { return model }
        if (try? state.graph(of: model).insert(model)) != nil { return model }
      }
      let made = content.makeModel()
      content.fill(made)
      try state.graph(of: made).insert(made)
      heirs[heir(identifier)] = made.persistentModelID
      return made
    }
  }

#endif
