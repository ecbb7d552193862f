internal import RoostBytes

/// A link between two rows, with its positions in the lists of both.
///
/// A label defines a position: links of a list are sorted by their labels, and the values have no
/// other meaning. On a side without order it is 0.
struct Link: Hashable {
  var owner: RowID
  var target: RowID
  /// The label in the owner's list.
  var forward: UInt64 = 0
  /// The label in the target's list.
  var backward: UInt64 = 0

  func row(_ isForward: Bool) -> RowID { isForward ? owner : target }
  func label(_ isForward: Bool) -> UInt64 { isForward ? forward : backward }
}

/// The keys of links in their tree, which find them from both sides.
///
/// ## Layout
/// Rows are order-keeping numbers, labels u64 big-endian.
/// ```
/// 0  owner   [forward]   target  [backward, if only that side has an order]
/// 1  target  [backward]  owner   [forward, if only that side has an order]      value: [u64 forward, if both have one]
/// 2  owner   target  forward     value: u64 backward                            only if both sides have an order
/// ```
/// A key has at most 35 bytes.
struct LinkForm: Hashable {
  let isForwardOrdered: Bool
  let isBackwardOrdered: Bool

  func isOrdered(_ isForward: Bool) -> Bool { isForward ? isForwardOrdered : isBackwardOrdered }
  var hasPairs: Bool { isForwardOrdered && isBackwardOrdered }

  /// Makes the common prefix of all links of a row.
  func prefix(_ row: RowID, _ isForward: Bool, key: inout ByteBuffer) {
    key.clear()
    key.append(isForward ? 0 : 1)
    KeyCoding.append(row: row, to: &key)
  }

  /// Makes the key in a row's list.
  func key(_ link: Link, _ isForward: Bool, key: inout ByteBuffer) {
    prefix(link.row(isForward), isForward, key: &key)
    if isOrdered(isForward) { key.append(big: link.label(isForward)) }
    KeyCoding.append(row: link.row(!isForward), to: &key)
    if !isOrdered(isForward), isOrdered(!isForward) { key.append(big: link.label(!isForward)) }
  }

  /// Makes the common prefix of all links between two rows.
  func pair(_ owner: RowID, _ target: RowID, key: inout ByteBuffer) {
    if hasPairs || !isForwardOrdered {
      key.clear()
      key.append(hasPairs ? 2 : 0)
      KeyCoding.append(row: owner, to: &key)
      KeyCoding.append(row: target, to: &key)
    } else {
      key.clear()
      key.append(1)
      KeyCoding.append(row: target, to: &key)
      KeyCoding.append(row: owner, to: &key)
    }
  }

  /// The entries of a link.
  var entries: Range<UInt8> { 0..<(hasPairs ? 3 : 2) }

  /// Makes the key of one of a link's entries: that of the owner's list (0), of the target's list
  /// (1), or of the pair (2). Returns the label that is its value; nil if the value is empty.
  func key(_ link: Link, entry: UInt8, _ key: inout ByteBuffer) -> UInt64? {
    if entry < 2 {
      self.key(link, entry == 0, key: &key)
      return entry == 1 && hasPairs ? link.forward : nil
    }
    pair(link.owner, link.target, key: &key)
    key.append(big: link.forward)
    return link.backward
  }

  /// Whether the value of an entry is this label, or empty if there is none.
  static func holds(_ label: UInt64?, _ value: UnsafeRawBufferPointer) -> Bool {
    label == nil ? value.isEmpty : self.label(value) == label
  }

  /// The label in the value of an entry.
  static func label(_ value: UnsafeRawBufferPointer) -> UInt64? {
    guard value.count == 8, let label = value.baseAddress?.u64(0), label < Labels.end else { return nil }
    return label
  }

  /// Decodes a key of any of the three kinds and its value; nil if they are invalid. If both sides
  /// have orders, a forward key has no backward label: it stays 0.
  func link(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Link? {
    guard let kind = key.first, let (first, width) = KeyCoding.row(in: key, at: 1) else { return nil }
    var at = 1 + width
    var labels: (UInt64, UInt64) = (0, 0)
    func label(_ at: inout Int) -> UInt64? {
      guard at + 8 <= key.count else { return nil }
      let found = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      at += 8
      return found < Labels.end ? found : nil
    }
    let isForward = kind != 1
    let isOwnFirst = kind < 2 && isOrdered(isForward)
    if isOwnFirst {
      guard let found = label(&at) else { return nil }
      labels.0 = found
    }
    guard let (second, width) = KeyCoding.row(in: key, at: at) else { return nil }
    at += width
    if kind == 2 {
      guard hasPairs, let found = label(&at), let other = Self.label(value) else { return nil }
      labels = (found, other)
    } else if !isOwnFirst, isOrdered(!isForward) {
      guard let found = label(&at) else { return nil }
      labels.1 = found
    } else if kind == 1, hasPairs {
      guard let other = Self.label(value) else { return nil }
      labels.1 = other
    }
    guard at == key.count, kind <= 2 else { return nil }
    return isForward
      ? Link(owner: first, target: second, forward: labels.0, backward: labels.1)
      : Link(owner: second, target: first, forward: labels.1, backward: labels.0)
  }
}

extension ByteBuffer {
  /// Changes the key to the smallest one that is greater than all keys with this prefix.
  mutating func goBehindPrefix() {
    var length = count
    while length > 0 {
      let byte = memory.u8(length - 1)
      if byte < 255 {
        memory.set8(length - 1, byte + 1)
        return cut(to: length)
      }
      length -= 1
    }
  }
}
