internal import RoostBytes
package import RoostFile

/// The changes of one transaction, as the history stores them. The bytes are decoded on demand.
///
/// ## Layout
/// Numbers are varints, texts a varint length and UTF-8, lists a varint count and their elements.
/// ```
/// u8 1 (the form)   flags: 1 the catalog changed, 2 values of inserted rows and changed fields are there, 4 former entries are there
/// author
/// with flag 4: length of the former entries, and their bytes: see ``FormerEntries``
/// entities, ascending, to the end: number, length of what follows
///   kept: field, type           the fields whose values are stored with deleted rows
///   held: field, type           those whose values are stored with inserted and updated rows; none without flag 2
///   inserted: distance from the end of the run before, rows in the run (not 0); and the held values of each row
///   updated: list of fields, list of relationships, list of rows: distance from the one before; and for each row the
///     values of its held fields
///   deleted: distance from the row before, the kept values
/// value: u8 0 and its bytes as in a row, after a varint length if the type has no fixed width;
///   u8 1: nil;   u8 2 and its number of bytes: it was too large
/// ```
package struct HistoryEntry: Sendable {
  /// The most bytes of UTF-8 that an author may have.
  package static let mostAuthorBytes = 1024
  static let form: UInt8 = 1
  static let catalogFlag: UInt8 = 1
  static let fullFlag: UInt8 = 2
  static let formerFlag: UInt8 = 4

  package let author: String
  private let flags: UInt8
  /// The offset of the length of the former entries; 0 if there are none.
  private let formerPlace: UInt32
  private let bytes: [UInt8]
  private let sections: [(entity: EntityID, range: Range<Int>)]

  /// Decodes the head of an entry. The section of each entity is decoded later, by
  /// ``changes(of:_:)``.
  package init(decoding bytes: [UInt8]) throws(StoreError) { try self.init(decoding: bytes, 0..<bytes.count) }

  init(decoding bytes: [UInt8], _ range: Range<Int>) throws(StoreError) {
    self.bytes = bytes
    do {
      (author, flags, formerPlace, sections) = try bytes.withUnsafeBytes { bytes in
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[range]))
        guard try reader.byte() == Self.form else { throw ByteReader.Unreadable() }
        let flags = try reader.byte()
        let author = try reader.text()
        guard flags < 8, author.utf8.count <= Self.mostAuthorBytes else { throw ByteReader.Unreadable() }
        var formerPlace: UInt32 = 0
        if flags & Self.formerFlag != 0 {
          formerPlace = UInt32(truncatingIfNeeded: range.lowerBound + reader.position)
          _ = try reader.take(reader.number())
        }
        var sections: [(EntityID, Range<Int>)] = []
        while !reader.isAtEnd {
          let entity = EntityID(try reader.number())
          let count: UInt64 = try reader.number()
          let start = range.lowerBound + reader.position
          if let last = sections.last, last.0 >= entity { throw ByteReader.Unreadable() }
          sections.append((entity, start..<start + (try reader.take(count)).count))
        }
        return (author, flags, formerPlace, sections)
      }
    } catch { throw Self.unreadable }
  }

  static var unreadable: StoreError { StoreError(.damaged, "an entry of the history is unreadable") }

  package var isCatalogChanged: Bool { flags & Self.catalogFlag != 0 }
  /// Whether it has the values of inserted rows and of changed fields.
  package var isFull: Bool { flags & Self.fullFlag != 0 }

  /// The entities whose rows changed, ascending.
  package var entities: [EntityID] { sections.map(\.entity) }

  /// Calls `body` with each change of the entities in `wanted`, or of all if it is nil. Entities
  /// follow each other; each has its inserted rows first, then updated and deleted ones.
  package func changes(
    of wanted: Set<EntityID>? = nil, _ body: (RowsChange) throws -> Void
  ) throws {
    for (entity, range) in sections where wanted?.contains(entity) != false {
      do {
        try bytes.withUnsafeBytes { bytes in
          var section = HistorySection(
            entity, ByteReader(UnsafeRawBufferPointer(rebasing: bytes[range])), isFull: isFull)
          try section.visit(body)
        }
      } catch is ByteReader.Unreadable { throw Self.unreadable }
    }
  }

  /// Whether the transaction can be undone.
  package var canBeUndone: Bool { flags & Self.formerFlag != 0 }

  /// The former entries of the trees; nil if the transaction cannot be undone.
  package var formerBytes: ArraySlice<UInt8>? {
    guard canBeUndone else { return nil }
    return bytes.withUnsafeBytes { all in
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: all[Int(formerPlace)...]))
      guard let count: UInt64 = try? reader.number(), count <= UInt64(reader.left) else { return nil }
      let start = Int(formerPlace) + reader.position
      return bytes[start..<start + Int(count)]
    }
  }

  /// Calls `body` with the former entries of each tree.
  func formerTrees(_ body: (FormerTree) throws -> Void) throws {
    guard let former = formerBytes else { return }
    do {
      try former.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
          let name = try reader.data()
          try body(FormerTree(name: name, entries: reader.take(reader.number())))
        }
      }
    } catch is ByteReader.Unreadable { throw Self.unreadable }
  }

  /// Throws if the former entries are unreadable.
  func checkFormer() throws(StoreError) {
    do { try formerTrees { tree in try tree.check() } } catch let error as StoreError { throw error } catch {
      throw Self.unreadable
    }
  }

  /// The changes of these entities as a list.
  package func changes(of wanted: Set<EntityID>? = nil) throws -> [RowsChange] {
    var all: [RowsChange] = []
    try changes(of: wanted) { all.append($0) }
    return all
  }
}

/// A change of one row or of a run of inserted rows.
package struct RowsChange: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case insert, update, delete }

  package var kind: Kind
  package var entity: EntityID
  /// One row, or the first and the last of a run of inserted rows without stored values.
  package var rows: ClosedRange<UInt64>
  /// The changed fields of an update.
  package var fields: [FieldID] = []
  package var relationships: [UInt32] = []
  /// The kept values of a deleted row; with full history also those of an inserted row, or of the
  /// changed fields.
  package var values: [Kept] = []

  package var row: RowID { RowID(rows.lowerBound) }

  package struct Kept: Hashable, Sendable {
    package var field: FieldID
    package var type: FieldType
    package var content: Content
  }

  package enum Content: Hashable, Sendable {
    case value(Value)
    /// The value was too large to be kept; this is its number of bytes.
    case tooLarge(UInt64)
  }
}

/// Decodes the section of one entity. It checks everything, because the bytes may be damaged.
struct HistorySection {
  private typealias Column = (field: FieldID, type: FieldType)

  private let entity: EntityID
  private var reader: ByteReader
  private let isFull: Bool

  init(_ entity: EntityID, _ reader: ByteReader, isFull: Bool) {
    self.entity = entity
    self.reader = reader
    self.isFull = isFull
  }

  mutating func visit(_ body: (RowsChange) throws -> Void) throws {
    let kept = try columns()
    let held = try columns()
    guard isFull || held.isEmpty else { throw ByteReader.Unreadable() }
    try inserted(held, body)
    try updated(held, body)
    try deleted(kept, body)
    guard reader.isAtEnd else { throw ByteReader.Unreadable() }
  }

  private mutating func columns() throws -> [Column] {
    try reader.list { reader in (FieldID(try reader.number()), try reader.type()) }
  }

  /// The number of elements that follow, each of at least one byte.
  private mutating func count() throws -> UInt64 {
    let count: UInt64 = try reader.number()
    guard count <= UInt64(reader.left) else { throw ByteReader.Unreadable() }
    return count
  }

  private static func sum(_ one: UInt64, _ other: UInt64) throws -> UInt64 {
    let (sum, overflows) = one.addingReportingOverflow(other)
    if overflows { throw ByteReader.Unreadable() }
    return sum
  }

  private mutating func inserted(_ held: [Column], _ body: (RowsChange) throws -> Void) throws {
    var end: UInt64 = 0
    for _ in 0..<(try count()) {
      let first = try Self.sum(end, reader.number())
      let rows: UInt64 = try reader.number()
      guard rows > 0 else { throw ByteReader.Unreadable() }
      end = try Self.sum(first, rows)
      if held.isEmpty {
        try body(RowsChange(kind: .insert, entity: entity, rows: first...end - 1))
        continue
      }
      // Each row reads at least one byte, so the loop ends with an error if the count is too large.
      for row in first..<end {
        try body(RowsChange(kind: .insert, entity: entity, rows: row...row, values: try held.map { try value($0) }))
      }
    }
  }

  private mutating func updated(_ held: [Column], _ body: (RowsChange) throws -> Void) throws {
    let types = Dictionary(held.map { ($0.field, $0.type) }) { first, _ in first }
    for _ in 0..<(try count()) {
      let fields = try reader.list { reader in FieldID(try reader.number()) }
      let relationships: [UInt32] = try reader.list { reader in try reader.number() }
      let columns: [Column] = fields.compactMap { id in types[id].map { (id, $0) } }
      var row: UInt64 = 0
      for _ in 0..<(try count()) {
        row = try Self.sum(row, reader.number())
        try body(
          RowsChange(
            kind: .update, entity: entity, rows: row...row, fields: fields, relationships: relationships,
            values: try columns.map { try value($0) }))
      }
    }
  }

  private mutating func deleted(_ kept: [Column], _ body: (RowsChange) throws -> Void) throws {
    var row: UInt64 = 0
    for _ in 0..<(try count()) {
      row = try Self.sum(row, reader.number())
      try body(
        RowsChange(kind: .delete, entity: entity, rows: row...row, values: try kept.map { try value($0) }))
    }
  }

  private mutating func value(_ column: Column) throws -> RowsChange.Kept {
    let content: RowsChange.Content
    switch try reader.byte() {
    case 0:
      let found: Value?
      if let width = column.type.width {
        let bytes = try reader.take(UInt64(width))
        found = bytes.baseAddress.map { FixedCoding.read($0, as: column.type) }
      } else {
        found = ElementCoding.decode(try reader.take(reader.number()), as: column.type)
      }
      guard let found else { throw ByteReader.Unreadable() }
      content = .value(found)
    case 1: content = .value(.null)
    case 2: content = .tooLarge(try reader.number())
    default: throw ByteReader.Unreadable()
    }
    return RowsChange.Kept(field: column.field, type: column.type, content: content)
  }
}
