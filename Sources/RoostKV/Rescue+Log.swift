import RoostFile
import RoostPages
import RoostTrees

/// Carrying out the log on what was saved, as far as it is whole.
extension Rescue {
  func carryOutLog(_ fileSystem: any FileSystem) throws(StoreError) {
    var failed = 0
    var first: StoreError?
    let failure = try examination.readLog(fileSystem) { (kind, bytes) throws(StoreError) in
      guard kind >= Store.PieceKind.firstOfFloorAbove else { return }
      do throws(StoreError) {
        guard let kind = Replay.Kind(rawValue: kind) else { throw Replay.unreadable }
        try carryOut(kind, bytes)
      } catch {
        // What the new store cannot take is an error; what the log does not tell is a loss.
        guard error.isAboutSalvaged else { throw error }
        failed += 1
        first = first ?? error
      }
      try target.transaction.relieve()
    }
    if let first {
      lose(nil, StoreError(first.code, "\(failed) changes in the log cannot be replayed: \(first.detail)"))
    }
    if let failure { lose(nil, failure) }
  }

  private func carryOut(_ kind: Replay.Kind, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    var reader = PieceFields(bytes)
    switch kind {
    case .createTree, .createTable:
      try Replay.carryOut(kind, bytes, target.forest)
      note(try reader.tree(), [UInt8](reader.rest()))
    case .drop:
      try Replay.carryOut(kind, bytes, target.forest)
      forget([UInt8](reader.rest()))
    case .rename:
      try Replay.carryOut(kind, bytes, target.forest)
      _ = try reader.bytes()
      let name = [UInt8](reader.rest())
      if let tree = try target.forest.find(name) { note(tree.id, name) }
    case .putExtents:
      let id = try reader.tree()
      guard let tree = try target.forest.find(id: id), case .bytes(let draft) = tree.trunk else {
        throw Replay.unreadable
      }
      let key = [UInt8](try reader.bytes())
      if try !put(key, Self.outside(reader.rest()), in: draft, name(id)) {
        _ = try ByteKey.borrowing(key) { (key) throws(StoreError) in try draft.remove(key) }
      }
    case .putNumberExtents:
      let id = try reader.tree()
      guard let tree = try target.forest.find(id: id), case .integers(let draft) = tree.trunk else {
        throw Replay.unreadable
      }
      let key = try reader.number()
      if try !put(key, Self.outside(reader.rest()), in: draft, name(id)) { _ = try draft.remove(key) }
    case .adopt:
      let id = try reader.tree()
      guard reader.count == BuiltTree.byteCount, let tree = try target.forest.find(id: id) else {
        throw Replay.unreadable
      }
      try adopt(BuiltTree(reader.rest()), id, tree.trunk)
    default:
      try Replay.carryOut(kind, bytes, target.forest)
    }
  }

  private static func outside(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> StoredValue {
    guard let start = bytes.baseAddress, bytes.count <= ExtentList.largestEncoding else { throw Replay.unreadable }
    return StoredValue(start, UInt16(bytes.count) | Node.extentFlag)
  }

  /// Puts what a tree held that was built and only named in the log.
  private func adopt(_ built: BuiltTree, _ id: UInt32, _ trunk: Forest.Trunk) throws(StoreError) {
    switch trunk {
    case .bytes(let draft):
      try ByteTree(built.root, id: id, view: examination.view).survey(
        gap: {
          lose(name(id), StoreError(.damaged, $0.sentence, page: UInt64($0.page.place)), low: $0.low, high: $0.high)
        }
      ) { (key, value) throws(StoreError) in _ = try put(key, value, in: draft, name(id)) }
    case .integers(let draft):
      try IntegerTree(built.root, id: id, view: examination.view).survey(
        gap: {
          lose(
            name(id), StoreError(.damaged, $0.sentence, page: UInt64($0.page.place)), low: Self.bytes($0.low),
            high: $0.high.map(Self.bytes))
        }
      ) { (key, value) throws(StoreError) in _ = try put(key, value, in: draft, name(id)) }
    }
  }
}

extension StoreError {
  /// Whether the error tells that something was not in the log as expected.
  fileprivate var isAboutSalvaged: Bool {
    switch code {
    case .logDamaged, .alreadyExists, .notFound, .invalidName, .treeKindMismatch, .keyTooLong, .valueTooLarge: true
    default: false
    }
  }
}
