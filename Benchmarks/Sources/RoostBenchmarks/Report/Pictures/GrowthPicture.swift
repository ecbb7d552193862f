/// A panel for each operation: time by size, both axes logarithmic, a line for each engine.
struct GrowthPicture {
  let title: String
  let operations: [Operation]
  let engines: [String]
  let sizes: [Int]
  let result: (Operation, String, Int) -> Double?

  private static let columns = 3
  private static let (panelWidth, panelHeight) = (280.0, 214.0)
  private static let (plotWidth, plotHeight) = (196.0, 140.0)

  private struct Panel {
    let operation: Operation
    let lines: [(engine: String, points: [(size: Int, time: Double)])]
  }

  private var panels: [Panel] {
    operations.compactMap { operation in
      let lines = engines.map { engine in
        (engine, sizes.compactMap { size in result(operation, engine, size).flatMap { $0 > 0 ? (size, $0) : nil } })
      }.filter { $0.1.count > 1 }
      return lines.isEmpty ? nil : Panel(operation: operation, lines: lines)
    }
  }

  func document() throws(Misuse) -> String {
    let panels = panels
    guard !panels.isEmpty else {
      throw Misuse("the picture '\(title)' would be empty: no operation has results at two sizes")
    }
    var drawing = SVGDrawing(width: 860)
    drawing.text(title, x: 20, y: 30, size: 16, style: "bold")
    drawing.text(
      "Time by number of tracks or rows, both axes logarithmic. The dashed line grows as their number.", x: 20, y: 50,
      style: "faint")
    let shown = engines.filter { engine in panels.contains { $0.lines.contains { $0.engine == engine } } }
    drawing.legend(shown, x: 20, y: 74)
    for (place, panel) in panels.enumerated() {
      draw(
        panel, x: 10 + Double(place % Self.columns) * Self.panelWidth,
        y: 92 + Double(place / Self.columns) * Self.panelHeight, on: &drawing)
    }
    let lines = (panels.count + Self.columns - 1) / Self.columns
    drawing.height = 92 + Double(lines) * Self.panelHeight + 6
    return try drawing.document(title)
  }

  private func draw(_ panel: Panel, x: Double, y: Double, on drawing: inout SVGDrawing) {
    let (left, top) = (x + 60, y + 30)
    let (right, bottom) = (left + Self.plotWidth, top + Self.plotHeight)
    let times = panel.lines.flatMap { $0.points.map(\.time) }
    let across = LogScale(sizes.map(Double.init), from: left, to: right, byDecades: true)
    let up = LogScale(times, from: bottom, to: top, byDecades: true)
    drawing.text(panel.operation.name, x: x + 10, y: y + 16, style: "bold")
    let indent = SVGDrawing.width(of: panel.operation.name, size: 12, isBold: true) + 18
    drawing.text(
      panel.operation.brief, x: x + indent, y: y + 16, until: x + Self.panelWidth + 6, size: 11, style: "faint")
    for size in sizes {
      let place = across.place(Double(size))
      drawing.line(x: place, y: top, toX: place, toY: bottom, style: "grid")
      drawing.text(Self.short(size), x: place, y: bottom + 15, size: 11, anchor: .middle, style: "faint")
    }
    for tick in up.ticks(18) {
      let place = up.place(tick)
      drawing.line(x: left, y: place, toX: right, toY: place, style: "grid")
      drawing.text(Self.time(tick), x: left - 6, y: place + 4, size: 11, anchor: .end, style: "faint")
    }
    drawLinear(panel, across, up, on: &drawing)
    for (engine, points) in panel.lines.reversed() {
      let places = points.map { (x: across.place(Double($0.size)), y: up.place($0.time)) }
      drawing.path(places, style: engine)
      for place in places { drawing.mark(engine, x: place.x, y: place.y) }
    }
  }

  /// From the first point of the first engine on, as far as it is inside the panel.
  private func drawLinear(_ panel: Panel, _ across: LogScale, _ up: LogScale, on drawing: inout SVGDrawing) {
    let first = panel.lines[0].points[0]
    let most = min(Double(sizes.last!), Double(first.size) * up.high / first.time)
    drawing.line(
      x: across.place(Double(first.size)), y: up.place(first.time), toX: across.place(most),
      toY: up.place(first.time * most / Double(first.size)), style: "linear")
  }

  private static func short(_ size: Int) -> String {
    switch size {
    case 1_000_000... where size % 1_000_000 == 0: "\(size / 1_000_000)M"
    case 1_000... where size % 1_000 == 0: "\(size / 1_000)k"
    default: Figures.grouped(size)
    }
  }

  /// A power of ten of milliseconds.
  private static func time(_ milliseconds: Double) -> String {
    switch milliseconds {
    case 999...: "\(Figures.grouped(Int((milliseconds / 1000).rounded()))) s"
    case 0.999...: "\(Int(milliseconds.rounded())) ms"
    case 0.000_999...: "\(Int((milliseconds * 1000).rounded())) µs"
    default: "\(Int((milliseconds * 1_000_000).rounded())) ns"
    }
  }
}
