internal import RoostFile
internal import RoostRecords

/// An object as it is or would be stored: its values and the targets of its relationships.
package struct ObjectImage {
  package var row: UInt64
  package var values: ValueImage
  /// By position among the class's relationships.
  package var links: [Link]
  /// By property, the error if its type rejects the stored value. Such a value is absent in
  /// `values`.
  package var refused: [Int: GraphFault] = [:]

  package enum Link {
    /// The relationship was not read.
    case absent
    case one(ObjectName?)
    case many([ObjectName])
  }
}

/// Reads rows without making objects.
extension LinkGraph {
  /// The images of rows as the context sees them, with unsaved changes. A row that does not exist
  /// has none.
  ///
  /// - Parameters:
  ///   - rows: the rows and the maps of their classes.
  ///   - lists: whether to read to-many relationships too.
  package func images(_ rows: [(map: EntityMap, row: UInt64)], lists: Bool) throws -> [ObjectImage?] {
    settle()
    if lists { try loadRows?(rows, true) }
    return try rows.map { try image($0.map, $0.row, lists: lists) }
  }

  private func image(_ map: EntityMap, _ row: UInt64, lists: Bool) throws -> ObjectImage? {
    if let known = objects.registered(map, RowID(row)) {
      if known._$state.flags.contains(.deleted) { return nil }
      if !known._$state.flags.isDisjoint(with: [.inserted, .changed]) {
        return try imageNow(known, lists: lists)
      }
    }
    if isDoomed(map.home, row) { return nil }
    let (origin, table) = (objects.origin(map), try session.table(map))
    var failure: (any Error)?
    var refused: [Int: any Error] = [:]
    var ownMap: EntityMap?
    var references: [(property: Int, row: UInt64?)] = []
    let values = try table.withRow(RowID(row)) { (found) throws(StoreError) -> ValueImage? in
      guard let own = self.objects.origin(origin, of: found) else { return nil }
      ownMap = own.map
      var source = _RowSource(
        found.start, own.map.rows[found.version], large: ObjectTable.LargeValuesOfRow(table: table, row: found.id))
      let form = ImageForm.of(own.map.type)
      for property in form.links {
        guard case .reference? = store.relations[own.map.number][property]?.way else { continue }
        references.append((property, source._isNull(property) ? nil : source._load(property, as: UInt64.self)))
      }
      var writer = ImageWriter(form)
      do { return try writer.take(&source, refused: &refused) } catch {
        failure = error
        return nil
      }
    }
    if let failure { throw failure }
    guard let values = values ?? nil, let ownMap else { return nil }
    var image = ObjectImage(row: row, values: values, links: [])
    for (property, error) in refused {
      image.refused[property] = objects.refusal(
        error, ObjectName(ownMap.type.name, row), property: property, map: ownMap)
    }
    let key = LinkKey(map: map.home, row: row, property: 0)
    image.links = try values.form.links.map { property in
      guard let relation = store.relations[ownMap.number][property] else { return .absent }
      if let (_, row) = references.first(where: { $0.property == property }) {
        return .one(
          try row.flatMap {
            isLeft(key.row, of: ownMap, relation: relation, by: $0) ? nil : try name($0, relation, isStored: true)
          })
      }
      let link = try link(key, nil, relation: relation, lists: lists)
      if case .one(let partner?) = link, isLeft(key.row, of: ownMap, relation: relation, by: partner.row) {
        return .one(nil)
      }
      return link
    }
    return image
  }

  /// The image of an object in the middle of a change of the context, with links to objects that
  /// are marked for deletion; nil if it cannot be read.
  package func imageAsItIs(of object: any _ModelObject) -> ObjectImage? {
    try? imageNow(object, lists: true, withDeleted: true)
  }

  /// The inverse property of a relationship, if any, and whether links are stored between the two.
  package func otherSide(_ object: any _ModelObject, _ property: Int) -> (property: Int?, isByLinks: Bool) {
    guard let origin = object._$state.origin as? RowOrigin, let relation = relation(origin, property) else {
      return (nil, false)
    }
    return (relation.inverse, relation.isByLinks)
  }

  /// Whether the other object's side determines a to-one relationship.
  package func followsOther(_ object: any _ModelObject, _ property: Int) -> Bool {
    guard let origin = object._$state.origin as? RowOrigin, let relation = relation(origin, property) else {
      return false
    }
    if case .found = relation.way { return true }
    return relation.isOwnInverse
  }

  func imageNow(_ object: any _ModelObject, lists: Bool, withDeleted: Bool = false) throws -> ObjectImage {
    let row = object._$state.row
    if let origin = object._$state.origin as? RowOrigin, object._$state.flags.contains(.fault) {
      objects.fill(object, origin)
    }
    objects.makeValues(object)
    let values = ValueImage(object)
    guard let origin = object._$state.origin as? RowOrigin else {
      return ObjectImage(row: row, values: values, links: values.form.links.map { _ in .absent })
    }
    let key = LinkKey(object, origin)
    let links = try values.form.links.map { property -> ObjectImage.Link in
      guard let relation = self.relation(origin, property) else { return .absent }
      return try link(key, object, relation: relation, lists: lists, withDeleted: withDeleted)
    }
    var image = ObjectImage(row: row, values: values, links: links)
    for (property, error) in object.refused {
      image.refused[property] = objects.refusal(error, objects.name(object), property: property, map: origin.map)
    }
    return image
  }

  private func link(
    _ key: LinkKey, _ object: (any _ModelObject)?, relation: Relation, lists: Bool, withDeleted: Bool = false
  ) throws -> ObjectImage.Link {
    if relation.isList {
      if !lists || isUnknown(key, relation) { return .absent }
      return .many(
        try rows(key, object, relation: relation).compactMap {
          try name($0, relation, isStored: object == nil, withDeleted: withDeleted)
        })
    }
    return .one(
      try rows(key, object, relation: relation).first.flatMap {
        try name($0, relation, isStored: object == nil, withDeleted: withDeleted)
      })
  }

  /// Whether the members of a list of a working set were not fetched from the backing store.
  private func isUnknown(_ key: LinkKey, _ relation: Relation) -> Bool {
    ledger.lists[LinkKey(map: key.map, row: key.row, property: relation.property)] == nil
      && objects.isUnlisted(objects.origin(store.maps[key.map]), key.row)
  }

  /// The name of a referenced row; nil if the row is marked for deletion or does not exist.
  ///
  /// - Parameters:
  ///   - row: the row.
  ///   - relation: the relationship.
  ///   - isStored: whether the reference was read from the snapshot, which has no reference to a
  ///     deleted row. An object may still have one.
  ///   - withDeleted: whether to name rows that are marked for deletion.
  private func name(
    _ row: UInt64, _ relation: Relation, isStored: Bool, withDeleted: Bool = false
  ) throws -> ObjectName? {
    guard RowNumber.leads(row) else { return nil }
    let home = store.maps[relation.home]
    if let known = objects.registered(home, RowID(row)) {
      if known._$state.flags.contains(.deleted), !withDeleted { return nil }
      return ObjectName(type(of: known)._$type.name, row)
    }
    let key = LinkKey(map: relation.home, row: row, property: 0)
    if deletions.doomed.contains(key) { return nil }
    if !isStored, try !session.table(home).contains(RowID(row)) { return nil }
    return ObjectName(home.family == nil ? home.type.name : objects.map(of: key).type.name, row)
  }

}

/// Objects that are in no identity map.
extension _ModelObject {
  /// The objects in each relationship of an object without a context, or of a scratch object, whose
  /// values are read too. They are ordered by position among the class's relationships.
  package func heldObjects() -> [[any _ModelObject]] {
    let form = ImageForm.of(Self._$type)
    if let shown = _$state.origin?.readAll(self, links: form.links) { return shown }
    var collector = HeldObjects(form)
    _$visit(&collector)
    return collector.found
  }

  /// Sets a property as its setter would, so that the object's context records the change.
  package func assign(_ property: Int, _ value: Any) {
    let type = Self._$type
    let isValue = ImageForm.of(type).linkPlaces[property] < 0
    let isFree = isValue ? _$state._isFree(property) : _$state._isFree
    if !isFree { _$willWrite(property) }
    if type.properties[property].isByHand {
      let box = _$box ?? _Box()
      box.set(type.keyPath(property), value)
      _$box = box
    } else {
      _$fill(property, with: value)
    }
    if !isFree { _$didWrite(property) }
  }
}

private struct HeldObjects: _SlotVisitor {
  let form: ImageForm
  var found: [[any _ModelObject]]

  init(_ form: ImageForm) {
    self.form = form
    found = form.links.map { _ in [] }
  }

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {
    if let object = slot.object, form.linkPlaces[property] >= 0 { found[form.linkPlaces[property]] = [object] }
  }

  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {
    if form.linkPlaces[property] >= 0 { found[form.linkPlaces[property]] = slot.members ?? [] }
  }
}

extension AnyCoder {
  /// Any value of the type, if the coder can make one.
  package var anyValue: Any? { madeUp }

  /// A value as an element of a collection; nil if it is of another type.
  package func elementBytes(any value: Any) -> [UInt8]? {
    var bytes = _ByteSink()
    return append(any: value, to: &bytes) && bytes.fault == nil ? [UInt8](bytes.bytes) : nil
  }

  package func value(any bytes: [UInt8]) -> Any? {
    bytes.withUnsafeBytes { memory in
      var source = _ByteSource(memory)
      return readAny(from: &source)
    }
  }
}
