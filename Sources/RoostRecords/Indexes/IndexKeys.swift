internal import RoostBytes
internal import RoostFile

/// Makes the keys of rows of the newest layout for one index.
final class IndexKeys {
  private let isUnique: Bool
  private let parts: UnsafeMutablePointer<Part>
  private let partCount: Int
  /// The number of bytes after which this index cuts a text.
  private let textBytes: Int
  /// Nil if all rows have entries.
  private let tests: RowTests?
  /// Nil if all parts are values of fields.
  private let forms: FormKeys?
  /// Whether a row may have several entries: see ``makeAll(_:_:outside:)``.
  let hasElements: Bool

  /// A part of the key.
  private struct Part {
    var place: FieldPlace
    var kind: KeyKind
    var isDescending: Bool
    /// The index of the field in the layout.
    var field: Int
  }

  /// The kind of key that `make` made for a row.
  enum Stand {
    case outside
    /// The key is the values alone.
    case alone
    /// The key needs the row's number after the values.
    case shared
    /// As `shared`, because a text was cut. Only a comparison of whole values tells whether another
    /// row has the same ones.
    case cut
  }

  init(_ index: Index, _ layout: Layout) {
    isUnique = index.isUnique
    // The catalog has checked that the fields exist.
    func place(_ id: FieldID) -> Int { layout.members.firstIndex { $0.id == id }! }
    partCount = index.parts.count
    textBytes = index.textBytes
    parts = .allocate(capacity: max(partCount, 1))
    for (number, part) in index.parts.enumerated() {
      let field = place(part.field)
      let slot = layout.slots[field]
      (parts + number).initialize(
        to: Part(
          place: FieldPlace(slot, in: layout), kind: KeyKind(slot.type), isDescending: part.isDescending, field: field))
    }
    tests = index.tests.isEmpty ? nil : RowTests(index, layout)
    forms = index.hasForms ? FormKeys(index, layout) : nil
    hasElements = index.hasElements
  }

  deinit { parts.deallocate() }

  /// Reads the bytes of a variable field, in the row or outside.
  typealias Text = (Slot) throws(StoreError) -> [UInt8]

  /// Makes a row's key without its number; nil if values outside the row are needed.
  ///
  /// It must count no references, because it runs for every index of every row.
  func make(_ row: UnsafeRawPointer, _ key: inout ByteBuffer) -> Stand? {
    if forms != nil { return nil }
    if let tests {
      guard let isInside = tests.admits(row) else { return nil }
      if !isInside { return .outside }
    }
    key.clear()
    var stand = isUnique ? Stand.alone : .shared
    var number = 0
    while number < partCount {
      if append(parts[number], row, whole: nil, key: &key, stand: &stand) { return nil }
      number &+= 1
    }
    return stand
  }

  /// Makes the key of any row, without its number.
  func make(
    _ row: UnsafeRawPointer, _ layout: Layout, key: inout ByteBuffer, outside: Text
  ) throws(StoreError) -> Stand {
    key.clear()
    if let tests, try !tests.admits(row, outside: outside) { return .outside }
    if let forms {
      try forms.make(row, layout, key: &key, outside: outside)
      return .shared
    }
    var stand = isUnique ? Stand.alone : .shared
    for number in 0..<partCount {
      let part = parts[number]
      let start = key.count
      guard append(part, row, whole: nil, key: &key, stand: &stand) else { continue }
      key.cut(to: start)
      let whole = try outside(layout.slots[part.field])
      whole.withUnsafeBytes { _ = append(part, row, whole: $0, key: &key, stand: &stand) }
    }
    return stand
  }

  /// Appends a part of a row's key. Returns true if its value is outside the row and was not given.
  @inline(__always)
  private func append(
    _ part: Part, _ row: UnsafeRawPointer, whole: UnsafeRawBufferPointer?, key: inout ByteBuffer,
    stand: inout Stand
  ) -> Bool {
    let start = key.count
    let isNull = part.place.isNull(row)
    if part.place.isOptional { key.append(isNull ? 0 : 1) }
    if isNull {
      stand = .shared
    } else if part.place.kind == .variable {
      let (bytes, isOutside) = part.place.variable(row)
      if isOutside, whole == nil { return true }
      append(isOutside ? whole ?? bytes : bytes, part.kind, key: &key)
      if stand == .alone, key.memory.u8(key.count &- 1) == 254 { stand = .cut }
    } else {
      KeyCoding.appendFixed(part.place.fixed(row), as: part.kind, to: &key)
    }
    if part.isDescending { key.complement(from: start) }
    return false
  }

  @inline(__always)
  private func append(_ bytes: UnsafeRawBufferPointer, _ kind: KeyKind, key: inout ByteBuffer) {
    if kind == .data {
      KeyCoding.append(data: bytes, to: &key, cutBehind: textBytes)
    } else {
      KeyCoding.append(text: bytes, to: &key, cutBehind: textBytes)
    }
  }

  /// The keys of a row in an index of elements, without the row's number, sorted and without
  /// duplicates.
  func makeAll(
    _ row: UnsafeRawPointer, _ layout: Layout, outside: Text
  ) throws(StoreError) -> [[UInt8]] {
    guard let forms else { return [] }
    if let tests, try !tests.admits(row, outside: outside) { return [] }
    return try forms.all(row, layout, outside: outside)
  }
}
