/// Rows and columns on a terminal, or in a pipe.
///
/// The first rows decide how wide columns are. On a terminal all of them fit, and what is too wide is cut; in a pipe nothing is.
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
  private static let sample = 500
  private static let gap = 2
  /// A column is never made narrower than this.
  private static let narrowest = 4

  init(_ columns: [Column], _ console: Console, write: @escaping (String) throws -> Void) {
    self.columns = columns.map { Column(name: SafeText.line($0.name, keepsStyles: false), isNumber: $0.isNumber) }
    self.console = console
    self.write = write
  }

  mutating func add(_ cells: [String?]) throws {
    let cells = cells.map { $0.map { SafeText.line($0, keepsStyles: false) } }
    if widths != nil { return try put(cells) }
    waiting.append(cells)
    if waiting.count == Self.sample { try begin() }
  }

  mutating func end() throws { if widths == nil { try begin() } }

  private mutating func begin() throws {
    var wanted = columns.map { TextWidth.columns($0.name) }
    for row in waiting {
      for (place, cell) in row.enumerated() {
        wanted[place] = max(wanted[place], TextWidth.columns(cell ?? "nil"))
      }
    }
    if console.isTerminal { Self.narrow(&wanted, to: console.width) }
    widths = wanted
    try write(console.styled(line(columns.map(\.name)), .strong) + "\n")
    for row in waiting { try put(row) }
    waiting = []
  }

  /// Takes room from the widest columns until all fit.
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
    for (place, cell) in cells.enumerated() {
      if place > 0 { text += String(repeating: " ", count: Self.gap) }
      let (width, isNumber) = (widths?[place] ?? 0, columns[place].isNumber)
      let shown = cell ?? "nil"
      if !console.isTerminal, TextWidth.columns(shown) > width {
        text += shown
      } else {
        text += TextWidth.fit(shown, width, fromEnd: isNumber)
      }
    }
    while text.last == " " { text.removeLast() }
    return text
  }
}
