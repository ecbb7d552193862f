internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Reads and writes a value that is too large for its row.
///
/// A value of 985 to 3,936 bytes is cut into pieces of 984 bytes; the last one may be shorter. Four pieces fill a leaf, so
/// texts of 2,000 bytes share pages. In one entry, such a value would take a page of its own. All other values are one
/// entry, and so is each value that versions 1 and 2 of the file format wrote.
///
/// ## Invariants
/// 1. The pieces of a value have the numbers 0, 1, 2, … without a gap.
/// 2. Each piece but the last has 984 bytes, and is stored in its leaf.
enum LargeValue {
  static let pieceBytes = 984
  static let mostPieces = 4

  /// How many entries a value of this size has.
  static func pieces(of byteCount: Int) -> Int {
    byteCount > mostPieces * pieceBytes ? 1 : max(1, (byteCount + pieceBytes - 1) / pieceBytes)
  }

  /// The bytes of a value; nil if it is missing.
  static func find(_ row: RowID, _ field: FieldID, in tree: ByteTree) throws(StoreError) -> [UInt8]? {
    let first = try LargeKey.with(row, field) { (key) throws(StoreError) in try tree.value(of: key) }
    guard var bytes = first, bytes.count == pieceBytes else { return first }
    bytes.reserveCapacity(mostPieces * pieceBytes)
    for piece in 1..<mostPieces {
      let count = try LargeKey.with(row, field, piece: piece) { (key) throws(StoreError) in
        try tree.withValue(of: key) { part in
          bytes.append(contentsOf: part)
          return part.count
        }
      }
      if count != pieceBytes { break }
    }
    return bytes
  }

  /// The bytes of a value that its row names.
  static func read(_ row: RowID, _ field: FieldID, in tree: ByteTree) throws(StoreError) -> [UInt8] {
    guard let found = try find(row, field, in: tree) else {
      throw StoreError(.damaged, "the large value of field \(field.number) of row \(row.number) is missing")
    }
    return found
  }

  /// Stores a value.
  /// - Parameter isNew: whether the row had no large value in this field before.
  static func put(
    _ bytes: [UInt8], row: RowID, field: FieldID, in draft: ByteTreeDraft, isNew: Bool
  ) throws(StoreError) {
    let count = pieces(of: bytes.count)
    if count == 1 {
      try LargeKey.with(row, field) { (key) throws(StoreError) in _ = try draft.put(key, bytes) }
    } else {
      for piece in 0..<count {
        let part = bytes[piece * pieceBytes..<min((piece + 1) * pieceBytes, bytes.count)]
        try LargeKey.with(row, field, piece: piece) { (key) throws(StoreError) in
          var result: Result<Void, StoreError> = .success(())
          part.withUnsafeBytes { part in
            do throws(StoreError) { try draft.put(key, part) } catch { result = .failure(error) }
          }
          try result.get()
        }
      }
    }
    if !isNew { try removePieces(from: count, row: row, field: field, in: draft) }
  }

  /// Stores a value that is written to its extents already.
  static func put(
    _ list: ExtentList, row: RowID, field: FieldID, in draft: ByteTreeDraft, isNew: Bool
  ) throws(StoreError) {
    try LargeKey.with(row, field) { (key) throws(StoreError) in _ = try draft.put(key, extents: list) }
    if !isNew { try removePieces(from: 1, row: row, field: field, in: draft) }
  }

  /// Removes a value; false if it is missing.
  static func remove(_ row: RowID, _ field: FieldID, from draft: ByteTreeDraft) throws(StoreError) -> Bool {
    try removePieces(from: 1, row: row, field: field, in: draft)
    return try LargeKey.with(row, field) { (key) throws(StoreError) in try draft.remove(key) }
  }

  /// Removes the pieces from a number on. It looks for each number, because a damaged file may lack one.
  private static func removePieces(
    from first: Int, row: RowID, field: FieldID, in draft: ByteTreeDraft
  ) throws(StoreError) {
    for piece in first..<mostPieces {
      _ = try LargeKey.with(row, field, piece: piece) { (key) throws(StoreError) in try draft.remove(key) }
    }
  }
}

/// Adds up the pieces of large values during a walk over their tree.
struct LargeValueSum {
  /// What a piece is in the walk.
  enum Step {
    case first, next
    /// A piece without the piece before.
    case stray
  }

  private(set) var row = RowID(0)
  private(set) var field = FieldID(0)
  private(set) var byteCount: UInt64 = 0
  private var next = 0
  private var isOpen = false

  /// Adds an entry.
  mutating func add(_ key: LargeKey, byteCount added: UInt64) -> Step {
    if key.piece > 0 {
      guard isOpen, key.row == row, key.field == field, key.piece == next else { return .stray }
      byteCount += added
    } else {
      (row, field, byteCount) = (key.row, key.field, added)
    }
    next = key.piece + 1
    isOpen = added == UInt64(LargeValue.pieceBytes)
    return key.piece > 0 ? .next : .first
  }
}
