/// The stored state of imports: progress, and references whose targets do not exist yet.
///
/// Both are stored in entities of their own, whose names begin with `@`, in the same transactions
/// as the rows. So whatever interrupts an import, the next run continues after the last complete
/// chunk.
///
/// ## Invariants
/// 1. The state under a name belongs to the run that is stored with it. Another run takes it over
///    once that run has ended.
/// 2. `check` is the checksum of all processed records as they were in the input.
/// 3. For a row and a relationship the references of at most one record are stored: the last record
///    that named it.
package enum ImportState {
  static let imports = "@import"
  static let references = "@import reference"
  private static let nameIndex = "@import name"
  static let placeIndex = "@import place"
  static let models = "@import model"

  /// Adds the entities if they are missing.
  package static func prepare(_ writer: RecordWriter) throws {
    if writer.catalog.entity(models) == nil {
      try writer.change { catalog in
        try catalog.add(entity: models) { (entity) throws(RecordFault) in
          for name in ["name", "model", "path"] { try entity.add(name, .string) }
          for name in ["element", "row"] { try entity.add(name, .uint64) }
        }
      }
    }
    if writer.catalog.entity(imports) != nil { return }
    try writer.change { catalog in
      try catalog.add(entity: imports) { (entity) throws(RecordFault) in
        for name in ["name", "entity", "format", "run"] { try entity.add(name, .string) }
        for name in ["records", "inserted", "updated", "kept", "bad", "check"] { try entity.add(name, .uint64) }
      }
      try catalog.add(index: nameIndex, of: imports, on: ["name"], isUnique: true)
      try catalog.add(entity: references) { (entity) throws(RecordFault) in
        try entity.add("name", .string)
        try entity.add("row", .uint64)
        try entity.add("relationship", .uint32)
        try entity.add("place", .uint32)
        try entity.add("key", .string)
        try entity.add("former", .uint64)
      }
      try catalog.add(index: placeIndex, of: references, on: ["row", "relationship", "place"], isUnique: true)
    }
  }

  // MARK: Progress

  /// The progress of the import with a name; nil if there is none.
  package static func progress(_ name: String, _ reader: RecordReader) throws -> ImportCounts? {
    guard reader.catalog.entity(imports) != nil else { return nil }
    return try values(name, reader.table(imports)).map { progress($0) }
  }

  private static func values(_ name: String, _ table: TableReader) throws -> [String: Value]? {
    try table.row(unique: nameIndex, [.string(name)]).flatMap { try table.values($0) }
  }

  static func number(_ values: [String: Value], _ name: String) -> UInt64 {
    if case .uint(let number)? = values[name] { number } else { 0 }
  }

  private static func progress(_ values: [String: Value]) -> ImportCounts {
    func count(_ name: String) -> Int { Int(clamping: number(values, name)) }
    var progress = ImportCounts()
    progress.records = count("records")
    progress.inserted = count("inserted")
    progress.updated = count("updated")
    progress.kept = count("kept")
    progress.bad = count("bad")
    progress.resumed = progress.records
    return progress
  }

  /// Makes an import belong to the run. Returns its progress, and the checksum of the records up to
  /// there.
  static func claim(
    _ claim: ImportClaim, _ writer: RecordWriter
  ) throws -> (progress: ImportCounts, check: UInt64) {
    let known = try values(claim.name, writer.reading(imports)) ?? [:]
    if case .string(let run)? = known["run"], ImportRuns.shared.isLive(run) {
      throw RecordFault(
        .conflict,
        "an import with the name '\(claim.name)' is running: wait for its end, or give this import another name",
        entity: claim.entity)
    }
    let came = (progress: progress(known), check: number(known, "check"))
    if came.progress.records > 0, known["entity"] != .string(claim.entity) || known["format"] != .string(claim.format) {
      throw RecordFault(
        .conflict,
        "the import '\(claim.name)' was interrupted, and had other records: continue with those, or give this import "
          + "another name", entity: claim.entity)
    }
    try put(came.progress, came.check, claim: claim, writer: writer)
    return came
  }

  /// Stores the progress of a run, if the import still belongs to it.
  static func set(
    _ progress: ImportCounts, _ check: UInt64, claim: ImportClaim, writer: RecordWriter
  ) throws {
    try self.check(claim, writer)
    try put(progress, check, claim: claim, writer: writer)
  }

  /// Throws if an import no longer belongs to the run.
  static func check(_ claim: ImportClaim, _ writer: RecordWriter) throws {
    if try values(claim.name, writer.reading(imports))?["run"] == .string(claim.run) { return }
    throw RecordFault(
      .conflict, "another run of the import '\(claim.name)' has continued it, so this run ends",
      entity: claim.entity)
  }

  private static func put(
    _ progress: ImportCounts, _ check: UInt64, claim: ImportClaim, writer: RecordWriter
  ) throws {
    let table = try writer.table(imports)
    var builder = table.makeBuilder()
    for (field, text) in [
      ("name", claim.name), ("entity", claim.entity), ("format", claim.format), ("run", claim.run),
    ] { try builder.set(table.slot(field), .string(text)) }
    for (field, number) in [
      ("records", progress.records), ("inserted", progress.inserted), ("updated", progress.updated),
      ("kept", progress.kept), ("bad", progress.bad),
    ] { try builder.set(table.slot(field), .uint(UInt64(number))) }
    try builder.set(table.slot("check"), .uint(check))
    _ = try table.upsert(&builder)
  }

  /// Removes the stored progress of an import.
  package static func forget(_ name: String, _ writer: RecordWriter) throws {
    guard writer.catalog.entity(imports) != nil else { return }
    if let row = try writer.reading(imports).row(unique: nameIndex, [.string(name)]) {
      try writer.table(imports).delete(row)
    }
  }

  /// The names of unnamed imports that ended without removing their state.
  static func dead(_ reader: RecordReader) throws -> Set<String> {
    guard reader.catalog.entity(imports) != nil else { return [] }
    let table = try reader.table(imports)
    var names: Set<String> = []
    var cursor = try table.cursor()
    while try cursor.next() {
      guard let values = try table.values(cursor.row().id), case .string(let name)? = values["name"],
        name.hasPrefix(ImportRuns.prefix), case .string(let run)? = values["run"]
      else { continue }
      if !ImportRuns.shared.isLive(run) { names.insert(name) }
    }
    return names
  }

  // MARK: References

  /// A stored reference.
  struct Kept {
    var id: RowID
    var row: RowID
    var relationship: RelationshipID
    var place: Int
    var key: String
    /// The row to which the reference referred when it was stored; nil if it was nil.
    var former: RowID?
  }

  /// The first stored references of some imports after `last`. A list is always complete, so that
  /// no caller sees a part of it.
  ///
  /// - Parameter isWanted: which relationships are included.
  static func kept(
    _ names: Set<String>, behind last: RowID? = nil, most: Int, _ reader: RecordReader,
    where isWanted: (RelationshipID) -> Bool = { _ in true }
  ) throws -> [Kept] {
    guard let table = try waiting(reader) else { return [] }
    var found: [Kept] = []
    var cursor = try table.cursor()
    var isThere = try cursor.seek(RowID((last?.number ?? 0) + 1))
    while isThere {
      let one = try kept(cursor.id, names, table: table)
      isThere = try cursor.next()
      guard let one, isWanted(one.relationship) else { continue }
      if found.count >= most, one.place == 0 { break }
      found.append(one)
    }
    return found
  }

  /// The last stored references before `next`, the newest first, of relationships that are not
  /// lists.
  static func kept(
    _ names: Set<String>, before next: RowID?, most: Int, _ reader: RecordReader,
    where isWanted: (RelationshipID) -> Bool
  ) throws -> [Kept] {
    guard let table = try waiting(reader) else { return [] }
    var found: [Kept] = []
    var cursor = try table.cursor()
    var isThere = try cursor.seek(atMost: RowID((next?.number ?? .max) - 1))
    while isThere, found.count < most {
      if let one = try kept(cursor.id, names, table: table), isWanted(one.relationship) { found.append(one) }
      isThere = try cursor.previous()
    }
    return found
  }

  private static func waiting(_ reader: RecordReader) throws -> TableReader? {
    guard reader.catalog.entity(references)?.field("former") != nil else { return nil }
    return try reader.table(references)
  }

  /// Reads a stored reference, if it belongs to one of these imports.
  private static func kept(_ id: RowID, _ names: Set<String>, table: TableReader) throws -> Kept? {
    let values = try table.values(id) ?? [:]
    guard case .string(let name)? = values["name"], names.contains(name), case .string(let key)? = values["key"] else {
      return nil
    }
    let former = number(values, "former")
    return Kept(
      id: id, row: RowID(number(values, "row")),
      relationship: RelationshipID(UInt32(truncatingIfNeeded: number(values, "relationship"))),
      place: Int(clamping: number(values, "place")), key: key, former: former == 0 ? nil : RowID(former))
  }
}
