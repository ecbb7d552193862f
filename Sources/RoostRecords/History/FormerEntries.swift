internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// The entries of the trees of rows, large values and links that a transaction replaced, so that it can be undone.
///
/// It finds them by comparing the trees before and after. So the code that changes rows need not
/// note them.
///
/// ## Layout
/// ```
/// for each changed tree, ascending by name:   name, length of its entries, its entries
/// entry of a tree of rows:                    distance from the row before, former value
/// entry of another tree:                      how many bytes the key shares with the key before, its other bytes, former value
/// former value:                               0 if there was no entry; else its length + 1, and its bytes
/// name, other bytes:                          a varint length, and the bytes
/// ```
enum FormerEntries {
  /// The kinds of trees, by the first letter of their names.
  static let (rows, large, links) = (UInt8(ascii: "r"), UInt8(ascii: "v"), UInt8(ascii: "l"))

  /// The entries that the transaction has replaced so far.
  static func bytes(_ forest: Forest) throws(StoreError) -> [UInt8] {
    var out = ByteWriter()
    for (name, former) in try forest.changedTrees() {
      guard let kind = name.first, kind == rows || kind == large || kind == links else { continue }
      guard let tree = try forest.find(name) else { continue }
      let (root, id) = (former?.root ?? .empty, former?.id ?? tree.id)
      var entries = ByteWriter()
      switch tree.trunk {
      case .integers(let draft):
        var last: UInt64 = 0
        try draft.tree.difference(from: IntegerTree(root, id: id, view: draft.tree.view)) { key, value in
          entries.number(key - last)
          entries.former(value)
          last = key
        }
      case .bytes(let draft):
        var last: [UInt8] = []
        try draft.tree.difference(from: ByteTree(root, id: id, view: draft.tree.view)) { key, value in
          let shared = zip(last, key).prefix { $0 == $1 }.count
          entries.number(UInt64(shared))
          entries.data(Array(key[shared...]))
          entries.former(value)
          last = key
        }
      }
      if entries.bytes.isEmpty { continue }
      out.data(name)
      out.data(entries.bytes)
    }
    return out.bytes
  }
}

/// The former entries of one tree, read from an entry of the history.
struct FormerTree {
  let name: [UInt8]
  let entries: UnsafeRawBufferPointer

  /// The number of the entity or relationship, which follows the letter.
  func number() throws -> UInt32 {
    guard let number = String(validating: name.dropFirst(), as: UTF8.self).flatMap(UInt32.init) else {
      throw ByteReader.Unreadable()
    }
    return number
  }

  /// Throws if anything is unreadable.
  func check() throws {
    _ = try number()
    switch name.first {
    case FormerEntries.rows: try forEachRow { _, _ in }
    case FormerEntries.large:
      try forEachKey { key, _ in if LargeKey(key) == nil { throw ByteReader.Unreadable() } }
    case FormerEntries.links: try forEachKey { _, _ in }
    default: throw ByteReader.Unreadable()
    }
  }

  /// Visits the entries of a tree of rows.
  func forEachRow(_ body: (UInt64, UnsafeRawBufferPointer?) throws -> Void) throws {
    var reader = ByteReader(entries)
    var last: UInt64 = 0
    while !reader.isAtEnd {
      let (row, overflows) = last.addingReportingOverflow(try reader.number())
      if overflows { throw ByteReader.Unreadable() }
      try body(row, reader.former())
      last = row
    }
  }

  /// Visits the entries of any other tree.
  func forEachKey(_ body: ([UInt8], UnsafeRawBufferPointer?) throws -> Void) throws {
    var reader = ByteReader(entries)
    var key: [UInt8] = []
    while !reader.isAtEnd {
      let shared: UInt64 = try reader.number()
      guard shared <= UInt64(key.count) else { throw ByteReader.Unreadable() }
      key.removeLast(key.count - Int(shared))
      key += try reader.data()
      guard key.count <= Limits.keyBytes else { throw ByteReader.Unreadable() }
      try body(key, reader.former())
    }
  }
}

extension ByteWriter {
  fileprivate mutating func former(_ value: [UInt8]?) {
    guard let value else { return number(UInt64(0)) }
    number(UInt64(value.count) + 1)
    value.withUnsafeBytes { plain($0) }
  }
}

extension ByteReader {
  fileprivate mutating func former() throws -> UnsafeRawBufferPointer? {
    let length: UInt64 = try number()
    return length == 0 ? nil : try take(length - 1)
  }
}
