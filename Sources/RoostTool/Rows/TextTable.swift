/// Rows and columns on a terminal, or in a pipe.
///
/// The first rows determine the widths of columns. On a terminal all columns fit, and wide cells
/// are cut. In a pipe nothing is cut, but cells are padded only up to a limit: one long text does
/// not make every line as long.
struct TextTable {
  struct Column {
    var name: String
    var isNumber = false
  }

  private let columns: [Column]
  private let console: Console
  private let write: (String) throws -> Void
  private var waiting: [[String?]] = []
  private var widths: [Int]?
  private var waitingBytes = 0
  private static let sample = 500
  /// The largest sample in bytes.
  private static let sampleBytes = 1 << 20
  /// The greatest width to which cells are padded in a pipe.
  private static let widest = 64
  private static let gap = 2
  /// The least width of a column.
  private static let narrowest = 4

  init(_ columns: [Column], _ console: Console, write: @escaping (String) throws -> Void) {
    self.columns = columns.map { Column(name: SafeText.line($0.name), isNumber: $0.isNumber) }
    self.console = console
    self.write = write
  }

  mutating func add(_ cells: [String?]) throws {
    let cells = cells.map { $0.map { SafeText.line($0) } }
    if widths != nil { return try put(cells) }
    waiting.append(cells)
    waitingBytes += cells.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    if waiting.count == Self.sample || waitingBytes >= Self.sampleBytes { try begin() }
  }

  mutating func end() throws { if widths == nil { try begin() } }

  private mutating func begin() throws {
    var wanted = columns.map { TextWidth.columns($0.name) }
    for row in waiting {
      for (place, cell) in row.enumerated() {
        wanted[place] = max(wanted[place], TextWidth.columns(cell ?? "nil"))
      }
    }
    if console.isTerminal {
      Self.narrow(&wanted, to: console.width)
    } else {
      wanted = wanted.map { min($0, Self.widest) }
    }
    widths = wanted
    try write(console.text(console.styled(line(columns.map(\.name)), .strong)) + "\n")
    for row in waiting { try put(row) }
    waiting = []
  }

  /// Narrows the widest columns until all fit.
  private static func narrow(_ widths: inout [Int], to room: Int) {
    let gaps = gap * max(0, widths.count - 1)
    while widths.reduce(0, +) + gaps > room {
      guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > narrowest else { return }
      let others = widths.enumerated().filter { $0.offset != widest }.map(\.element).max() ?? 0
      let excess = widths.reduce(0, +) + gaps - room
      widths[widest] = max(narrowest, widths[widest] - min(excess, max(1, widths[widest] - others)))
    }
  }

  private func put(_ cells: [String?]) throws { try write(line(cells) + "\n") }

  private func line(_ cells: [String?]) -> String {
    var text = ""
    // Nothing is padded after the last non-empty cell.
    let last = cells.lastIndex { $0 != "" } ?? 0
    for (place, cell) in cells.enumerated().prefix(last + 1) {
      if place > 0 { text += String(repeating: " ", count: Self.gap) }
      let (width, isNumber) = (widths?[place] ?? 0, columns[place].isNumber)
      let shown = cell ?? "nil"
      let taken = TextWidth.columns(shown)
      if taken > width ? !console.isTerminal : place == last && !isNumber {
        text += shown
      } else {
        text += TextWidth.fit(shown, width, fromEnd: isNumber)
      }
    }
    return text
  }
}
