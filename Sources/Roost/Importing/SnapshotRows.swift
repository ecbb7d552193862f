internal import RoostRecords

/// The rows of the snapshots of an import, by the identifiers that they had in this or another
/// store.
struct SnapshotRows: ReferenceFinder {
  /// The store of the import.
  private let store: String
  private var rows = IdentifierMap<UInt64>()

  /// The entries of the current chunk, and the entries that they replaced.
  private var newest: [(identifier: PersistentIdentifier, before: UInt64?)] = []

  init(store: String) { self.store = store }

  mutating func beginChunk() { newest.removeAll(keepingCapacity: true) }

  /// Removes the entries of a chunk that was not stored, because other rows may get its row
  /// numbers.
  mutating func undoChunk() {
    for (identifier, before) in newest.reversed() { rows[identifier] = before }
    newest = []
  }

  mutating func note(_ identifier: PersistentIdentifier, _ row: RowID) {
    newest.append((identifier, rows[identifier]))
    rows[identifier] = row.number
  }

  func row(_ identifier: PersistentIdentifier) -> UInt64? { rows[identifier] }

  // MARK: References that wait

  /// Returns the key of an identifier, under which a reference waits.
  static func key(_ identifier: PersistentIdentifier) -> String {
    let last =
      switch identifier.key {
      case .row(let number): "r\(number)"
      case .temporary(let number): "t\(number)"
      case .text, .uuid: "x" + (identifier.key.text ?? "")
      }
    return [identifier.store.map { "s" + $0 } ?? "", identifier.entityName, last].joined(separator: "\u{0}")
  }

  /// Returns the key of a row of this store.
  func key(_ row: RowID, _ relationship: Relationship) -> String? {
    Self.key(PersistentIdentifier(store: store, entity: "@\(relationship.target.number)", .row(row.number)))
  }

  private static func identifier(_ key: String) -> PersistentIdentifier? {
    let parts = key.split(separator: "\u{0}", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let kind = parts[2].first else { return nil }
    let rest = parts[2].dropFirst()
    let last: PersistentIdentifier.Key? =
      switch kind {
      case "r": UInt64(rest).map { .row($0) }
      case "t": UInt64(rest).map { .temporary($0) }
      default: .text(String(rest))
      }
    let store = parts[0].isEmpty ? nil : String(parts[0].dropFirst())
    return last.map { PersistentIdentifier(store: store, entity: String(parts[1]), $0) }
  }

  /// Returns the text of a key for a report.
  static func words(_ key: String) -> String { identifier(key).map { "\($0)" } ?? key }

  func row(_ key: String, _ relationship: Relationship, reader: RecordReader) throws -> RowID? {
    guard let identifier = Self.identifier(key) else { return nil }
    if let known = row(identifier) { return RowID(known) }
    guard case .row(let row) = identifier.key, identifier.store == store,
      try reader.table(relationship.target).contains(RowID(row))
    else { return nil }
    return RowID(row)
  }
}
