import RoostKV

/// The process that the tour kills: it commits without end, and acknowledges each commit on its standard output.
enum Witness {
  static let table = "sightings"
  static let command = "tour-witness"
  /// Entries of one commit, which must be found together or not at all.
  static let entries = 4
  /// Bytes of an acknowledgement: the commit's number.
  static let wordBytes = 8

  static func keys(of commit: UInt64) -> Range<UInt64> {
    let first = (commit - 1) * UInt64(entries)
    return first..<first + UInt64(entries)
  }

  static func value(_ key: UInt64) -> [UInt8] {
    let word = Flock.mixed(~key)
    return Array("\(word) seen from the window".utf8)
  }

  static func run(_ path: String) throws -> Ending {
    var settings = StoreSettings()
    settings.createIfMissing = false
    let store = try KeyValueStore(path, settings: settings)
    for commit: UInt64 in 1...1_000_000 {
      try store.write { writer in
        let table = try writer.table(Self.table)
        for key in keys(of: commit) { try table.put(key, value(key)) }
      }
      // Only now is the commit on the disk.
      let word = withUnsafeBytes(of: commit.littleEndian) { [UInt8]($0) }
      if !writeToOutput(word) { break }
    }
    return .failed
  }

  /// What is found of a killed witness's commits.
  struct Finding {
    var commits: UInt64
  }

  /// Checks that all acknowledged commits are there, whole and in order, and at most one more, which was in flight.
  static func examine(_ store: KeyValueStore, acknowledged: UInt64) throws -> Finding {
    try store.read { reader in
      let table = try reader.table(Self.table)
      let found = UInt64(table.count)
      try check(found % UInt64(entries) == 0, "a commit was found in part: \(found) entries")
      let commits = found / UInt64(entries)
      try check(
        commits >= acknowledged, "\(acknowledged) commits were acknowledged, but only \(commits) were found")
      try check(
        commits <= acknowledged + 1, "\(commits) commits were found where at most \(acknowledged + 1) were begun")
      var key: UInt64 = 0
      try table.forEach { found, value in
        try check(found == key, "entry \(key) is missing")
        try check(value.withUnsafeBytes { $0.elementsEqual(Self.value(key)) }, "entry \(key) has a wrong value")
        key += 1
        return true
      }
      try check(key == found, "the table counts \(found) entries and holds \(key)")
      return Finding(commits: commits)
    }
  }
}
