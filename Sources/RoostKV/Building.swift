import RoostFile
import RoostPages
import RoostTrees

/// A tree under construction. While it stands, its transaction may be read but not changed.
@usableFromInline
final class Building {
  private enum Kind {
    case bytes(ByteTreeBuilder)
    case integers(IntegerTreeBuilder)
  }

  private let writer: Writer
  private let id: UInt32
  private let trunk: Forest.Trunk
  private let builder: Kind
  // Unchecked exclusivity: one thread builds, and nothing in here calls back while a field is being changed.
  @exclusivity(unchecked) private var through: WriteTransaction.Through
  @exclusivity(unchecked) private var count = 0

  init(_ writer: Writer, _ id: UInt32, _ trunk: Forest.Trunk, fill: Int) throws(StoreError) {
    try writer.beginBuilding()
    do throws(StoreError) {
      guard trunk.root.isEmpty else { throw StoreError(.alreadyExists, "the tree to be built is not empty") }
      through = try writer.transaction.beginThrough()
    } catch {
      writer.endBuilding()
      throw error
    }
    self.writer = writer
    self.id = id
    self.trunk = trunk
    switch trunk {
    case .bytes: builder = .bytes(ByteTreeBuilder(id: id, fill: fill, in: writer.transaction))
    case .integers: builder = .integers(IntegerTreeBuilder(id: id, fill: fill, in: writer.transaction))
    }
  }

  @usableFromInline
  func append(bytes key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
    guard case .bytes(let builder) = builder else { preconditionFailure("a table has no keys of bytes") }
    try builder.append(ByteKey(key), value)
    try appended()
  }

  @usableFromInline
  func append(number key: UInt64, _ value: UnsafeRawBufferPointer) throws {
    guard case .integers(let builder) = builder else { preconditionFailure("a tree has no keys that are numbers") }
    try builder.append(key, value)
    try appended()
  }

  private func appended() throws(StoreError) {
    count += 1
    try writer.transaction.continueThrough(&through)
  }

  /// Makes what was built the tree; returns how many entries it has.
  @usableFromInline
  func finish() throws -> Int {
    let (root, extents) =
      switch builder {
      case .bytes(let builder): try builder.finish()
      case .integers(let builder): try builder.finish()
      }
    let built = BuiltTree((try writer.transaction.endThrough(through, root), extents))
    guard built.give(to: trunk) else { preconditionFailure("the tree was changed while it was built") }
    writer.endBuilding()
    if count > 0 {
      try writer.change { () throws(StoreError) in try built.record(writer.transaction, id) }
    }
    return count
  }

  /// Leaves the tree empty, after an error.
  @usableFromInline
  func abandon() {
    guard writer.isBuilding else { return }
    writer.transaction.abandonThrough(through)
    writer.endBuilding()
  }
}

extension WritableTree {
  /// Fills an empty tree from entries whose keys ascend, in one pass: much faster than putting each, and the log holds
  /// only where the pages are.
  ///
  /// The transaction may be read meanwhile, but not changed. If an error is thrown, the tree stays empty; it is
  /// `unsortedKeys` where a key is not greater than the one before.
  ///
  /// - Parameter fill: how full pages get, in percent, 50 to 100; leave room where keys will come between.
  /// - Returns: how many entries there were.
  @discardableResult
  @inlinable
  public func build<Key: Bytes, Value: Bytes>(
    from entries: some Sequence<(Key, Value)>, fill: Int = 100
  ) throws -> Int {
    let building = try beginBuilding(fill: fill)
    do {
      for (key, value) in entries {
        try key.withBytes { key in try value.withBytes { value in try building.append(bytes: key, value) } }
      }
      return try building.finish()
    } catch {
      building.abandon()
      throw error
    }
  }
}

extension WritableTable {
  /// Fills an empty table from entries whose keys ascend, in one pass: much faster than putting each, and the log holds
  /// only where the pages are.
  ///
  /// The transaction may be read meanwhile, but not changed. If an error is thrown, the table stays empty; it is
  /// `unsortedKeys` where a key is not greater than the one before.
  ///
  /// - Parameter fill: how full pages get, in percent, 50 to 100; leave room where keys will come between.
  /// - Returns: how many entries there were.
  @discardableResult
  @inlinable
  public func build<Value: Bytes>(from entries: some Sequence<(UInt64, Value)>, fill: Int = 100) throws -> Int {
    let building = try beginBuilding(fill: fill)
    do {
      for (key, value) in entries {
        try value.withBytes { value in try building.append(number: key, value) }
      }
      return try building.finish()
    } catch {
      building.abandon()
      throw error
    }
  }
}
