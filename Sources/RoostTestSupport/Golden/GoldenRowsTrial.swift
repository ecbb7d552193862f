package import RoostFile
internal import RoostPages
internal import RoostRecords

extension GoldenVersion {
  /// All errors of this build when it reads a store of rows that this version wrote.
  package func complaints(
    aboutRows sample: Sample, in fileSystem: any FileSystem = SimulatedFileSystem(), at path: String = GoldenStore.path
  ) -> [String] {
    do {
      try sample.place(in: fileSystem, at: path)
      if let finding = try RecordStore.verify(path, fileSystem: fileSystem).findings.first { return ["\(finding)"] }
      var options = GoldenStore.options
      options.readOnly = true
      let reader = try RecordStore(path, options: options, fileSystem: fileSystem)
      let contents = try reader.read { try GoldenRows.describe($0) }
      try reader.close()
      if contents != sample.contents { return ["reading only: " + Self.difference(contents, sample.contents)] }
      if let complaint = try changing(rows: sample, fileSystem, path) { return [complaint] }
      return try writingAgain(rows: sample).map { [$0] } ?? []
    } catch { return ["\(error)"] }
  }

  /// Opens the store, compares it, changes it, closes it, and opens it again.
  private func changing(rows sample: Sample, _ fileSystem: any FileSystem, _ path: String) throws -> String? {
    var store = try RecordStore(path, options: GoldenStore.options, fileSystem: fileSystem)
    let contents = try store.read { try GoldenRows.describe($0) }
    if contents != sample.contents { return "opened: " + Self.difference(contents, sample.contents) }
    if let finding = try RowAudit.findings(store).first { return "opened: \(finding)" }
    let row = try store.write { writer in
      try writer.table("Every").update(RowID(2), ["text": .string("changed"), "late": .int(77)])
      let row = try writer.table("Every").insert(["key": .string("new"), "owner": .reference(RowID(1))])
      try writer.links("list", of: "Owner").insert(row, at: 0, in: RowID(1))
      return row
    }
    try store.buildIndexes()
    try store.close()
    store = try RecordStore(path, options: GoldenStore.options, fileSystem: fileSystem)
    defer { try? store.close() }
    if let finding = try store.verify().findings.first { return "changed: \(finding)" }
    return try store.read { reader in
      let values = try reader.table("Every").values(RowID(2))
      let list = try reader.links("list", of: "Owner").rows(of: RowID(1))
      return values?["late"] == .int(77) && list.first == row ? nil : "changed: a row is not what it was changed to"
    }
  }

  /// Checks that the same actions make the same bytes, if the version and LZ4 are the same.
  private func writingAgain(rows sample: Sample) throws -> String? {
    guard version == Self.all.last?.version, let store = GoldenRows(rawValue: sample.name) else { return nil }
    let (made, contents) = try store.make()
    if contents != sample.contents { return "made again: " + Self.difference(contents, sample.contents) }
    if library != GoldenStore.library || made.masked == sample.files.masked { return nil }
    return "made again, the files differ from version \(version): is this a new version of the format?"
  }
}
