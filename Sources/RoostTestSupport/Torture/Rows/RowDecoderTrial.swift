internal import RoostFile
internal import RoostPages
internal import RoostRecords

/// Trial 11 over rows: slightly changed valid bytes. They may decode to anything, but no process may
/// crash.
extension RowTrials {
  package static func decoders(_ seed: UInt64, _ record: TortureRecord, rounds: Int = 5000, openings: Int = 60) {
    guard let healthy = HealthyRows(seed &+ 900, isClosed: false) else {
      return record.fail(seed: seed, "the rows whose bytes are to be changed cannot be made")
    }
    var mutator = Mutator(generator: SplitMix64(seed: seed))
    record.place(seed, 0, image: "catalogs and rows")
    do { try pieces(healthy, &mutator, rounds: rounds) } catch { record.fail(seed: seed, "\(error)") }
    record.count += 2 * rounds
    record.note("catalogs and rows", 2 * rounds)
    let log = healthy.crash.image(.all).contents(of: RowPlay.path + "-log") ?? []
    for round in 0..<openings {
      record.place(seed, round, image: round % 2 == 0 ? "log of rows" : "pages of rows")
      if let complaint = open(healthy, log, mutator: &mutator, ofLog: round % 2 == 0) {
        record.fail(seed: seed, step: round, complaint)
      }
    }
    record.count += openings
    record.note("logs and pages of rows", openings)
  }

  private static func pieces(_ healthy: HealthyRows, _ mutator: inout Mutator, rounds: Int) throws {
    let image = healthy.crash.image(.all)
    image.recordsSteps = false
    let store = try RecordStore(RowPlay.path, options: healthy.options, fileSystem: image)
    var (catalog, rows): ([UInt8], [[UInt8]]) = ([], [])
    var layouts: [Layout] = []
    try store.read { reader in
      catalog = reader.catalog.encoded
      let table = try reader.table("Item")
      layouts = table.layouts
      var cursor = try table.cursor()
      while try cursor.next() { rows.append([UInt8](try cursor.row().bytes)) }
    }
    image.stopAfter(step: 0)
    try? store.close()
    for _ in 0..<rounds {
      var bytes = catalog
      mutator.mutate(&bytes)
      if let changed = bytes.withUnsafeBytes({ try? Catalog(decoding: $0) }) {
        // Bytes that decode as a catalog can be encoded again.
        _ = changed.encoded
      }
    }
    if rows.isEmpty { return }
    for _ in 0..<rounds {
      var bytes = mutator.generator.pick(rows)
      mutator.mutate(&bytes)
      if mutator.generator.chance(1, in: 8) { bytes.removeLast(mutator.generator.below(bytes.count)) }
      bytes.withUnsafeBytes { row in
        for layout in layouts where layout.admits(row) {
          for slot in layout.slots { if let start = row.baseAddress { _ = layout.value(start, slot) } }
        }
      }
    }
  }

  /// Opens a store whose log or pages are mutated and sealed again. So the decoders after the
  /// checksums are reached: those of rows, keys, entries, links, and the history in its blocks.
  private static func open(
    _ healthy: HealthyRows, _ log: [UInt8], mutator: inout Mutator, ofLog: Bool
  ) -> String? {
    let image = healthy.crash.image(.all)
    image.recordsSteps = false
    if ofLog {
      var bytes = log
      mutator.mutate(&bytes)
      mutator.reseal(&bytes, healthy.options.segmentBytes)
      _ = image.overwrite(RowPlay.path + "-log", with: bytes)
    } else {
      var bytes = healthy.file
      for _ in 0..<(1 + mutator.generator.below(6)) {
        let place = 2 + mutator.generator.below(max(1, bytes.count / 4096 - 2))
        guard (place + 1) * 4096 <= bytes.count else { continue }
        // Trial 11 over pages mutates the fields of the header.
        var part = Array(bytes[place * 4096 + 40..<place * 4096 + 4080])
        mutator.mutate(&part)
        bytes.replaceSubrange(place * 4096 + 40..<place * 4096 + 4080, with: part)
      }
      // Sealed along the references that the mutated pages now have. An open store must reach every
      // change.
      guard var forgery = Forgery(bytes) else { return "the mutated file has no superblock that counts" }
      _ = image.overwrite(RowPlay.path, with: forgery.sealed())
    }
    do {
      let store = try RecordStore(RowPlay.path, options: healthy.options, fileSystem: image)
      defer {
        image.stopAfter(step: 0)
        try? store.close()
      }
      _ = try? store.read { try RowState($0) }
      _ = try? store.read { try RowChronicle.digest($0) }
      var model = healthy.past.models[healthy.past.begun]
      _ = try? store.write { writer in
        var changes = RowChanges(base: UInt64(healthy.past.begun), generator: mutator.generator.split())
        try changes.carryOut(6, writer, model: &model)
      }
      _ = try? store.verify()
      return nil
    } catch { return error.detail.isEmpty ? "an error without a description" : nil }
  }
}
