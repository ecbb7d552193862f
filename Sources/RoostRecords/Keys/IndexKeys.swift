internal import RoostBytes
internal import RoostFile

/// Makes the keys that rows of the newest layout have in one index.
struct IndexKeys {
  let index: Index
  private let slots: [Slot]
  private let tests: [(slot: Slot, test: Index.Test)]

  /// What `make` found about a row.
  enum Stand {
    case outside
    /// The key is the values alone.
    case alone
    /// The key needs the row's number behind the values.
    case shared
    /// The same, because a text was cut: only whoever compares whole values knows whether they are another row's too.
    case cut
  }

  init(_ index: Index, _ layout: Layout) {
    self.index = index
    func slot(_ id: FieldID) -> Slot {
      // The catalog has checked that the fields are there.
      layout.slots[layout.members.firstIndex { $0.id == id }!]
    }
    slots = index.parts.map { slot($0.field) }
    tests = index.tests.map { (slot($0.field), $0) }
  }

  /// Reads the bytes of a variable field, wherever they stand.
  typealias Text = (Slot) throws(StoreError) -> [UInt8]

  /// Makes a row's key, without its number.
  func make(
    _ row: UnsafeRawPointer, _ layout: Layout, _ key: inout ByteBuffer, _ outside: Text
  ) throws(StoreError) -> Stand {
    key.clear()
    for (slot, test) in tests {
      switch test {
      case .isNull: if !layout.isNull(row, slot) { return .outside }
      case .isNotNull: if layout.isNull(row, slot) { return .outside }
      case .equals(_, let value): if try self.value(row, slot, layout, outside) != value { return .outside }
      }
    }
    var isShared = !index.isUnique
    var isCut = false
    for (part, slot) in zip(index.parts, slots) {
      let start = key.count
      if slot.nullBit >= 0 {
        let isNull = layout.isNull(row, slot)
        key.append(isNull ? 0 : 1)
        if isNull {
          isShared = true
          if part.isDescending { key.complement(from: start) }
          continue
        }
      }
      if slot.isVariable {
        let (bytes, isOutside) = layout.bytes(row, slot)
        if isOutside {
          let whole = try outside(slot)
          whole.withUnsafeBytes { append($0, slot.type, &key) }
        } else {
          append(bytes, slot.type, &key)
        }
        if key.memory.u8(key.count - 1) == 254 { isCut = true }
      } else {
        KeyCoding.appendFixed(row + slot.position, as: slot.type, to: &key)
      }
      if part.isDescending { key.complement(from: start) }
    }
    return isShared ? .shared : isCut ? .cut : .alone
  }

  private func value(
    _ row: UnsafeRawPointer, _ slot: Slot, _ layout: Layout, _ outside: Text
  ) throws(StoreError) -> Value? {
    guard slot.isVariable, !layout.isNull(row, slot), layout.bytes(row, slot).isOutside else {
      return layout.value(row, slot)
    }
    // A short text too stands outside where the row's others left it no room.
    let whole = try outside(slot)
    return whole.withUnsafeBytes { Layout.value(outside: $0, as: slot.type) }
  }

  private func append(_ bytes: UnsafeRawBufferPointer, _ type: FieldType, _ key: inout ByteBuffer) {
    if type == .data {
      KeyCoding.append(data: bytes, to: &key, cutBehind: index.textBytes)
    } else {
      KeyCoding.append(text: bytes, to: &key, cutBehind: index.textBytes)
    }
  }
}
