/// Megabytes as bars, in a section for each operation.
struct MemoryPicture {
  let title: String
  let operations: [Operation]
  let engines: [String]
  let sizes: (Operation) -> [Int]
  let result: (Operation, String, Int) -> Double?

  private static let (left, right, rowHeight) = (230.0, 740.0, 20.0)

  private struct Part {
    let operation: Operation
    let bars: [(engine: String, size: Int, megabytes: Double)]
  }

  private var parts: [Part] {
    operations.compactMap { operation in
      let bars = sizes(operation).flatMap { size in
        engines.compactMap { engine in
          result(operation, engine, size).flatMap { $0 > 0 ? (engine: engine, size: size, megabytes: $0) : nil }
        }
      }
      return bars.isEmpty ? nil : Part(operation: operation, bars: bars)
    }
  }

  func document() throws(Misuse) -> String {
    let parts = parts
    guard !parts.isEmpty else {
      throw Misuse("the picture '\(title)' would be empty: nothing has a result in megabytes")
    }
    var drawing = SVGDrawing(width: 860)
    drawing.text(title, x: 20, y: 30, size: 16, style: "bold")
    drawing.text("Megabytes. Each part has a scale of its own.", x: 20, y: 50, style: "faint")
    var y = 70.0
    for part in parts {
      drawing.text(part.operation.name, x: 20, y: y + 14, style: "bold")
      let indent = SVGDrawing.width(of: part.operation.name, size: 12, isBold: true) + 28
      drawing.text(part.operation.brief, x: indent, y: y + 14, style: "faint")
      y += 22
      let most = part.bars.map(\.megabytes).max()!
      for bar in part.bars {
        drawing.text(Figures.grouped(bar.size), x: 100, y: y + 14, size: 11, anchor: .end, style: "faint")
        drawing.text(bar.engine, x: 112, y: y + 14, size: 11)
        let width = max(1, (Self.right - Self.left) * bar.megabytes / most)
        drawing.bar(x: Self.left, y: y + 4, width: width, height: Self.rowHeight - 7, style: bar.engine)
        drawing.text("\(Figures.milliseconds(bar.megabytes)) MB", x: Self.left + width + 8, y: y + 14, size: 11)
        y += Self.rowHeight
      }
      y += 12
    }
    drawing.height = y
    return try drawing.document(title)
  }
}
