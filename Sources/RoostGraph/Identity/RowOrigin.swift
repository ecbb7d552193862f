internal import RoostRecords

/// The origin of the objects of one class in one context.
///
/// If an object alone cannot serve an accessor, the origin takes the context's lock and calls the
/// ``OriginDelegate``.
///
/// ## Invariants
/// 1. It keeps its context alive. So an object in use always has its context, its ``ObjectTable``
///    and its delegate.
final class RowOrigin: _Origin {
  /// The context, which this keeps alive.
  let owner: AnyObject
  let table: ObjectTable
  private let session: Session
  private let delegate: OriginDelegate
  let map: EntityMap
  /// Classes that share an entity share this map too.
  let objects: IdentityMap
  /// The root class of all objects in the map.
  private let root: _ModelType
  /// How to find the object of a reference, by property.
  private let targets: [Target]

  private enum Target {
    /// By the delegate: only the referenced row tells its class, or the property is no reference.
    case asked
    /// In the map with this number.
    case map(Int)
    /// In the map with this number, if there are no unsaved changes. Such a change may give an
    /// object of a one-to-one relationship another partner.
    case partner(Int)
  }

  init(
    _ map: EntityMap, _ table: ObjectTable, delegate: OriginDelegate, owner: AnyObject,
    sharing objects: IdentityMap? = nil
  ) {
    self.map = map
    self.owner = owner
    self.table = table
    self.delegate = delegate
    session = table.session
    self.objects = objects ?? IdentityMap()
    root = map.type.root
    let store = table.store
    targets = store.relations[map.number].map { relation in
      guard let relation, !relation.isList, store.maps[relation.target].family == nil else { return .asked }
      return relation.isOneToOne ? .partner(relation.target) : .map(relation.target)
    }
  }

  // The compiler would generate an initializer that calls itself.
  override init() { preconditionFailure("an origin is made for a map in a context") }

  override func willRead(_ object: any _ModelObject, _ property: Int) {
    session.accessor(.reading, object, property: property, otherwise: fillInstead(object, property)) {
      delegate.willRead(object, property, origin: self)
    }
  }

  override func isObserved(_ object: any _ModelObject, _ property: Int) -> Bool {
    if table.observesObjects { return true }
    if !table.isTracked { return false }
    session.accessor(.reading, object, property: property, otherwise: ()) { table.findObserver() }
    return table.observesObjects
  }

  override func willWrite(_ object: any _ModelObject, _ property: Int) {
    session.accessor(.changing, object, property: property, tells: false, otherwise: ()) {
      delegate.willWrite(object, property, origin: self)
    }
  }

  override func willModify(_ object: any _ModelObject, _ property: Int) {
    session.accessor(.changing, object, property: property, tells: false, otherwise: fillInstead(object, property)) {
      delegate.willRead(object, property, origin: self)
      delegate.willWrite(object, property, origin: self)
    }
  }

  override func didWrite(_ object: any _ModelObject, _ property: Int) {
    session.accessor(.changing, object, property: property, otherwise: ()) {
      delegate.didWrite(object, property, origin: self)
    }
  }

  override func resolve(_ object: any _ModelObject, _ property: Int, row: UInt64) -> (any _ModelObject)? {
    session.accessor(.reading, object, property: property, otherwise: nil) {
      known(targets[property], row) ?? delegate.resolve(object, property, row: row, origin: self)
    }
  }

  /// The object of a referenced row, without loading it; nil if it does not exist here, or if a
  /// changed list may give another object.
  @inline(__always)
  private func known(_ target: Target, _ row: UInt64) -> (any _ModelObject)? {
    let map: Int
    switch target {
    case .asked: return nil
    case .map(let number): map = number
    case .partner(let number):
      if !delegate.isUnchanged { return nil }
      map = number
    }
    guard RowNumber.leads(row), delegate.isSettled, let origin = table.originIfKnown(map),
      let object = origin.objects.object(row)
    else { return nil }
    let found = origin.model(object)
    return found._$state.flags.contains(.deleted) ? nil : found
  }

  override func standIn(_ object: any _ModelObject, _ property: Int) -> (any _ModelObject)? {
    session.accessor(.reading, object, property: property, otherwise: nil) {
      delegate.standIn(object, property, origin: self)
    }
  }

  override func lentMembers(_ object: any _ModelObject, _ property: Int) -> [any _ModelObject] {
    session.accessor(.reading, object, property: property, otherwise: []) {
      delegate.lentMembers(object, property, origin: self)
    }
  }

  /// Gives a property any value, because the context cannot be used. The object stays a fault, so
  /// the value is not kept.
  private func fillInstead(_ object: any _ModelObject, _ property: Int) {
    if object._$state.isLazy(property) {
      if object.makeValues(_ModelState.bit(property)) { return }
      object._$state.forgetLazy(_ModelState.bit(property))
      // It becomes a fault, unless changes would be lost.
      if object._$state.flags.isDisjoint(with: [.changed, .deleted, .gone]) { object._$state.flags.insert(.fault) }
    }
    guard case .value = map.type.properties[property].storage, !object._$isFilled(property) else { return }
    if !object._$fill(property, orEmpty: true) {
      table.fillWithAnything(object, map, wanted: _ModelState.bit(property))
    }
  }

  override func bring(_ object: any _ModelObject, _ property: Int, to other: any _ModelObject) {
    session.accessor(.inserting, object, property: property, otherwise: ()) { delegate.bring(object, to: other) }
  }

  override func objectGoes(row: UInt64, ticket: UInt32) { objects.remove(row, ticket) }

  /// The row's object, if there is one of this class.
  func known(_ row: UInt64) -> (any _ModelObject)? {
    guard let known = objects.object(row).map(model) else { return nil }
    return map.family == nil || known.entityMap?.isKind(of: map) == true ? known : nil
  }

  /// All objects, including those of other classes that share the entity.
  func all() -> [any _ModelObject] { objects.objects().map(model) }

  /// The row's object, made as a fault if there is none. The row must be of exactly this class.
  func object(_ row: UInt64) -> any _ModelObject {
    if let known = objects.object(row) { return model(known) }
    return make(row)
  }

  /// A fault for a row that has no object.
  func make(_ row: UInt64) -> any _ModelObject {
    let made = map.type.makeFault(row: row, origin: self)
    made._$state.ticket = objects.put(row, made)
    if table.marksNext() { made._$state.flags.insert(.observed) }
    return made
  }

  /// Casts an object of the map to the model class, without a look-up.
  func model(_ object: AnyObject) -> any _ModelObject { root.object(object) }
}

extension _ModelObject {
  package var entityMap: EntityMap? { (_$state.origin as? RowOrigin)?.map }
}
