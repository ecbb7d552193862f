/// A Markdown table that is also readable as plain text. The first column is text, the others are
/// numbers.
struct MarkdownTable {
  private var rows: [[String]]

  init(_ head: [String]) {
    rows = [head]
  }

  mutating func add(_ row: [String]) {
    precondition(row.count == rows[0].count)
    rows.append(row)
  }

  var isEmpty: Bool { rows.count == 1 }

  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max()! }
    var lines = rows.map { row in
      Self.line(row.indices.map { Self.pad(row[$0], to: widths[$0], right: $0 > 0) })
    }
    lines.insert(
      Self.line(
        widths.indices.map {
          $0 > 0 ? String(repeating: "-", count: widths[$0] - 1) + ":" : String(repeating: "-", count: widths[$0])
        }), at: 1)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  private static func pad(_ text: String, to width: Int, right: Bool) -> String {
    let space = String(repeating: " ", count: width - text.count)
    return right ? space + text : text + space
  }
}
