internal import RoostBytes
internal import RoostFile

/// Makes the keys of an index with forms from rows of one layout.
///
/// The inspector calls the same functions with values: see ``Index/formKeys(_:)``.
struct FormKeys {
  private let index: Index
  /// The fields by part.
  private let slots: [Slot]

  init(_ index: Index, _ layout: Layout) {
    self.index = index
    // The catalog has checked that the fields exist.
    slots = index.parts.map { part in layout.slots[layout.members.firstIndex { $0.id == part.field }!] }
  }

  /// Makes the key of a row that has one entry.
  func make(
    _ row: UnsafeRawPointer, _ layout: Layout, key: inout ByteBuffer, outside: IndexKeys.Text
  ) throws(StoreError) {
    guard let only = try all(row, layout, outside: outside).first else { throw IndexWriter.damaged(index) }
    only.withUnsafeBytes { key.append(contentsOf: $0) }
  }

  /// All keys of a row, sorted and without duplicates.
  func all(
    _ row: UnsafeRawPointer, _ layout: Layout, outside: IndexKeys.Text
  ) throws(StoreError) -> [[UInt8]] {
    var values: [IndexValue] = []
    for slot in slots {
      let value = try Self.value(row, slot, layout: layout, outside: outside)
      guard let value else { throw IndexWriter.damaged(index) }
      values.append(IndexValue(value: value, type: slot.type, isOptional: slot.nullBit >= 0))
    }
    do throws(RecordFault) { return try index.formKeys(values) } catch { throw IndexWriter.damaged(index) }
  }

  private static func value(
    _ row: UnsafeRawPointer, _ slot: Slot, layout: Layout, outside: IndexKeys.Text
  ) throws(StoreError) -> Value? {
    guard slot.isVariable, !layout.isNull(row, slot), layout.bytes(row, slot).isOutside else {
      return layout.value(row, slot)
    }
    // Even a short value is stored outside the row if the other values fill the row.
    let whole = try outside(slot)
    return whole.withUnsafeBytes { Layout.value(outside: $0, as: slot.type) }
  }
}

/// The value that a row has in the field of one part of an index.
struct IndexValue {
  var value: Value
  var type: FieldType
  var isOptional: Bool
}

extension Index {
  /// The keys of a row with these values, one value for each part. They lack the row's number, and
  /// are sorted and without duplicates.
  func formKeys(_ values: [IndexValue]) throws(RecordFault) -> [[UInt8]] {
    var keys = [ByteString()]
    for (part, known) in zip(parts, values) {
      guard let type = part.form.type(of: known.type) else {
        throw RecordFault(.wrongType, "\(known.value.kind) has no place in an index")
      }
      if part.form.isMany {
        // Only one part has elements or keys, so there is only one prefix.
        guard let first = keys.first else { return [] }
        var found: [ByteString] = []
        for element in Form.several(of: known.value) {
          found.append(try first.appending(element, type, isOptional: false, part: part, most: textBytes))
        }
        keys = found
        continue
      }
      var value = Value.null
      if !known.value.isNull {
        guard let formed = part.form.applied(to: known.value) else {
          throw RecordFault(.wrongType, "\(known.value.kind) has no place in an index")
        }
        value = formed
      }
      for place in keys.indices {
        keys[place] = try keys[place].appending(
          value, type, isOptional: known.isOptional, part: part, most: textBytes)
      }
    }
    var distinct = keys.map(\.bytes)
    if distinct.count > 1 { distinct = Set(distinct).sorted { $0.lexicographicallyPrecedes($1) } }
    return distinct
  }
}

/// The bytes of a key that is being built.
private struct ByteString {
  var bytes: [UInt8] = []

  func appending(
    _ value: Value, _ type: FieldType, isOptional: Bool, part: Index.Part, most: Int
  ) throws(RecordFault) -> ByteString {
    var key = ByteBuffer(capacity: 64)
    if isOptional { key.append(value.isNull ? 0 : 1) }
    if !value.isNull {
      try KeyCoding.append(value, as: type, to: &key, cutBehind: most)
    } else if !isOptional {
      throw RecordFault(.missing, "nil, but a value is required")
    }
    if part.isDescending { key.complement(from: 0) }
    return ByteString(bytes: bytes + [UInt8](key.bytes))
  }
}
