internal import RoostBytes

/// That one row leads to another, and where it stands in the lists of both.
///
/// A label is a place in an order: it says nothing but which link comes before which. Where a side has no order it is 0.
struct Link: Hashable {
  var owner: RowID
  var target: RowID
  /// Where the target stands among the owner's.
  var forward: UInt64 = 0
  /// Where the owner stands among the target's.
  var backward: UInt64 = 0

  func row(_ isForward: Bool) -> RowID { isForward ? owner : target }
  func label(_ isForward: Bool) -> UInt64 { isForward ? forward : backward }
}

/// How the links of a relationship stand in their tree, so that they are found from both sides.
///
/// ## Layout
/// Rows are order-keeping numbers, labels u64 big-endian.
/// ```
/// 0  owner   [forward]   target  [backward, if only that side has an order]
/// 1  target  [backward]  owner   [forward, if only that side has an order]      value: [u64 forward, if both have one]
/// 2  owner   target  forward     value: u64 backward                            only if both sides have an order
/// ```
/// A key takes 35 bytes at the most.
struct LinkForm: Hashable {
  let isForwardOrdered: Bool
  let isBackwardOrdered: Bool

  func isOrdered(_ isForward: Bool) -> Bool { isForward ? isForwardOrdered : isBackwardOrdered }
  var hasPairs: Bool { isForwardOrdered && isBackwardOrdered }

  /// What all links of a row begin with.
  func prefix(_ row: RowID, _ isForward: Bool, key: inout ByteBuffer) {
    key.clear()
    key.append(isForward ? 0 : 1)
    KeyCoding.append(row: row, to: &key)
  }

  /// The key in a row's list.
  func key(_ link: Link, _ isForward: Bool, key: inout ByteBuffer) {
    prefix(link.row(isForward), isForward, key: &key)
    if isOrdered(isForward) { key.append(big: link.label(isForward)) }
    KeyCoding.append(row: link.row(!isForward), to: &key)
    if !isOrdered(isForward), isOrdered(!isForward) { key.append(big: link.label(!isForward)) }
  }

  /// What all links of two rows begin with.
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

  /// How many entries a link has.
  var entries: Range<UInt8> { 0..<(hasPairs ? 3 : 2) }

  /// Makes the key of one of a link's entries: that of the list forward, of the one back, or of the pair. Returns the label that
  /// is its value; nil where that is empty.
  func key(_ link: Link, entry: UInt8, _ key: inout ByteBuffer) -> UInt64? {
    if entry < 2 {
      self.key(link, entry == 0, key: &key)
      return entry == 1 && hasPairs ? link.forward : nil
    }
    pair(link.owner, link.target, key: &key)
    key.append(big: link.forward)
    return link.backward
  }

  /// Whether an entry has a label for its value, or nothing where it has none.
  static func holds(_ label: UInt64?, _ value: UnsafeRawBufferPointer) -> Bool {
    label == nil ? value.isEmpty : self.label(value) == label
  }

  /// The label that an entry has for its value.
  static func label(_ value: UnsafeRawBufferPointer) -> UInt64? {
    guard value.count == 8, let label = value.baseAddress?.u64(0), label < Labels.end else { return nil }
    return label
  }

  /// Reads a key of any of the three kinds with its value; nil where it is none. Of a forward key of a relationship with
  /// both orders the backward label stays 0.
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
  /// Makes the key the first one that no longer begins with what it is now.
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
