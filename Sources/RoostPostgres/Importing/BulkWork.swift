#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// One chunk of an import: which rows are copied, and which stored rows change.
  ///
  /// New rows are sent with `COPY`. One round trip finds the rows that the store has already, and
  /// statements change them.
  /// Foreign keys are tested at the commit, so the order of the tables does not matter.
  struct BulkWork {
    let store: PostgresStore
    let chunk: BulkChunk
    var classes: [BulkClass] = []
    private var classPlaces: [ObjectIdentifier: Int] = [:]
    /// By row of the chunk.
    var lines: [Line] = []
    /// The references of all lines, each with its place in the list of the row that it references.
    var slots: [Slot] = []
    var pairs: [SaveWork.LinkKey: Pair] = [:]
    var moves: [Move] = []
    /// Stored rows whose links are replaced by those of the chunk.
    var replaced: [LinkSide: Set<UUIDNumber>] = [:]
    /// By column of a one-to-one relationship, the last line that references each row.
    var partners: [PartnerColumn: [RowKey: Int]] = [:]
    /// By table, the rows of earlier transactions that the chunk names, with the names of their classes.
    var there: [[RowKey: String]]
    var faults: [(row: Int, fault: ImportFault, because: Int?)] = []
    var missing: [(row: Int, property: Int, place: Int)] = []
    /// The numbers of the statements that set late references, and the numbers of these references.
    var lateStatements: [Int] = []
    var lateNumbers: Set<Int> = []

    struct Line {
      var place: Int
      var key: RowKey
      /// The number of its first reference in `slots`.
      var start: Int
      var values: ValueImage
      var state = State.new
      /// For a stored row, the columns that change.
      var columns: [Int] = []

      enum State: Equatable {
        case new, updated, kept
        /// Its row is that of another line of the chunk.
        case same(Int, isKept: Bool)
      }
    }

    struct Slot {
      var target: UUIDNumber?
      /// The place in the other row's list; negative if it has none.
      var place: Int64 = -1
      /// Whether the chunk sets the reference, even to nil.
      var isSaid = false
    }

    /// A link between two rows.
    struct Pair {
      var firstPlace: Int64?
      var secondPlace: Int64?
      /// Whether one of the rows is new, so that no such link is stored.
      var isNew: Bool
    }

    /// A side of a table of links, in one zone.
    struct LinkSide: Hashable {
      var link: Int
      var isFirst: Bool
      var zone: String
    }

    /// A column of a one-to-one relationship.
    struct PartnerColumn: Hashable {
      var table: Int
      var column: Int
    }

    /// A stored row that references a row of the chunk from now on.
    struct Move {
      var table: Int
      var column: Int
      var placeColumn: Int?
      var key: RowKey
      var target: UUIDNumber
      var place: Int64
    }

    init(_ store: PostgresStore, _ chunk: BulkChunk) {
      self.store = store
      self.chunk = chunk
      there = store.tables.tables.map { _ in [:] }
    }

    /// Decides what happens to each row. If rows are refused, nothing is sent.
    mutating func prepare() throws {
      lines.reserveCapacity(chunk.rows.count)
      for row in chunk.rows {
        let place = try place(of: row.values.form.type)
        lines.append(
          Line(place: place, key: RowKey("", store.keys.next()), start: slots.count, values: row.values))
        for _ in 0..<classes[place].slotCount { slots.append(Slot()) }
      }
      for at in lines.indices {
        if store.zones[classes[lines[at].place].table] == nil { continue }
        do { lines[at].key = RowKey(try zone(at, depth: 0), lines[at].key.key) } catch let fault as ImportFault {
          refuse(at, fault)
        }
      }
      try meet()
      try relate()
    }

    mutating func refuse(_ row: Int, _ fault: ImportFault, because other: Int? = nil) {
      faults.append((row, fault, other))
    }

    /// The refused rows with their errors. A row is left out if it only repeats unique values of a
    /// refused row: without that row it may be stored.
    var refused: [(row: Int, fault: ImportFault)] {
      var refused = faults.filter { $0.because == nil }.map { ($0.row, $0.fault) }
      var rows = Set(refused.map(\.0))
      for (row, fault, because) in faults {
        guard let because, !rows.contains(because), rows.insert(row).inserted else { continue }
        refused.append((row, fault))
      }
      return refused
    }

    private mutating func place(of type: _ModelType) throws -> Int {
      if let known = classPlaces[ObjectIdentifier(type)] { return known }
      classes.append(try BulkClass(type, store.tables))
      classPlaces[ObjectIdentifier(type)] = classes.count - 1
      return classes.count - 1
    }

    func shape(_ at: Int) -> Table { store.tables.tables[classes[lines[at].place].table] }

    func name(_ at: Int, _ property: Int) -> String {
      let type = classes[lines[at].place].type
      return "\(type.name).\(type.propertyName(property))"
    }

    func field(_ at: Int, _ property: Int) -> String { classes[lines[at].place].type.propertyName(property) }

    // MARK: Zones

    private func zone(_ at: Int, depth: Int) throws -> String {
      let kind = classes[lines[at].place]
      guard let rule = store.zones[kind.table], let property = kind.kind.properties[rule.member] else { return "" }
      let fault = ImportFault(
        .missing, "\(name(at, property)) tells the zone, and is nil or references itself in a circle",
        field: field(at, property)
      )
      let place = kind.kind.form.linkPlaces[property]
      if place < 0 {
        guard let zone = lines[at].values.value(of: property)?.zoneText else { throw fault }
        return zone
      }
      guard case .one(let target?) = chunk.rows[at].links[place], depth < 32 else { throw fault }
      switch target {
      case .row(let row): return try zone(row, depth: depth + 1)
      case .earlier(let key): return key.zone
      case .stored(let identifier):
        guard let key = RowKey(identifier) else { throw fault }
        return key.zone
      }
    }

    // MARK: Results

    /// The line whose row a line shares.
    func root(_ at: Int) -> Int {
      var at = at
      while case .same(let other, _) = lines[at].state { at = other }
      return at
    }

    var result: BulkStored {
      var stored = BulkStored()
      stored.rows.reserveCapacity(lines.count)
      for (at, line) in lines.enumerated() {
        let state: BulkStored.State =
          switch line.state {
          case .new: .inserted
          case .updated, .same(_, isKept: false): .updated
          case .kept, .same(_, isKept: true): .kept
          }
        let key = lines[root(at)].key
        stored.rows.append((BulkKey(zone: key.zone, key: key.key), state))
      }
      stored.missing = missing
      return stored
    }
  }

  extension RowKey {
    init(_ key: BulkKey) { self.init(key.zone, key.key) }
  }
#endif
