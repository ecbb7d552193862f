#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostQuery
  internal import RoostRecords

  /// One save: which rows are written, and by which statements.
  ///
  /// The order is: updates of rows that stop referencing deleted rows, so that no rule of the
  /// database deletes them too; then the deletions, so that new rows can have the unique values of
  /// old ones; then the other rows.
  struct SaveWork {
    let store: PostgresStore
    let request: DataStoreSaveChangesRequest<DefaultSnapshot>
    /// The permanent identifiers of new models.
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    var rows: [RowChange] = []
    var deleted: [(table: Int, key: RowKey, version: Int64)] = []
    /// The places in lists that rows store themselves.
    var places: [PlaceKey: Int64] = [:]
    var links: [LinkKey: LinkChange] = [:]
    /// The error message for a statement that fails with a division by zero, by the statement's
    /// number. Tests in SQL fail in this way.
    var checks: [Int: String] = [:]

    /// A row that is written.
    struct RowChange {
      var table: Int
      var key: RowKey
      var content: SnapshotContent
      /// The stored row; nil for a new row.
      var known: KnownRow?
      /// Whether a new object became this stored row, and the store knew nothing of the row before.
      var isMet = false
      /// The columns that change; all of them for a new row.
      var columns: [Int] = []
      var newPlaces: [TableClass.Member: [UUIDNumber: Int64]] = [:]
    }

    private struct RowPlace: Hashable {
      var table: Int
      var key: RowKey
    }

    struct PlaceKey: Hashable {
      var table: Int
      var column: Int
      var key: RowKey
    }

    struct LinkKey: Hashable {
      var link: Int
      var zone: String
      var first: UUIDNumber
      var second: UUIDNumber
    }

    struct LinkChange {
      var isRemoved = false
      var isNew = false
      var firstPlace: Int64?
      var secondPlace: Int64?
    }

    init(_ store: PostgresStore, _ request: DataStoreSaveChangesRequest<DefaultSnapshot>) {
      self.store = store
      self.request = request
    }

    func name(_ content: SnapshotContent, _ property: Int) -> String {
      "\(content.type.name).\(content.type.propertyName(property))"
    }

    /// The number of a content's table, and its class there.
    func place(_ content: SnapshotContent) throws -> (table: Int, kind: TableClass) {
      let (table, place) = try store.tables.place(content.type)
      return (table, store.tables.tables[table].classes[place])
    }

    // MARK: Preparing

    mutating func prepare() throws {
      for snapshot in request.deleted {
        guard let (table, key) = store.place(snapshot.persistentIdentifier) else { continue }
        deleted.append((table, key, store.known(table, key)?.version ?? 0))
      }
      let inserted = request.inserted.map(\.content)
      let fresh = Dictionary(inserted.map { ($0.identifier, $0) }) { first, _ in first }
      for content in inserted {
        let table = try place(content).table
        // An earlier save was committed, but its answer was lost.
        if let saved = store.landed[content.identifier], let (table, key) = store.place(saved),
          let known = store.known(table, key)
        {
          remapped[content.identifier] = saved
          rows.append(RowChange(table: table, key: key, content: content, known: known))
          continue
        }
        let key = RowKey(try zone(content, fresh), store.keys.next())
        remapped[content.identifier] = store.identifier(content.type, key)
        rows.append(RowChange(table: table, key: key, content: content))
      }
      try meetTwins()
      var met = Set(rows.filter { $0.known != nil }.map { RowPlace(table: $0.table, key: $0.key) })
      for snapshot in request.updated {
        guard let (table, key) = store.place(snapshot.persistentIdentifier) else {
          throw RoostError(
            .foreign, "\(snapshot.persistentIdentifier.entityName) to save does not belong to this store")
        }
        guard let known = store.known(table, key) else {
          throw RoostError(.conflict, "\(snapshot.content.type.name) \(key.text) was deleted by another program")
        }
        let zone = try zone(snapshot.content, fresh, stored: key)
        if zone != key.zone {
          throw RoostError(
            .badValue,
            "\(snapshot.content.type.name) \(key.text) would move to the zone '\(zone)', and a stored object stays in its zone: "
              + "roll back, or delete it and insert a new one")
        }
        // The row was merged with a new object that has its unique values, or the save contains the
        // object twice.
        if !met.insert(RowPlace(table: table, key: key)).inserted { continue }
        rows.append(RowChange(table: table, key: key, content: snapshot.content, known: known))
      }
      for at in rows.indices { try resolve(at) }
      for at in rows.indices { try compareLists(at) }
      for at in rows.indices { rows[at].columns = try changedColumns(rows[at]) }
    }

    /// The zone of an object. `key` is the key of a stored object: it stays in its zone if it has
    /// lost the object that determines the zone.
    func zone(
      _ content: SnapshotContent, _ fresh: [PersistentIdentifier: SnapshotContent], stored key: RowKey? = nil
    ) throws -> String {
      let (table, kind) = try place(content)
      guard let rule = store.zones[table], let property = kind.properties[rule.member] else { return "" }
      if let key, !content.isPresent(property) { return key.zone }
      if case .value = rule.member {
        if let zone = content.values.value(of: property)?.zoneText { return zone }
        throw RoostError(
          .badValue,
          "\(name(content, property)) tells the zone, and is nil or has a NUL character: give it a value, then save again"
        )
      }
      guard case .one(let target?)? = content.link(property) else {
        if let key { return key.zone }
        throw RoostError(
          .badValue, "\(name(content, property)) tells the zone, and is nil: set it to an object, then save again")
      }
      if let other = fresh[target] { return try zone(other, fresh) }
      guard let (_, found) = store.place(target) else {
        throw RoostError(.foreign, "\(name(content, property)) references an object that does not belong to this store")
      }
      return found.zone
    }

    /// Puts permanent identifiers into a content's relationships.
    mutating func resolve(_ at: Int) throws {
      let content = rows[at].content
      func lasting(_ identifier: PersistentIdentifier, _ property: Int) throws -> PersistentIdentifier {
        let found = remapped[identifier] ?? identifier
        guard let (_, key) = store.place(found) else {
          throw RoostError(
            .foreign, "\(name(content, property)) references a \(found.entityName) that does not belong to this store")
        }
        if key.zone != rows[at].key.zone {
          throw RoostError(
            .badValue,
            "\(name(content, property)) of an object in the zone '\(rows[at].key.zone)' references a \(found.entityName) in the "
              + "zone '\(key.zone)', and relationships stay in a zone: remove it from there, then save again")
        }
        return found
      }
      let properties = try place(content).kind.form.links
      rows[at].content.links = try zip(content.links, properties).map { link, property in
        switch link {
        case .absent: .absent
        case .one(let one): .one(try one.map { try lasting($0, property) })
        case .many(let many): .many(try many.map { try lasting($0, property) })
        }
      }
      rows[at].content.identifier = store.identifier(content.type, rows[at].key)
    }

    /// Computes the new places of the members of changed lists.
    mutating func compareLists(_ at: Int) throws {
      let row = rows[at]
      for (property, member) in try place(row.content).kind.members.enumerated() {
        guard let member, case .many(let list)? = row.content.link(property) else { continue }
        let before = row.known?.content.link(property)
        if before == .many(list) { continue }
        let keys = list.compactMap { store.place($0)?.key.key }
        let old = row.known?.places[member] ?? [:]
        let changes = ListPlaces.changes(keys, from: old)
        let kept = Set(keys)
        var now = old.filter { kept.contains($0.key) }
        for (key, place) in changes { now[key] = place }
        rows[at].newPlaces[member] = now
        switch member {
        case .list(let other, _, let column):
          for (key, place) in changes {
            places[PlaceKey(table: other, column: column, key: RowKey(row.key.zone, key))] = place
          }
        case .links(let number, let isFirst):
          for (key, place) in changes {
            let link = linkKey(number, row.key, to: key, isFirst: isFirst)
            var change = links[link] ?? LinkChange()
            change.isRemoved = false
            // Another program may have removed the link: a new place must not add it again.
            if old[key] == nil { change.isNew = true }
            if isFirst { change.firstPlace = place } else { change.secondPlace = place }
            links[link] = change
          }
          for key in old.keys where !kept.contains(key) {
            let link = linkKey(number, row.key, to: key, isFirst: isFirst)
            if links[link] == nil { links[link] = LinkChange(isRemoved: true) }
          }
        case .value, .reference, .found: continue
        }
      }
    }

    func linkKey(_ number: Int, _ own: RowKey, to other: UUIDNumber, isFirst: Bool) -> LinkKey {
      LinkKey(
        link: number, zone: own.zone, first: isFirst ? own.key : other, second: isFirst ? other : own.key)
    }

    /// The columns that differ from the stored row.
    mutating func changedColumns(_ row: RowChange) throws -> [Int] {
      let (table, kind) = try place(row.content)
      var changed: Set<Int> = []
      for (property, member) in kind.members.enumerated() {
        switch member {
        case .value(let column)?, .reference(let column)?:
          guard let known = row.known else {
            changed.insert(column)
            continue
          }
          if store.pending.contains(PendingColumn(table: table, column: column)) {
            if row.isMet || store.touches(row.content, property) { changed.insert(column) }
            continue
          }
          if row.content.isPresent(property), !row.content.isSame(property, as: known.content) {
            changed.insert(column)
          }
        case nil, .found?, .list?, .links?: continue
        }
      }
      for (place, column) in store.tables.tables[table].columns.enumerated() {
        guard case .place(let reference) = column.kind else { continue }
        let isPlaced = places[PlaceKey(table: table, column: place, key: row.key)] != nil
        if changed.contains(reference) || isPlaced && !changed.isEmpty { changed.insert(place) }
      }
      return changed.sorted()
    }

    // MARK: Values

    /// A column's bytes in a row to write; nil for null.
    func bytes(_ row: RowChange, _ column: Int, of kind: TableClass) throws -> [UInt8]? {
      let shape = store.tables.tables[row.table].columns[column]
      switch shape.kind {
      case .value(let form):
        guard let property = kind.properties[.value(column: column)] else { return nil }
        do {
          let found = try row.content.values.read(property) { source throws -> [UInt8]? in try form.bytes(&source) }
          if let found { return found }
        } catch let fault as ValueFault {
          throw RoostError(.badValue, "\(name(row.content, property)) cannot be saved: \(fault.reason)")
        }
        if shape.isOptional { return nil }
        throw RoostError(.badValue, "\(name(row.content, property)) has no value")
      case .reference:
        guard let property = kind.properties[.reference(column: column)] else { return nil }
        guard case .one(let target?)? = row.content.link(property) else {
          if shape.isOptional { return nil }
          throw RoostError(.badValue, "\(name(row.content, property)) must reference an object")
        }
        guard let key = store.place(remapped[target] ?? target)?.key.key else { return nil }
        var wire = WireBytes()
        wire.append(key)
        return wire.bytes
      case .place:
        guard let place = places[PlaceKey(table: row.table, column: column, key: row.key)] else { return nil }
        var wire = WireBytes()
        wire.append(place)
        return wire.bytes
      }
    }

    // MARK: Afterwards

    /// Records the new state of the rows. If `isLate`, other saves or fetches may have run since,
    /// and the state that they recorded stays.
    func noteSaved(isLate: Bool = false) {
      for row in rows where !isLate || store.known(row.table, row.key)?.version == row.known?.version {
        let version = (row.known?.version ?? 0) + (row.known == nil || !row.columns.isEmpty ? 1 : 0)
        let places = (row.known?.places ?? [:]).merging(row.newPlaces) { $1 }
        store.note(
          row.table, row.key,
          as: KnownRow(row.table, row.key, version: version, content: row.content, places: places))
      }
      for one in deleted { store.note(one.table, one.key, as: nil) }
    }

    /// Records the new rows. No other context knows them.
    func noteInserted() {
      var inserted = self
      inserted.rows.removeAll { $0.known != nil }
      inserted.deleted = []
      inserted.noteSaved()
    }

    /// The error that the saving program gets for an error of the server.
    func error(_ fault: ServerFault, statement: Int?) -> any Error {
      if fault.state == "22012", let statement, let check = checks[statement] {
        return RoostError(.conflict, "\(check): roll back or fetch again, then save again", underlyingError: fault)
      }
      return Self.error(fault)
    }

    static func error(_ fault: ServerFault) -> any Error {
      func text(_ words: String) -> String { "\(words): \(fault.message)" }
      switch fault.state {
      case "23505": return RoostError(.notUnique, text("another row has the same unique value"), underlyingError: fault)
      case "23503":
        return RoostError(
          .denied, text("a row is still referenced, or references a row that does not exist"), underlyingError: fault)
      case "40001", "40P01":
        return RoostError(.conflict, text("other programs keep changing the same rows"), underlyingError: fault)
      default: return fault.error()
      }
    }
  }

  extension UniquePart {
    static func path(_ path: [String], of value: String) -> String {
      let steps = path.map { "'" + $0.replacing("'", with: "''") + "'" }.joined(separator: ", ")
      return "jsonb_extract_path(\(value), \(steps))"
    }
  }

  extension ValueImage {
    /// A value in the form of rows, keys and conditions; nil if there is none.
    func value(of property: Int) -> RoostRecords.Value? {
      guard let coder = form.coders[property], let bytes = raw(property) else { return nil }
      return bytes.withUnsafeBytes { RoostRecords.Value(element: $0, as: coder.form.element) }
    }
  }
#endif
