package import RoostFile
internal import RoostKV
internal import RoostPages

extension Trial {
  /// Trial 16: opens the stores of every version of the format, compares them, changes them and
  /// opens them again.
  package static let golden = Trial(
    16, "golden files", unit: "stores", cases: GoldenVersion.all.reduce(0) { $0 + $1.samples.count + $1.rows.count },
    workers: 1
  ) { index, seed, record in
    let samples = GoldenVersion.all.flatMap { version in version.samples.map { (version, $0) } }
    guard index < samples.count else { return rows(index - samples.count, seed, record: record) }
    let (version, sample) = samples[index]
    let name = "version \(version.version), \(sample)"
    record.place(seed, 0, image: name)
    record.count += 1
    do {
      for complaint in version.complaints(about: try version.sample(sample)) {
        record.fail(seed: seed, image: name, complaint)
      }
    } catch { record.fail(seed: seed, image: name, "\(error)") }
    record.note(name)
  }

  private static func rows(_ number: Int, _ seed: UInt64, record: TortureRecord) {
    let samples = GoldenVersion.all.flatMap { version in version.rows.map { (version, $0) } }
    record.count += 1
    let (version, sample) = samples[number]
    let name = "version \(version.version), \(sample)"
    record.place(seed, 0, image: name)
    do {
      for complaint in version.complaints(aboutRows: try version.sample(sample)) {
        record.fail(seed: seed, image: name, complaint)
      }
    } catch { record.fail(seed: seed, image: name, "\(error)") }
    record.note(name)
  }
}

extension GoldenVersion {
  /// All errors of this build when it reads a store that this version wrote.
  package func complaints(
    about sample: Sample, in fileSystem: any FileSystem = SimulatedFileSystem(), at path: String = GoldenStore.path
  ) -> [String] {
    do {
      try sample.place(in: fileSystem, at: path)
      if let complaint = try readingOnly(sample, fileSystem, path: path) { return [complaint] }
      if let complaint = try changing(sample, fileSystem, path: path) { return [complaint] }
      if let complaint = try writingAgain(sample) { return [complaint] }
      return []
    } catch { return ["\(error)"] }
  }

  private func describe(_ store: KeyValueStore) throws -> String {
    GoldenStore.describe(try store.model(), commit: Int(try store.read { $0.commit }))
  }

  /// Reads and verifies the store before anything is written.
  private func readingOnly(_ sample: Sample, _ fileSystem: any FileSystem, path: String) throws -> String? {
    let found = try KeyValueStore.verify(path, fileSystem: fileSystem)
    if let finding = found.findings.first { return "verify: \(finding)" }
    var options = GoldenStore.options
    options.readOnly = true
    let store = try KeyValueStore(path, options: options, fileSystem: fileSystem)
    defer { try? store.close() }
    let contents = try describe(store)
    return contents == sample.contents ? nil : "reading only: " + Self.difference(contents, sample.contents)
  }

  /// Opens the store, compares it, changes every tree, closes it, and opens it again.
  private func changing(_ sample: Sample, _ fileSystem: any FileSystem, path: String) throws -> String? {
    var store = try KeyValueStore(path, options: GoldenStore.options, fileSystem: fileSystem)
    let contents = try describe(store)
    if contents != sample.contents { return "opened: " + Self.difference(contents, sample.contents) }
    if let finding = try Audit.findings(store).first { return "opened: \(finding)" }
    var model = try store.model()
    try store.write { writer in
      for name in model.names {
        guard let tree = model.trees[name], let number = Int(name.dropFirst()) else { continue }
        let place = Change.Place(isTable: tree.isTable, number: number)
        try Change.removeRange(place, low: 2, high: 9).carryOut(writer, &model)
        for key in 0..<30 where key % 3 != 1 {
          try Change.put(place, key: key, Change.Value(length: 30 * key, seed: UInt64(key))).carryOut(writer, &model)
        }
      }
    }
    try store.close()
    store = try KeyValueStore(path, options: GoldenStore.options, fileSystem: fileSystem)
    defer { try? store.close() }
    if let finding = try store.verify().findings.first { return "changed: \(finding)" }
    let difference = try store.model().difference(from: model)
    return difference == "none" ? nil : "changed: " + difference
  }

  /// Checks that the same actions make the same bytes, if the version is the same.
  private func writingAgain(_ sample: Sample) throws -> String? {
    guard version == Self.all.last?.version, let store = GoldenStore(rawValue: sample.name) else { return nil }
    if store.dependsOnLibrary && library != GoldenStore.library { return nil }
    let kept = sample.files.masked
    let (made, contents) = try store.make()
    if contents != sample.contents { return "made again: " + Self.difference(contents, sample.contents) }
    if made.masked == kept { return nil }
    let place =
      Self.firstDifference(made.masked.data, kept.data).map { "byte \($0) of the file" }
      ?? Self.firstDifference(made.masked.log ?? [], kept.log ?? []).map { "byte \($0) of the log" } ?? "their number"
    return "made again, the files differ from version \(version) in \(place): is this a new version of the format?"
  }

  private static func firstDifference(_ left: [UInt8], _ right: [UInt8]) -> Int? {
    if left == right { return nil }
    return zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(left.count, right.count)
  }

  static func difference(_ found: String, _ right: String) -> String {
    let (left, right) = (found.split(separator: "\n"), right.split(separator: "\n"))
    for (line, expected) in zip(left, right) where line != expected {
      return "\"\(line)\" where \"\(expected)\" is right"
    }
    return "\(left.count) lines where \(right.count) are right"
  }
}
