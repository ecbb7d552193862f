internal import RoostGraph
internal import RoostRecords

#if !canImport(Darwin)

  /// Undoes changes.
  extension UndoRecorder {
    func restore(_ changes: [UndoChange]) {
      state.attempt {
        let deletions = changes.filter { $0.after == nil }.compactMap { change in
          change.before.map { (change.identifier, $0) }
        }
        let contents = Dictionary(deletions) { first, _ in first }
        var revived: [PersistentIdentifier: Revived] = [:]
        for (identifier, _) in deletions { try revive(identifier, contents, models: &revived) }
        for change in changes.sorted(by: { $0.identifier < $1.identifier }) {
          if change.after == nil {
            if let back = revived[change.identifier] { give(contents[change.identifier], to: back) }
          } else if change.before != nil, let model = live(change.identifier) {
            takeBack(change, model)
          }
        }
        for change in changes where change.before == nil {
          if isItself(change.identifier), let model = live(change.identifier) {
            try state.graph(of: model).delete(model)
          }
        }
      }
    }

    /// A restored model: the same object, or another one in its place.
    struct Revived {
      var model: any PersistentModel
      var isNew: Bool
    }

    /// Restores a model, and first the models that it references: models that were deleted with it
    /// are restored with it.
    private func revive(
      _ identifier: PersistentIdentifier, _ contents: [PersistentIdentifier: SnapshotContent],
      models: inout [PersistentIdentifier: Revived]
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

    private func revived(_ identifier: PersistentIdentifier, _ content: SnapshotContent) throws -> Revived {
      if let model = find(identifier) {
        if !model.isDeleted { return Revived(model: model, isNew: false) }
        if (try? state.graph(of: model).insert(model)) != nil { return Revived(model: model, isNew: false) }
      }
      let made = content.makeModel()
      content.fill(made)
      try state.graph(of: made).insert(made)
      heirs[heir(identifier)] = made.persistentModelID
      return Revived(model: made, isNew: true)
    }

    /// Gives a restored model its former content. If it is the same object, other contexts may have
    /// changed properties that this change does not contain.
    private func give(_ content: SnapshotContent?, to back: Revived) {
      guard let content else { return }
      let changed = back.isNew ? .max : back.model._$state.changed
      let now = SnapshotContent(back.model)
      content.give(to: back.model) {
        self.live($0)
      } where: { property in
        if changed & _ModelState.bit(property) != 0 { return true }
        return switch now.link(property) {
        case .many?, .one(nil)?: true
        case .one?: back.model.graphContext?.links.followsOther(back.model, property) == true
        case .absent?, nil: false
        }
      }
    }

    /// Undoes the differences between the two contents of a change, as far as the model still has
    /// the new values.
    private func takeBack(_ change: UndoChange, _ model: any PersistentModel) {
      guard let before = change.before, let after = change.after else { return }
      let now = SnapshotContent(model)
      for property in before.type.properties.indices where !before.isSame(property, as: after) {
        switch (before.link(property), after.link(property), now.link(property)) {
        case (nil, _, _):
          if now.values.isSame(property, as: after.values), let value = before.values.any(property) {
            model.assign(property, value)
          }
        case (.one(let old)?, .one(let new)?, .one(let here)?):
          guard new.map(current) == here else { continue }
          let other = old.flatMap(live)
          // A required reference stays. A reference to a model whose deletion is not saved yet
          // works again if that is undone; setting it to nil would prevent that.
          if other == nil, here == nil || !before.type.mayBeNil(property) { continue }
          model.assign(property, other as Any)
        case (.many(let old)?, .many(let new)?, .many(let here)?):
          let edit = ListEdit(from: old.map(current), to: new.map(current))
          let others = edit.takenBack(from: here).filter { live($0) != nil }
          // The same applies to members whose deletion is not saved yet.
          if others != here { model.assign(property, others.compactMap(live)) }
        default: continue
        }
      }
    }

    // MARK: Finding

    func heir(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
      var last = identifier
      while let next = heirs[last] { last = next }
      return last
    }

    /// Returns the current identifier of a model: it may have been restored as another one, or
    /// merged into another row.
    private func current(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
      let last = heir(identifier)
      guard let (place, row) = state.stores.row(of: last) else { return last }
      return state.stores.stores[place.store].identifier(last.entityName, row)
    }

    /// Whether a model still has the row that it was inserted with. A model that was merged into a
    /// stored one must not be deleted.
    private func isItself(_ identifier: PersistentIdentifier) -> Bool {
      let last = heir(identifier)
      return current(last) == last
    }

    /// Finds a model, deleted or not.
    func find(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
      guard let (place, row) = state.stores.row(of: heir(identifier)) else { return nil }
      let graph = state.graph(place.store)
      let found = graph.objects.registered(place.map, RowID(row)) ?? graph.existingQuietly(place.map, RowID(row))
      return found as? any PersistentModel
    }

    private func live(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
      find(identifier).flatMap { $0.isDeleted ? nil : $0 }
    }
  }

#endif
