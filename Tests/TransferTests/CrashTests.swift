import RoostFile
import RoostPages
import RoostRecords
import RoostTestSupport
import RoostTransfer
import Testing

/// Imports on machines that crash.
@Suite struct CrashTests {
  private static let path = "/a.roost"

  /// Tracks that reference each other, so references wait until the end.
  private static func open(_ files: SimulatedFileSystem) throws -> RecordStore {
    let store = try RecordStore(path, fileSystem: files)
    try store.write { writer in
      if writer.catalog.entity("Track") != nil { return }
      try writer.change { catalog in
        try catalog.add(entity: "Track") { (entity) throws(RecordFault) in
          try entity.add("id", .int64)
          try entity.add("title", .string)
        }
        let track = catalog.id(of: "Track")!
        try catalog.change(entity: "Track") { (entity) throws(RecordFault) in
          try entity.add("next", .reference(track), isOptional: true)
        }
        try catalog.add(index: "by id", of: "Track", on: ["id"], isUnique: true)
        try catalog.add(reference: "next", of: "Track")
      }
    }
    return store
  }

  private static func rows(_ store: RecordStore) throws -> [Int64: (title: String, next: Int64?)] {
    try store.read { reader in
      let table = try reader.table("Track")
      var (found, ids): ([(Int64, String, RowID?)], [RowID: Int64]) = ([], [:])
      var cursor = try table.cursor()
      while try cursor.next() {
        let row = try cursor.row().id
        guard case .int(let id)? = try table.values(row)?["id"],
          case .string(let title)? = try table.values(row)?["title"]
        else { continue }
        var next: RowID?
        if case .reference(let target)? = try table.values(row)?["next"] { next = target }
        ids[row] = id
        found.append((id, title, next))
      }
      return Dictionary(uniqueKeysWithValues: found.map { ($0.0, ($0.1, $0.2.flatMap { ids[$0] })) })
    }
  }

  /// A crash leaves whole chunks, as many as the import's own note says. Another run of the same
  /// name imports the rest.
  @Test(arguments: 1...30) func `an interrupted import continues after its last chunk`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 1...120, using: &random)
    let lines = (0..<count).map { "{\"id\": \($0), \"title\": \"t\($0)\", \"next\": \(($0 * 7 + 3) % (count + 2))}" }
    let input = Array(lines.joined(separator: "\n").utf8)
    var options = TextImportOptions(into: "Track")
    options.name = "tracks"
    let chunk = Int.random(in: 1...25, using: &random)
    options.chunk = chunk
    options.durability = Bool.random(using: &random) ? .full : .relaxed
    options.conflict = .insert
    var files = SimulatedFileSystem()
    var crashes = 0
    while true {
      let store = try Self.open(files)
      let before = try Self.rows(store)
      let noted = try store.read { try ImportState.progress("tracks", $0)?.records }
      // After the note is removed, the import is complete.
      #expect(before.count == noted ?? 0 || before.count == count, "seed \(seed)")
      #expect(noted.map { $0 % chunk == 0 || $0 == count } ?? true, "seed \(seed)")
      if noted == nil, before.count == count {
        try store.close()
        break
      }
      let most = crashes < 6 ? files.step + Int.random(in: 1...40, using: &random) : .max
      files.stopAfter(step: most)
      do {
        let report = try Importer(store, options).run(MemoryInput(input, piece: 64), .jsonLines)
        #expect(report.progress.records == count && report.progress.resumed == before.count, "seed \(seed)")
        try store.close()
        files.stopAfter(step: .max)
      } catch is StoreError {
        crashes += 1
        files = files.crashPoint().image(.random(random.next()))
        files.recordsSteps = false
      }
    }
    let store = try Self.open(files)
    let rows = try Self.rows(store)
    #expect(rows.count == count, "seed \(seed)")
    for (id, row) in rows {
      let next = (id * 7 + 3) % Int64(count + 2)
      #expect(row.title == "t\(id)" && row.next == (next < count ? next : nil), "seed \(seed)")
    }
    try store.close()
  }
}
