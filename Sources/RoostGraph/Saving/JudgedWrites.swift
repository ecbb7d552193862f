/// The objects that code of the program changed in one round of `validate`, or in one attempt of a
/// save, with their earlier values.
final class JudgedWrites: WriteNoting {
  private unowned let saver: Saver
  private var written: [Written] = []
  private var places: [ObjectIdentifier: Int] = [:]
  /// An object that the program inserted or deleted.
  private var entered: (any _ModelObject)?
  private(set) var isRolledBack = false
  /// Whether setters of unsaved objects tell of each change.
  private var marksPending = false

  private struct Written {
    let object: any _ModelObject
    let values = EarlierValues()
    /// By property, the row that a reference had.
    var references: [Int: UInt64?] = [:]
    var hasLists = false
  }

  init(_ saver: Saver) { self.saver = saver }

  /// Called before a setter stores. Computed values follow the others, so they are no change.
  func note(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) {
    if origin.map.type.computed.contains(property) { return }
    let id = ObjectIdentifier(object)
    let place = places[id] ?? written.count
    if place == written.count {
      places[id] = place
      written.append(Written(object: object))
    }
    guard let relation = saver.store.relations[origin.map.number][property] else {
      // Outside of an access to the array: the call may run code of the program.
      let values = written[place].values
      return values.note(object, property)
    }
    if relation.isList {
      written[place].hasLists = true
    } else if written[place].references[property] == nil {
      written[place].references[property] = .some(saver.leads(object, relation))
    }
  }

  func noteEntry(_ object: any _ModelObject) { entered = object }
  func noteRollback() { isRolledBack = true }

  /// The objects with a `validate` whose values are different now. A list that was set counts as
  /// changed.
  func takeChanged() -> [any _ModelObject] {
    if written.isEmpty { return [] }
    let all = exchange(&written, with: [])
    places = [:]
    return all.filter { $0.object.isJudged && hasChanged($0) }.map(\.object)
  }

  /// An object that the program changed, inserted or deleted.
  var changed: (any _ModelObject)? { entered ?? written.first(where: hasChanged)?.object }

  private func hasChanged(_ one: Written) -> Bool {
    if one.hasLists || one.values.hasChanged(one.object) { return true }
    guard let map = one.object.entityMap else { return true }
    return one.references.contains { property, before in
      saver.store.relations[map.number][property].map { saver.leads(one.object, $0) != before } ?? false
    }
  }

  // MARK: Unsaved objects

  /// Makes setters of unsaved objects tell of each change. Otherwise they tell only of the first
  /// change of a property.
  func markPending() {
    if exchange(&marksPending, with: true) { return }
    for object in saver.changes.changed + saver.changes.inserted { object._$state.flags.insert(.judged) }
  }

  func unmarkPending() {
    if !exchange(&marksPending, with: false) { return }
    for object in saver.changes.changed + saver.changes.inserted { object._$state.flags.remove(.judged) }
  }
}

extension _ModelObject {
  fileprivate var isJudged: Bool { Self._$type.judge != nil }
}
