import RoostKV

/// The result of `backup`.
struct BackupReport: Encodable {
  var source: String
  var target: String
  var commit: UInt64
  var trees: Int
  var entries: Int
  var pages: Int
  var bytes: Int
  var seconds: Double
  private let format: FormatChange

  private enum CodingKeys: String, CodingKey {
    case source, target, commit, trees, entries, pages, bytes, seconds
  }

  init(_ source: String, _ target: String, replacing: Bool = false, console: Console) throws {
    let store = try Looking.openTrees(source, isReading: true)
    let began = ContinuousClock.now
    var bar: Progress?
    try store.backup(to: target, replacing: replacing) { progress in
      if bar == nil { bar = Progress("copying", of: progress.total, on: console) }
      bar?.advance(to: progress.entries)
    }
    bar?.end()
    seconds = ReadableNumber.seconds(ContinuousClock.now - began)
    try store.close()
    // Reads the numbers from the finished copy.
    let copy = try KeyValueStore(target, settings: .reading)
    let figures = try copy.statistics(samples: 0)
    self.source = store.path
    self.target = copy.path
    commit = figures.commit
    trees = figures.trees.count
    entries = figures.entries
    pages = figures.pages
    bytes = figures.fileBytes
    try copy.close()
    format = FormatChange(
      before: SuperblockSlot.version(of: store.path), now: SuperblockSlot.version(of: copy.path))
  }

  func write(to console: Console, word: String = "saved") {
    console.line(
      console.styled(word, .good) + "  \(ReadableNumber.count(entries, "entry", nouns: "entries")) in "
        + "\(ReadableNumber.count(trees, "tree")), \(ReadableNumber.bytes(bytes)), as of commit \(ReadableNumber.count(commit)), in "
        + "\(ReadableNumber.time(.seconds(seconds)))")
    format.write(to: console, target)
  }
}

extension StoreSettings {
  /// Settings that neither write nor create anything.
  static var reading: StoreSettings {
    var settings = StoreSettings()
    settings.readOnly = true
    settings.createIfMissing = false
    return settings
  }
}
