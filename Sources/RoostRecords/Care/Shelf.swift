internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// The trees of one entity. Reads rows without trusting their bytes.
struct Shelf {
  let entity: Entity
  let layouts: [Layout]
  var rows: IntegerTree
  let large: ByteTree
  let indexes: [(Index, ByteTree)]
  /// The number of the next row.
  var next: UInt64 = 1
  private let accesses: [FieldAccess]
  private let places: [FieldID: Int]

  init(_ entity: Entity, rows: IntegerTree, large: ByteTree, indexes: [(Index, ByteTree)]) {
    self.entity = entity
    self.rows = rows
    self.large = large
    self.indexes = indexes
    let layouts = StoredSchema.layouts(entity)
    self.layouts = layouts
    accesses = entity.fields.map { FieldAccess($0, layouts) }
    places = Dictionary(entity.fields.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
  }

  /// The error in a row.
  struct Complaint: Error {
    var sentence: String
  }

  /// A row's values for the present fields of its entity.
  typealias Values = [Value]

  func value(_ field: FieldID, _ values: Values) -> Value { places[field].map { values[$0] } ?? .null }

  /// The layout under which a row was written.
  func layout(of row: UnsafeRawBufferPointer) -> Layout? {
    guard let version = Layout.version(of: row), Int(version) < layouts.count else { return nil }
    let layout = layouts[Int(version)]
    return layout.admits(row) ? layout : nil
  }

  func row(_ id: RowID) throws(StoreError) -> [UInt8]? { try rows.value(of: id.number) }

  func contains(_ id: RowID) throws(StoreError) -> Bool {
    rows.view.slot.enter()
    defer { rows.view.slot.leave() }
    return try rows.find(id.number) != nil
  }

  /// All values of a row, or the first error in it.
  func values(_ id: RowID, _ row: UnsafeRawBufferPointer) throws(StoreError) -> Result<Values, Complaint> {
    guard let layout = layout(of: row), let start = row.baseAddress else {
      return .failure(Complaint(sentence: "the row is unreadable"))
    }
    var values: Values = []
    for access in accesses {
      switch try value(access, id, layout: layout, start: start) {
      case .success(let value): values.append(value)
      case .failure(let complaint): return .failure(complaint)
      }
    }
    return .success(values)
  }

  /// The fields of a row whose values are unreadable; nil if the whole row is.
  func unreadable(_ id: RowID, _ row: UnsafeRawBufferPointer) throws(StoreError) -> [FieldID]? {
    guard let layout = layout(of: row), let start = row.baseAddress else { return nil }
    var found: [FieldID] = []
    for access in accesses {
      if case .failure = try value(access, id, layout: layout, start: start) { found.append(access.field.id) }
    }
    return found
  }

  /// Whether a row of an older layout names a lost large value of a removed field. No reader reads
  /// it, but a change of the row removes it.
  func lacksStray(_ id: RowID, _ row: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
    guard let layout = layout(of: row), let start = row.baseAddress else { return false }
    for (member, slot) in zip(layout.members, layout.slots) where slot.isVariable && places[member.id] == nil {
      if layout.isNull(start, slot) || !layout.bytes(start, slot).isOutside { continue }
      if try largeValue(id, member.id) == nil { return true }
    }
    return false
  }

  /// The row to which a reference refers; nil if it is nil or unreadable.
  func reference(_ field: FieldID, of id: RowID) throws(StoreError) -> RowID? {
    guard let place = places[field], let bytes = try row(id) else { return nil }
    let access = accesses[place]
    let result = bytes.withUnsafeBytes { row -> Result<RowID?, StoreError> in
      do throws(StoreError) {
        guard let layout = layout(of: row), let start = row.baseAddress,
          case .success(.reference(let target)) = try value(access, id, layout: layout, start: start)
        else { return .success(nil) }
        return .success(target)
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func value(
    _ access: FieldAccess, _ id: RowID, layout: Layout, start: UnsafeRawPointer
  ) throws(StoreError) -> Result<Value, Complaint> {
    let place = access.places[Int(layout.version)]
    if place.kind == .missing || place.isNull(start) {
      let isEmpty = place.kind != .missing && access.field.isOptional
      return .success(isEmpty ? .null : access.initial)
    }
    if place.kind == .fixed { return .success(FixedCoding.read(place.fixed(start), as: access.field.type)) }
    let (bytes, isOutside) = place.variable(start)
    let found: Value?
    if isOutside {
      guard let whole = try largeValue(id, access.field.id) else {
        return .failure(Complaint(sentence: "the large value of \(access.field.name) is missing"))
      }
      guard UInt64(whole.count) == bytes.baseAddress?.u64(0) else {
        return .failure(Complaint(sentence: "the large value of \(access.field.name) has another length"))
      }
      found = whole.withUnsafeBytes { ElementCoding.decode($0, as: access.field.type) }
    } else {
      found = ElementCoding.decode(bytes, as: access.field.type)
    }
    guard let found else { return .failure(Complaint(sentence: "the value of \(access.field.name) is unreadable")) }
    return .success(found)
  }

  private func largeValue(_ id: RowID, _ field: FieldID) throws(StoreError) -> [UInt8]? {
    try LargeValue.find(id, field, in: large)
  }

  /// The length that a row names for a value that is stored outside it.
  func largeLength(of field: FieldID, _ row: UnsafeRawBufferPointer) -> UInt64? {
    guard let layout = layout(of: row), let start = row.baseAddress,
      let at = layout.members.firstIndex(where: { $0.id == field }), layout.slots[at].isVariable,
      !layout.isNull(start, layout.slots[at])
    else { return nil }
    let (bytes, isOutside) = layout.bytes(start, layout.slots[at])
    return isOutside ? bytes.baseAddress?.u64(0) : nil
  }

  /// The key of a row in an index.
  struct Standing {
    /// Whether the values must be unique. Otherwise the key ends with the row's number.
    var isAlone: Bool
    /// Whether a text was cut in a unique index, so that rows with other values may have the same
    /// key.
    var isCut: Bool
    /// The number of key bytes that are values.
    var valueBytes: Int
  }

  /// Makes the keys of a row in an index from its values, and calls `body` with each. There are
  /// none if the row does not belong in the index.
  func keys(
    _ index: Index, _ id: RowID, values: Values, key: inout ByteBuffer,
    body: (Standing, UnsafeRawBufferPointer) -> Void
  ) throws(RecordFault) {
    for test in index.tests {
      guard test.alternatives.contains(where: { $0.admits(value($0.fields.first ?? FieldID(0), values)) }) else {
        return
      }
    }
    if index.hasForms {
      let known = index.parts.compactMap { part in
        entity.field(part.field).map {
          IndexValue(value: value(part.field, values), type: $0.type, isOptional: $0.isOptional)
        }
      }
      for bytes in try index.formKeys(known) {
        key.clear()
        bytes.withUnsafeBytes { key.append(contentsOf: $0) }
        KeyCoding.append(row: id, to: &key)
        body(Standing(isAlone: false, isCut: false, valueBytes: bytes.count), key.bytes)
      }
    } else if let standing = try valueKey(index, id, values: values, key: &key) {
      body(standing, key.bytes)
    }
  }

  /// Makes the key of a row in an index without forms.
  private func valueKey(
    _ index: Index, _ id: RowID, values: Values, key: inout ByteBuffer
  ) throws(RecordFault) -> Standing? {
    key.clear()
    var (isShared, isCut) = (!index.isUnique, false)
    for part in index.parts {
      guard let field = entity.field(part.field) else { return nil }
      let value = value(part.field, values)
      let start = key.count
      if field.isOptional { key.append(value.isNull ? 0 : 1) }
      if value.isNull {
        isShared = true
      } else {
        try KeyCoding.append(value, as: field.type, to: &key, cutBehind: index.textBytes)
        if field.type.width == nil, key.bytes.last == 254 { isCut = true }
      }
      if part.isDescending { key.complement(from: start) }
    }
    let standing = Standing(
      isAlone: !isShared && !isCut, isCut: !isShared && isCut, valueBytes: key.count)
    if !standing.isAlone { KeyCoding.append(row: id, to: &key) }
    return standing
  }
}
