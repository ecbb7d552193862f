/// The time of each operation by engine, as a ratio to the time of one engine, on a logarithmic
/// axis.
struct RatioPicture {
  let title: String
  let operations: [Operation]
  let engines: [String]
  let result: (Operation, String) -> Double?

  static let base = "sqlite-tuned"
  private static let (left, right, rowHeight) = (366.0, 784.0, 22.0)

  private struct Row {
    let operation: Operation
    /// For each engine, in the order of the engines.
    let ratios: [(engine: String, ratio: Double)]
  }

  /// The operations that the base engine and at least one other engine have.
  private var rows: [Row] {
    operations.compactMap { operation in
      guard let base = result(operation, Self.base), base > 0 else { return nil }
      let ratios = engines.compactMap { engine in
        result(operation, engine).flatMap { $0 > 0 ? (engine, $0 / base) : nil }
      }
      return ratios.count > 1 ? Row(operation: operation, ratios: ratios) : nil
    }
  }

  func document() throws(Misuse) -> String {
    let rows = rows
    guard !rows.isEmpty else {
      throw Misuse(
        "the picture '\(title)' would be empty: no operation has a result of \(Self.base) and of another engine")
    }
    var drawing = SVGDrawing(width: 860)
    drawing.text(title, x: 20, y: 30, size: 16, style: "bold")
    drawing.text(
      "Time by engine (K: size); tuned SQLite is 1, left of its line is quicker. Medians, logarithmic axis.", x: 20,
      y: 50,
      style: "faint")
    drawing.legend(engines, x: 20, y: 74)

    let scale = LogScale(
      [1] + rows.flatMap { $0.ratios.map(\.ratio) }, from: Self.left, to: Self.right, byDecades: false)
    let groups = OperationGroup.allCases.filter { group in rows.contains { $0.operation.group == group } }
    let top = 108.0
    let bottom = top + Double(rows.count + groups.count) * Self.rowHeight + 4
    for tick in scale.ticks(48) {
      let x = scale.place(tick)
      drawing.line(x: x, y: top, toX: x, toY: bottom, style: "grid")
      for y in [top - 6, bottom + 15] {
        drawing.text("\(Self.tick(tick))×", x: x, y: y, size: 11, anchor: .middle, style: "faint")
      }
    }
    drawing.line(x: scale.place(1), y: top, toX: scale.place(1), toY: bottom, style: "one")
    drawing.text("roost", x: 846, y: top - 6, size: 11, anchor: .end, style: "faint")

    var y = top
    for group in groups {
      drawing.text(group.rawValue, x: 20, y: y + 16, style: "bold")
      y += Self.rowHeight
      for row in rows where row.operation.group == group {
        let middle = y + Self.rowHeight / 2
        drawing.text(row.operation.name, x: 20, y: middle + 4)
        drawing.text(row.operation.brief, x: 154, y: middle + 4, until: Self.left - 8, style: "faint")
        drawing.line(x: Self.left, y: middle, toX: Self.right, toY: middle, style: "grid")
        // The subject is drawn over the others.
        for (engine, ratio) in row.ratios.reversed() { drawing.mark(engine, x: scale.place(ratio), y: middle) }
        if let own = row.ratios.first(where: { $0.engine == EngineRegistry.subject }) {
          drawing.text(Figures.ratio(own.ratio), x: 846, y: middle + 4, anchor: .end)
        }
        y += Self.rowHeight
      }
    }
    drawing.height = bottom + 28
    return try drawing.document(title)
  }

  private static func tick(_ value: Double) -> String {
    value >= 0.999 ? String(Int(value.rounded())) : "\((value * 10_000).rounded() / 10_000)"
  }
}
