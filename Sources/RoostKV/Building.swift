import RoostFile
import RoostPages
import RoostTrees

/// A tree under construction. Meanwhile its transaction may be read but not changed.
@usableFromInline
final class Building {
  private let writer: Writer
  private let id: UInt32
  private let trunk: Forest.Trunk
  private let transaction: WriteTransaction
  // Exactly one of the two is set.
  private let bytes: ByteTreeBuilder?
  private let numbers: IntegerTreeBuilder?
  private let through: WriteTransaction.Through
  // Unchecked exclusivity: one thread builds, and no access to a field calls other code.
  @exclusivity(unchecked) private var count = 0

  init(_ writer: Writer, _ id: UInt32, trunk: Forest.Trunk, fill: Int) throws(StoreError) {
    try writer.beginBuilding()
    do throws(StoreError) {
      guard trunk.root.isEmpty else { throw StoreError(.alreadyExists, "the tree to be built is not empty") }
      through = try writer.transaction.beginThrough()
    } catch {
      writer.endBuilding()
      throw error
    }
    self.writer = writer
    transaction = writer.transaction
    self.id = id
    self.trunk = trunk
    switch trunk {
    case .bytes: (bytes, numbers) = (ByteTreeBuilder(id: id, fill: fill, in: transaction), nil)
    case .integers: (bytes, numbers) = (nil, IntegerTreeBuilder(id: id, fill: fill, in: transaction))
    }
  }

  @usableFromInline
  func append(bytes key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
    guard let builder = bytes else { preconditionFailure("a table has integer keys, not byte keys") }
    try builder.append(ByteKey(key), value)
    try appended()
  }

  @usableFromInline
  func append(number key: UInt64, _ value: UnsafeRawBufferPointer) throws {
    guard let builder = numbers else { preconditionFailure("a tree has byte keys, not integer keys") }
    try builder.append(key, value)
    try appended()
  }

  private func appended() throws(StoreError) {
    count += 1
    try transaction.continueThrough()
  }

  /// Builds the tree: `body` appends all entries. Returns their number. After an error the tree is
  /// empty.
  @inlinable
  func run(_ body: () throws -> Void) throws -> Int {
    do {
      try body()
      return try finish()
    } catch {
      abandon()
      throw error
    }
  }

  /// Puts the built tree into place. Returns the number of its entries.
  @usableFromInline
  func finish() throws -> Int {
    let made = try bytes?.finish() ?? numbers?.finish()
    guard let (root, extents) = made else { preconditionFailure("a tree has no builder") }
    let built = BuiltTree((try transaction.endThrough(through, root), extents))
    guard built.give(to: trunk) else { preconditionFailure("the tree was changed while it was built") }
    writer.endBuilding()
    if count > 0 {
      try writer.change { () throws(StoreError) in try built.record(transaction, id) }
    }
    return count
  }

  /// Leaves the tree empty, after an error.
  @usableFromInline
  func abandon() {
    guard writer.isBuilding else { return }
    transaction.abandonThrough(through)
    writer.endBuilding()
  }
}

extension WritableTree {
  /// Fills an empty tree from entries with ascending keys, in one pass. This is much faster than
  /// putting each entry, and the log contains only the places of the pages.
  ///
  /// The transaction may be read meanwhile, but not changed. If an error is thrown, the tree stays
  /// as it was, and other changes of the transaction stay.
  ///
  /// - Parameters:
  ///   - entries: the keys and values, in the order of the keys.
  ///   - fill: how full pages get, in percent, 50 to 100. Leave room if keys will be inserted
  /// between.
  /// - Throws: `StoreError` with the code `alreadyExists` if the tree is not empty, `unsortedKeys`
  ///   if a key is not greater than the one before, `keyTooLong` or `valueTooLarge` for an entry
  ///   beyond the limits, `notFound` if the tree was dropped or rolled back, `nestedWrite` if
  ///   another build is running, `closed` if the transaction has ended, and `diskFull` or `ioError`
  ///   if pages cannot be written.
  /// - Returns: the number of entries.
  @discardableResult
  @inlinable
  public func build<Key: Bytes, Value: Bytes>(
    from entries: some Sequence<(Key, Value)>, fill: Int = 100
  ) throws -> Int {
    let building = try beginBuilding(fill: fill)
    return try building.run {
      for (key, value) in entries {
        try key.withBytes { key in try value.withBytes { value in try building.append(bytes: key, value) } }
      }
    }
  }
}

extension WritableTable {
  /// Fills an empty table from entries with ascending keys, in one pass. This is much faster than
  /// putting each entry, and the log contains only the places of the pages.
  ///
  /// The transaction may be read meanwhile, but not changed. If an error is thrown, the table stays
  /// as it was, and other changes of the transaction stay.
  ///
  /// - Parameters:
  ///   - entries: the keys and values, in the order of the keys.
  ///   - fill: how full pages get, in percent, 50 to 100. Leave room if keys will be inserted
  /// between.
  /// - Throws: `StoreError` with the code `alreadyExists` if the table is not empty, `unsortedKeys`
  ///   if a key is not greater than the one before, `valueTooLarge` for a value beyond the limit,
  ///   `notFound` if the table was dropped or rolled back, `nestedWrite` if another build is
  ///   running, `closed` if the transaction has ended, and `diskFull` or `ioError` if pages cannot
  ///   be written.
  /// - Returns: the number of entries.
  @discardableResult
  @inlinable
  public func build<Value: Bytes>(from entries: some Sequence<(UInt64, Value)>, fill: Int = 100) throws -> Int {
    let building = try beginBuilding(fill: fill)
    return try building.run {
      for (key, value) in entries { try value.withBytes { value in try building.append(number: key, value) } }
    }
  }
}
