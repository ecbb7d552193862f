import Foundation

/// Formats numbers for tables, with the significant digits only.
enum Figures {
  static func milliseconds(_ value: Double) -> String {
    switch value {
    case 99.95...: grouped(Int(value.rounded()))
    case 9.995...: String(format: "%.1f", value)
    case 0.9995...: String(format: "%.2f", value)
    default: String(format: "%.3f", value)
    }
  }

  static func ratio(_ value: Double) -> String {
    value >= 9.995 ? String(format: "%.1f", value) : String(format: "%.2f", value)
  }

  static func instructions(_ value: Double) -> String {
    value >= 99.95 ? grouped(Int(value.rounded())) : String(format: "%.1f", value)
  }

  /// A ratio as a change: `+1.2 %`.
  static func percent(_ ratio: Double) -> String { String(format: "%+.1f %%", (ratio - 1) * 100) }

  static func grouped(_ number: Int) -> String {
    var text = ""
    for (place, digit) in String(number).reversed().enumerated() {
      if place > 0 && place % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
