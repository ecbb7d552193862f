import Foundation

/// A drawing as SVG text, readable on light and dark backgrounds: colours are classes of a style
/// sheet that follows the reader's colour scheme.
///
/// It knows the largest width of its texts, and throws when it is written if two of them overlap or
/// one extends beyond the drawing.
struct SVGDrawing {
  let width: Double
  /// Must be set before it is written.
  var height = 0.0
  private var elements: [String] = []
  private var labels: [Label] = []

  private struct Label {
    let text: String
    let left, right, top, bottom: Double
    /// The limit of its right end.
    let limit: Double

    func meets(_ other: Label) -> Bool {
      left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }
  }

  enum Anchor: String {
    case start, middle, end
  }

  /// The average width of a character relative to its size, in DejaVu Sans, the widest common font.
  private static let (plainWidth, boldWidth) = (0.62, 0.72)

  init(width: Double) { self.width = width }

  static func width(of text: String, size: Double, isBold: Bool = false) -> Double {
    Double(text.count) * size * (isBold ? boldWidth : plainWidth)
  }

  // MARK: Parts

  mutating func text(
    _ text: String, x: Double, y: Double, until limit: Double? = nil, size: Double = 12, anchor: Anchor = .start,
    style: String = "text"
  ) {
    let wide = Self.width(of: text, size: size, isBold: style == "bold")
    let left =
      switch anchor {
      case .start: x
      case .middle: x - wide / 2
      case .end: x - wide
      }
    labels.append(
      Label(
        text: text, left: left, right: left + wide, top: y - size * 0.8, bottom: y + size * 0.2,
        limit: limit ?? width))
    elements.append(
      "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" font-size=\"\(Self.number(size))\""
        + " text-anchor=\"\(anchor.rawValue)\" class=\"\(style)\">\(Self.escaped(text))</text>")
  }

  mutating func line(x: Double, y: Double, toX: Double, toY: Double, style: String) {
    elements.append(
      "<line x1=\"\(Self.number(x))\" y1=\"\(Self.number(y))\" x2=\"\(Self.number(toX))\" y2=\"\(Self.number(toY))\""
        + " class=\"\(style)\"/>")
  }

  mutating func path(_ points: [(x: Double, y: Double)], style: String) {
    let list = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
    elements.append("<polyline points=\"\(list)\" class=\"\(style)\"/>")
  }

  mutating func bar(x: Double, y: Double, width: Double, height: Double, style: String) {
    elements.append(
      "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))\""
        + " height=\"\(Self.number(height))\" rx=\"2\" class=\"\(style)\"/>")
  }

  /// An engine's mark. Shapes differ too, for readers who cannot distinguish the colours.
  mutating func mark(_ engine: String, x: Double, y: Double) {
    let shape =
      switch engine {
      case "sqlite": "<circle cx=\"0\" cy=\"0\" r=\"4\" class=\"hollow \(engine)\"/>"
      case "sqlite-tuned": "<path d=\"M0 -5.5L5.5 0L0 5.5L-5.5 0Z\" class=\"\(engine)\"/>"
      case "sqlite-objects": "<rect x=\"-4\" y=\"-4\" width=\"8\" height=\"8\" class=\"\(engine)\"/>"
      case "grdb": "<rect x=\"-3.5\" y=\"-3.5\" width=\"7\" height=\"7\" class=\"hollow \(engine)\"/>"
      case "lmdb": "<path d=\"M0 -5L5 4L-5 4Z\" class=\"\(engine)\"/>"
      case "rocksdb": "<path d=\"M0 5L5 -4L-5 -4Z\" class=\"\(engine)\"/>"
      case "wiredtiger": "<path d=\"M-5 -1.5H-1.5V-5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5Z\" class=\"\(engine)\"/>"
      default: "<circle cx=\"0\" cy=\"0\" r=\"5.5\" class=\"\(engine)\"/>"
      }
    elements.append("<g transform=\"translate(\(Self.number(x)) \(Self.number(y)))\">\(shape)</g>")
  }

  /// The engines' marks and names in one line.
  mutating func legend(_ engines: [String], x: Double, y: Double) {
    var x = x
    for engine in engines {
      mark(engine, x: x + 5, y: y - 4)
      text(engine, x: x + 16, y: y)
      x += 16 + Self.width(of: engine, size: 12) + 16
    }
  }

  // MARK: The text

  func document(_ title: String) throws(Misuse) -> String {
    for (place, label) in labels.enumerated() {
      guard label.left >= 0, label.right <= label.limit, label.top >= 0, label.bottom <= height else {
        throw Misuse("the picture '\(title)' has no room for '\(label.text)'")
      }
      if let other = labels[(place + 1)...].first(where: label.meets) {
        throw Misuse("in the picture '\(title)' the labels '\(label.text)' and '\(other.text)' overlap")
      }
    }
    let size = "\(Self.number(width)) \(Self.number(height))"
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="\(Self.number(width))" role="img">
      <title>\(Self.escaped(title))</title>
      <style>
      \(Self.style)
      </style>
      <rect width="100%" height="100%" class="ground"/>
      \(elements.joined(separator: "\n"))
      </svg>

      """
  }

  private static let style = """
    text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif }
    .ground { fill: #ffffff }
    .text { fill: #1f2328 }
    .bold { fill: #1f2328; font-weight: 600 }
    .faint { fill: #59636e }
    .grid { stroke: #e2e6ea }
    .one { stroke: #59636e; stroke-width: 1.5 }
    .linear { stroke: #8c959f; stroke-dasharray: 3 4 }
    polyline { fill: none; stroke-width: 2 }
    .hollow { stroke-width: 2 }
    \(colours([("roost", "#d9480f"), ("sqlite", "#6e7781"), ("sqlite-tuned", "#0969da"), ("sqlite-objects", "#8250df"), ("grdb", "#9a6700"), ("lmdb", "#1a7f37"), ("rocksdb", "#bf3989"), ("wiredtiger", "#0f7b8a")], "#ffffff"))
    @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 }
    .text { fill: #e6edf3 }
    .bold { fill: #e6edf3 }
    .faint { fill: #9198a1 }
    .grid { stroke: #2a3038 }
    .one { stroke: #9198a1 }
    .linear { stroke: #656c76 }
    \(colours([("roost", "#ff8f4d"), ("sqlite", "#afb8c1"), ("sqlite-tuned", "#58a6ff"), ("sqlite-objects", "#c297ff"), ("grdb", "#d4a72c"), ("lmdb", "#4ac26b"), ("rocksdb", "#ff80c8"), ("wiredtiger", "#39c5cf")], "#0d1117"))
    }
    """

  private static func colours(_ engines: [(name: String, colour: String)], _ ground: String) -> String {
    let lines = engines.map { name, colour in
      ".\(name) { fill: \(colour); stroke: \(colour) } polyline.\(name) { fill: none }"
    }
    return (lines + [".hollow { fill: \(ground) }"]).joined(separator: "\n")
  }

  private static func number(_ value: Double) -> String {
    let text = String(format: "%.1f", value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
