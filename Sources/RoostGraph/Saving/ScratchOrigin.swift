internal import RoostFile
internal import RoostRecords

/// The origin of a scratch object: the current row.
///
/// ## Invariants
/// 1. The slots of the properties in `filled` have the current row's values, or values that were
///    set since.
/// 2. The object's flags mark it as a fault, so that each accessor calls its origin.
final class ScratchOrigin: _Origin {
  let graph: LinkGraph
  fileprivate let map: EntityMap
  @exclusivity(unchecked) private var source: _RowSource
  private let large: LargeValues
  /// The transaction that relationships show; nil if they show the context's snapshot.
  private weak var view: TransactionView?
  @exclusivity(unchecked) private(set) var filled: UInt64 = 0
  /// The properties that were read in an earlier row, which are filled at once in the next one.
  @exclusivity(unchecked) var wanted: UInt64 = 0
  @exclusivity(unchecked) private(set) var changed: UInt64 = 0
  /// The values before the first change since ``takeChange(_:)``.
  private var before = EarlierValues()
  /// Whether there is a current row. After the last row an object's `deinit` may still read it.
  @exclusivity(unchecked) private var isAtRow = false
  private var refusal: SaveRefusal?
  private var resolveFailure: (any Error)?
  /// The last targets of references: neighbouring rows often reference the same row.
  private var led: [Int: any _ModelObject] = [:]

  init(_ map: EntityMap, _ graph: LinkGraph, showing view: TransactionView? = nil) {
    self.map = map
    self.graph = graph
    self.view = view
    large = LargeValues()
    source = _RowSource(RowFilling.nowhere, map.newest, large: large)
  }

  // The compiler would generate an initializer that calls itself.
  override init() { preconditionFailure("an origin is made for a map in a context") }

  /// The error of an unsupported change of the object, or of a read of the row.
  var failure: (any Error)? {
    if let refusal { return refusal }
    return resolveFailure ?? source.failure
  }

  func begin(_ row: Row, _ table: TableWriter, object: any _ModelObject) {
    large.table = table
    large.row = row.id
    // Rows that are written have the newest layout.
    source.begin(row.start, nil)
    isAtRow = true
    filled = wanted
    changed = 0
    if wanted != 0 { decode(object, wanted) }
  }

  /// Ends the current row.
  func leave() { isAtRow = false }

  /// Fills the properties that were not read.
  func fill(_ object: any _ModelObject) {
    decode(object, ~filled)
    filled = .max
  }

  private func decode(_ object: any _ModelObject, _ bits: UInt64) {
    if isAtRow { object._$decode(only: bits, from: &source) }
    if isAtRow, source.failure == nil { return }
    // A getter must have a value. A read error ends the whole write.
    var missing: UInt64 = 0
    for (number, property) in map.type.properties.enumerated() where bits & _ModelState.bit(number) != 0 {
      guard case .value = property.storage, !property.isByHand, !object._$isFilled(number) else { continue }
      if !object._$fill(number, orEmpty: true) { missing |= _ModelState.bit(number) }
    }
    if missing != 0 { graph.objects.fillWithAnything(object, map, wanted: missing) }
  }

  private func fill(_ object: any _ModelObject, _ property: Int) {
    let bit = _ModelState.bit(property)
    if filled & bit != 0 { return }
    decode(object, bit)
    filled |= bit
    wanted |= bit
  }

  fileprivate func refuse(_ code: GraphFault.Code, _ detail: String, object: any _ModelObject, property: Int?) {
    if refusal != nil { return }
    let property = property.map(map.type.propertyName)
    refusal = SaveRefusal(faults: [GraphFault(code, detail, name: graph.objects.name(object), property: property)])
  }

  private func relation(_ property: Int) -> Relation? { graph.store.relations[map.number][property] }

  // MARK: Accessors

  override func willRead(_ object: any _ModelObject, _ property: Int) {
    fill(object, property)
    guard isAtRow, let relation = relation(property), relation.isList, !object.many(property).isFilled,
      object._$state.flags.isDisjoint(with: .lent)
    else { return }
    var members: [AnyObject] = []
    note {
      if let view {
        for member in try view.targets(relation, of: object._$state.row) { members.append(member) }
        return
      }
      let reader = try graph.session.snapshot()
      guard let side = reader.catalog.relationship(relation.way.id) else { return }
      for row in try reader.links(side).rows(of: RowID(object._$state.row)) {
        if let member = try graph.member(relation.target, row.number) { members.append(member) }
      }
    }
    object.many(property).members = members
  }

  override func willWrite(_ object: any _ModelObject, _ property: Int) {
    if let relation = relation(property) {
      if view != nil {
        return refuse(
          .badValue,
          "validate(_:) cannot change a relationship after a merge or a bulk write: let it only read models",
          object: object, property: property)
      }
      switch relation.way {
      case .list:
        return refuse(
          .badValue, "a bulk update cannot change a to-many relationship: fetch the models, or set the other side",
          object: object,
          property: property)
      case .found:
        return refuse(
          .badValue, "the other side stores this relationship: set it there, or fetch the models", object: object,
          property: property)
      case .reference where relation.isOwnInverse:
        return refuse(
          .badValue, "both sides of this relationship change together: fetch the models", object: object,
          property: property)
      case .reference: break
      }
    }
    if view != nil, !map.type.computed.contains(property) { before.note(object, property) }
    let bit = _ModelState.bit(property)
    // Properties that share a bit are written together.
    if bit == 1 << 63 { fill(object, property) }
    filled |= bit
    changed |= bit
  }

  /// Whether the program changed values since the last call.
  func takeChange(_ object: any _ModelObject) -> Bool {
    exchange(&before, with: EarlierValues()).hasChanged(object)
  }

  override func didWrite(_ object: any _ModelObject, _ property: Int) {
    guard let relation = relation(property), case .reference = relation.way, !relation.isOwnInverse,
      let other = object.one(property).object.map({ graph.model($0, relation) })
    else { return }
    if let fault = graph.lacksRow(other, relation) {
      refuse(fault.code, fault.detail, object: object, property: property)
    }
  }

  override func resolve(_ object: any _ModelObject, _ property: Int, row: UInt64) -> (any _ModelObject)? {
    guard isAtRow, let relation = relation(property) else { return nil }
    if let last = led[property], last._$state.row == row, !last.isMarkedDeleted { return last }
    var found: (any _ModelObject)?
    note {
      if let view {
        if row == RowNumber.unknown {
          found = try view.targets(relation, of: object._$state.row).first
        } else if RowNumber.leads(row) {
          found = try view.object(row, graph.store.maps[relation.target])
        }
        return
      }
      var row = row
      if row == RowNumber.unknown {
        let reader = try graph.session.snapshot()
        guard let side = reader.catalog.relationship(relation.way.id) else { return }
        row = try reader.links(side).row(at: 0, of: RowID(object._$state.row))?.number ?? RowNumber.nothing
      }
      if RowNumber.leads(row) { found = try graph.live(relation.target, row) }
    }
    // The former object is released after the access.
    if let found { _ = led.updateValue(found, forKey: property) }
    return found
  }

  override var isScratch: Bool { true }

  override func readAll(_ object: any _ModelObject, links: [Int]) -> [[any _ModelObject]]? {
    fill(object)
    return links.map { property in
      guard let relation = relation(property) else { return [] }
      if relation.isList {
        willRead(object, property)
        return object.many(property).members?.map { graph.model($0, relation) } ?? []
      }
      let slot = object.one(property)
      if slot.row != 0 { return resolve(object, property, row: slot.row).map { [$0] } ?? [] }
      return slot.object.map { [graph.model($0, relation)] } ?? []
    }
  }

  override func standIn(_ object: any _ModelObject, _ property: Int) -> (any _ModelObject)? {
    guard let relation = relation(property) else { return nil }
    let row = object.one(property).row
    let target = graph.store.maps[relation.target]
    return graph.objects.deadObject(target, RowNumber.leads(row) ? RowID(row) : nil)
  }

  override func lentMembers(_ object: any _ModelObject, _ property: Int) -> [any _ModelObject] { [] }

  override func objectGoes(row: UInt64, ticket: UInt32) {}

  private func note(_ body: () throws -> Void) {
    do { try body() } catch { if resolveFailure == nil { resolveFailure = error } }
  }

  /// Reads the values that are stored outside the current row.
  private final class LargeValues: _RowSource.LargeValues {
    @exclusivity(unchecked) var table: TableWriter?
    @exclusivity(unchecked) var row = RowID(0)

    func bytes(of field: FieldID) throws(StoreError) -> [UInt8] {
      guard let table else { throw StoreError(.closed, "the closure of the bulk update has ended") }
      return try table.large(field, of: row)
    }
  }
}

extension LinkGraph {
  /// Why no row can reference an object; nil if one can.
  func lacksRow(_ object: any _ModelObject, _ relation: Relation) -> GraphFault? {
    let name = objects.name(object)
    guard let origin = object._$state.origin as? RowOrigin, origin.table === objects else {
      let isNew = object._$state.origin == nil
      return GraphFault(
        .foreign,
        isNew
          ? "it references an object of \(name.entity) that is in no context: insert and save that object first"
          : "it references \(name), which belongs to another context: fetch it here by its identifier", name: name)
    }
    let flags = object._$state.flags
    if flags.contains(.deleted) { return GraphFault(.deleted, "it references \(name), which is deleted", name: name) }
    if flags.contains(.inserted) {
      return GraphFault(.pendingChanges, "it references \(name), which is not saved yet: save it first", name: name)
    }
    if !origin.map.isKind(of: store.maps[relation.target]) {
      return GraphFault(
        .wrongModel, "it can only reference \(store.maps[relation.target].type.name), not \(name.entity)", name: name)
    }
    return nil
  }
}

extension _ModelObject {
  /// The store of a scratch object's row.
  package var scratchStore: GraphStore? { (_$state.origin as? ScratchOrigin)?.graph.store }

  /// The context whose bulk write or merge shows a scratch object.
  var scratchOwner: AnyObject? {
    (_$state.origin as? ScratchOrigin).map { $0.graph.objects.origin($0.map).owner }
  }

  /// Makes the write that shows a scratch object throw, because the program inserted the object.
  /// Returns whether it is a scratch object.
  package func refuseScratchInsertion() -> Bool {
    guard let origin = _$state.origin as? ScratchOrigin else { return false }
    origin.refuse(
      .badValue,
      "it cannot be inserted in a bulk write or in validate(_:), because its row exists: set its values there, or fetch "
        + "it afterwards", object: self, property: nil)
    return true
  }

  /// Makes the write that shows a scratch object throw, because the program deleted the object.
  package func refuseScratchDeletion() {
    (_$state.origin as? ScratchOrigin)?.refuse(
      .badValue, "it cannot be deleted in a bulk write or in validate(_:): delete it afterwards", object: self,
      property: nil)
  }
}
