internal import RoostCare
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Replays the log of a key-value store over salvaged trees.
struct TreeLog: SalvagedLog {
  func carryOut(
    _ kind: UInt8, _ bytes: UnsafeRawBufferPointer, in rescue: Rescue
  ) throws(StoreError) {
    guard let kind = Replay.Kind(rawValue: kind) else { throw Replay.unreadable }
    let target = rescue.target
    var reader = PieceFields(bytes)
    switch kind {
    case .createTree, .createTable:
      try Replay.carryOut(kind, bytes, forest: target.forest)
      rescue.note(try reader.tree(), [UInt8](reader.rest()))
    case .drop:
      try Replay.carryOut(kind, bytes, forest: target.forest)
      rescue.forget([UInt8](reader.rest()))
    case .rename:
      try Replay.carryOut(kind, bytes, forest: target.forest)
      _ = try reader.bytes()
      let name = [UInt8](reader.rest())
      if let tree = try target.forest.find(name) { rescue.note(tree.id, name) }
    case .putExtents:
      let id = try reader.tree()
      guard let tree = try target.forest.find(id: id), case .bytes(let draft) = tree.trunk else {
        throw Replay.unreadable
      }
      let key = [UInt8](try reader.bytes())
      if try !rescue.put(key, Self.outside(reader.rest()), in: draft, name: rescue.name(id)) {
        _ = try ByteKey.borrowing(key) { (key) throws(StoreError) in try draft.remove(key) }
      }
    case .putNumberExtents:
      let id = try reader.tree()
      guard let tree = try target.forest.find(id: id), case .integers(let draft) = tree.trunk else {
        throw Replay.unreadable
      }
      let key = try reader.number()
      if try !rescue.put(key, Self.outside(reader.rest()), in: draft, name: rescue.name(id)) {
        _ = try draft.remove(key)
      }
    case .adopt:
      let id = try reader.tree()
      guard reader.count == BuiltTree.byteCount, let tree = try target.forest.find(id: id) else {
        throw Replay.unreadable
      }
      try adopt(BuiltTree(reader.rest()), id, trunk: tree.trunk, in: rescue)
    default:
      try Replay.carryOut(kind, bytes, forest: target.forest)
    }
  }

  private static func outside(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> StoredValue {
    guard let start = bytes.baseAddress, bytes.count <= ExtentList.largestEncoding else { throw Replay.unreadable }
    return StoredValue(start, UInt16(bytes.count) | Node.extentFlag)
  }

  /// Copies the entries of a built tree that the log only names.
  private func adopt(_ built: BuiltTree, _ id: UInt32, trunk: Forest.Trunk, in rescue: Rescue) throws(StoreError) {
    switch trunk {
    case .bytes(let draft):
      try ByteTree(built.root, id: id, view: rescue.examination.view).survey(
        gap: {
          rescue.lose(
            rescue.name(id), StoreError(.damaged, $0.sentence, page: UInt64($0.page.place)), low: $0.low, high: $0.high)
        }
      ) { (key, value) throws(StoreError) in _ = try rescue.put(key, value, in: draft, name: rescue.name(id)) }
    case .integers(let draft):
      try IntegerTree(built.root, id: id, view: rescue.examination.view).survey(
        gap: {
          rescue.lose(
            rescue.name(id), StoreError(.damaged, $0.sentence, page: UInt64($0.page.place)), low: Rescue.bytes($0.low),
            high: $0.high.map(Rescue.bytes))
        }
      ) { (key, value) throws(StoreError) in _ = try rescue.put(key, value, in: draft, name: rescue.name(id)) }
    }
  }
}
