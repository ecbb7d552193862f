internal import RoostGraph

#if !canImport(Darwin)

  /// A model, with its content before and after a change; nil if it did not exist.
  struct UndoChange {
    var identifier: PersistentIdentifier
    var before: SnapshotContent?
    var after: SnapshotContent?
  }

  /// Separates the changes of a context from those that it took over from others.
  struct OwnChanges {
    private let pending: [PersistentIdentifier: any PersistentModel]
    /// Models that are deleted here, and new models that were removed before a save.
    private let gone: Set<PersistentIdentifier>

    init(_ pending: [any PersistentModel], deleted: [any PersistentModel], unborn: [PersistentIdentifier]) {
      self.pending = Dictionary(pending.map { ($0.persistentModelID, $0) }) { first, _ in first }
      gone = Set(deleted.map(\.persistentModelID)).union(unborn)
    }

    /// Whether this context changed the target of a relationship.
    private func isMoved(_ identifier: PersistentIdentifier, _ property: Int?) -> Bool {
      if gone.contains(identifier) { return true }
      guard let model = pending[identifier] else { return false }
      return !model.isStored || property.map { model._$state.changed & _ModelState.bit($0) != 0 } ?? true
    }

    /// Returns the change of a model from one content to another, without changes of other
    /// contexts; nil if nothing is left.
    func change(
      _ model: any PersistentModel, from before: SnapshotContent, to now: SnapshotContent
    ) -> UndoChange? {
      if before == now { return nil }
      let changed = model.hasChanges ? model._$state.changed : 0
      var own = before
      for property in before.type.properties.indices where !before.isSame(property, as: now) {
        let isOwn = changed & _ModelState.bit(property) != 0
        switch (before.link(property), now.link(property)) {
        case (nil, _): if !isOwn { own.takeValue(property, of: now) }
        case (.many(let old)?, .many(let new)?):
          let side = model.graphContext?.links.otherSide(model, property)
          let edit = ListEdit(from: old, to: new).before(isOrdered: isOwn) { member in
            isOwn && side?.isByLinks == true || isMoved(member, side?.property)
          }
          own.setLink(property, .many(edit))
        case (.one(let old)?, .one(let new)?):
          let isDeleted = old.map(gone.contains) ?? false
          let side = model.graphContext?.links.otherSide(model, property).property
          let follows = model.graphContext?.links.followsOther(model, property) == true
          let isLed = follows && [old, new].contains { $0.map { isMoved($0, side) } ?? false }
          if !isOwn, !isDeleted, !isLed { own.setLink(property, .one(new)) }
        case (_, let link?): own.setLink(property, link)
        default: continue
        }
      }
      return own == now ? nil : UndoChange(identifier: model.persistentModelID, before: own, after: now)
    }
  }

  /// The change of a list, as far as its members show it.
  struct ListEdit {
    private let old: [PersistentIdentifier]
    private let new: [PersistentIdentifier]

    init(from old: [PersistentIdentifier], to new: [PersistentIdentifier]) {
      self.old = old
      self.new = new
    }

    /// Returns the current list without this edit: added members are removed, removed members are
    /// inserted after the member that they followed, and changes of other contexts stay.
    func takenBack(from here: [PersistentIdentifier]) -> [PersistentIdentifier] {
      let (was, isNow) = (Set(old), Set(new))
      // Members that were in the list before and after the edit, and are gone now, were removed by
      // another context.
      let hasBoth = was.intersection(isNow)
      let present = Set(here)
      let stays = { (one: PersistentIdentifier) in !isNow.contains(one) || was.contains(one) }
      let kept = here.filter { stays($0) && (hasBoth.contains($0) || !was.contains($0)) }
      let wanted = old.filter { !isNow.contains($0) || present.contains($0) }
      if old.filter(hasBoth.contains) == new.filter(hasBoth.contains) {
        return Self.adding(wanted.filter { !hasBoth.contains($0) }, to: kept, by: old)
      }
      // The edit changed the order. The former order is restored, and other contexts' members stay
      // after the members that they follow.
      return Self.adding(kept.filter { !was.contains($0) }, to: wanted, by: kept)
    }

    /// Returns the former list with later changes of other contexts. `isOwn` says which members
    /// this context changed.
    func before(isOrdered: Bool, _ isOwn: (PersistentIdentifier) -> Bool) -> [PersistentIdentifier] {
      let (was, isNow) = (Set(old), Set(new))
      let hasBoth = was.intersection(isNow)
      let kept = new.filter { was.contains($0) || !isOwn($0) }
      let back = old.filter { !isNow.contains($0) && isOwn($0) }
      if isOrdered, old.filter(hasBoth.contains) != new.filter(hasBoth.contains) {
        let wanted = old.filter { hasBoth.contains($0) || isOwn($0) }
        return Self.adding(kept.filter { !was.contains($0) }, to: wanted, by: kept)
      }
      return Self.adding(back, to: kept, by: old)
    }

    /// Inserts members into a list, each after the nearest member that precedes it in an order, or
    /// at the front.
    private static func adding(
      _ some: [PersistentIdentifier], to list: [PersistentIdentifier], by order: [PersistentIdentifier]
    ) -> [PersistentIdentifier] {
      if some.isEmpty { return list }
      let (added, present) = (Set(some), Set(list))
      // For each member, those that follow it; nil for the front.
      var followers: [PersistentIdentifier?: [PersistentIdentifier]] = [:]
      var last: PersistentIdentifier?
      var done: Set<PersistentIdentifier> = []
      for one in order {
        if added.contains(one) {
          if done.insert(one).inserted { followers[last, default: []].append(one) }
        } else if present.contains(one) {
          last = one
        }
      }
      var result = followers[nil] ?? []
      for one in list {
        result.append(one)
        result += followers[one] ?? []
      }
      return result
    }
  }

#endif
