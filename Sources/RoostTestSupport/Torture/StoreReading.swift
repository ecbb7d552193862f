internal import RoostBytes
package import RoostFile
package import RoostKV
package import RoostPages
package import RoostTrees

/// Reads a whole store through its public functions.
extension KeyValueStore {
  /// The commit number of the newest snapshot, and the digest that a ``Model`` of it would have.
  package func digest() throws -> (commit: UInt64, digest: UInt64) {
    try read { reader in
      var digest = Digest()
      for (name, descriptor) in try reader.catalog.all() {
        let text = String(decoding: name, as: UTF8.self)
        if descriptor.kind == .bytes {
          let tree = try reader.tree(text)
          digest.begin(name, isTable: false, count: tree.count)
          var seen = 0
          try tree.forEach { key, value in
            key.withUnsafeBytes { key in value.withUnsafeBytes { digest.add(key, $0) } }
            seen += 1
            return true
          }
          if seen != tree.count { throw WrongAnswer("\(text) has \(seen) entries and counts \(tree.count)") }
        } else {
          let table = try reader.table(text)
          digest.begin(name, isTable: true, count: table.count)
          var seen = 0
          try table.forEach { key, value in
            withUnsafeBytes(of: key.bigEndian) { key in value.withUnsafeBytes { digest.add(key, $0) } }
            seen += 1
            return true
          }
          if seen != table.count { throw WrongAnswer("\(text) has \(seen) entries and counts \(table.count)") }
        }
      }
      return (reader.commit, digest.state)
    }
  }

  /// The newest snapshot as a model.
  package func model() throws -> Model {
    try read { reader in try Model(reading: reader.catalog, reader.view) }
  }
}

extension Model {
  /// Reads a whole snapshot, even of a reader that is held long.
  package init(reading catalog: TreeCatalog, _ view: PageView) throws(StoreError) {
    self.init()
    for (name, descriptor) in try catalog.all() {
      var tree = Tree(isTable: descriptor.kind == .integers)
      if descriptor.kind == .bytes {
        var cursor = ByteCursor(ByteTree(descriptor.root, id: descriptor.id, view: view))
        var isThere = try cursor.first()
        while isThere {
          _ = tree.put([UInt8](cursor.key.bytes), try Self.bytes(cursor.value, view))
          isThere = try cursor.next()
        }
      } else {
        var cursor = IntegerCursor(IntegerTree(descriptor.root, id: descriptor.id, view: view))
        var isThere = try cursor.first()
        while isThere {
          _ = tree.put(Model.bytes(of: cursor.key), try Self.bytes(cursor.value, view))
          isThere = try cursor.next()
        }
      }
      trees[String(decoding: name, as: UTF8.self)] = tree
    }
  }

  private static func bytes(_ value: StoredValue, _ view: PageView) throws(StoreError) -> [UInt8] {
    guard value.isExtents else { return [UInt8](value.bytes) }
    guard let list = ExtentList(decoding: value.bytes) else {
      throw StoreError(.damaged, "a list of extents cannot be read")
    }
    return try view.readExtents(list)
  }

  /// A short description of the first difference to another model.
  package func difference(from other: Model) -> String {
    if names != other.names { return "trees \(names) where \(other.names) are right" }
    for name in names {
      guard let mine = trees[name], let right = other.trees[name], mine != right else { continue }
      if mine.isTable != right.isTable { return "\(name) is of the other kind" }
      if mine.count != right.count { return "\(name) has \(mine.count) entries where \(right.count) are right" }
      for index in mine.keys.indices {
        if mine.keys[index] != right.keys[index] { return "\(name): entry \(index) has another key" }
        if mine.values[index] != right.values[index] {
          return
            "\(name): entry \(index) has \(mine.values[index].count) bytes where other \(right.values[index].count) are right"
        }
      }
    }
    return "none"
  }
}

/// A snapshot that is held while the store is used further, with a copy for comparison.
package struct HeldReader {
  package let transaction: ReadTransaction
  package let frozen: Model

  package init(_ store: KeyValueStore, _ model: Model) throws(StoreError) {
    transaction = try store.store.beginRead()
    frozen = model
  }

  /// The error in the state that it sees now; nil if it is right.
  package func complaint() throws(StoreError) -> String? {
    let seen = try Model(reading: TreeCatalog(transaction.snapshot, view: transaction.view), transaction.view)
    if seen == frozen { return nil }
    return "a reader of commit \(transaction.snapshot.transaction) sees " + seen.difference(from: frozen)
  }

  package func release(_ store: KeyValueStore) { store.store.endRead(transaction) }
}
