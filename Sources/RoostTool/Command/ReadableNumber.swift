/// Formats numbers for people.
enum ReadableNumber {
  /// 1,234,567
  static func count(_ number: some BinaryInteger) -> String {
    var digits = String(number.magnitude)
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.insert(digits.suffix(3), at: 0)
      digits.removeLast(3)
    }
    groups.insert(digits[...], at: 0)
    return (number < 0 ? "-" : "") + groups.joined(separator: ",")
  }

  /// `1 page`, `2 pages`
  static func count(_ number: some BinaryInteger, _ noun: String, nouns: String? = nil) -> String {
    "\(count(number)) \(number == 1 ? noun : nouns ?? noun + "s")"
  }

  /// 12.3 MiB
  static func bytes(_ number: some BinaryInteger) -> String {
    var value = Double(number)
    for unit in ["bytes", "KiB", "MiB", "GiB"] {
      if value < 1024 { return unit == "bytes" ? count(number, "byte") : "\(rounded(value)) \(unit)" }
      value /= 1024
    }
    return "\(rounded(value)) TiB"
  }

  /// 1.23 s, 45.6 ms, 789 ns
  static func time(_ duration: Duration) -> String {
    let seconds = Self.seconds(duration)
    for (unit, size) in [("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)] where seconds >= size {
      return "\(rounded(seconds / size)) \(unit)"
    }
    return "\(count(Int((seconds * 1e9).rounded()))) ns"
  }

  static func seconds(_ duration: Duration) -> Double {
    let parts = duration.components
    return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
  }

  /// The rate for each second, with no more digits than were measured.
  static func rate(_ number: Int, in duration: Duration) -> String {
    let seconds = max(Self.seconds(duration), 1e-9)
    var rate = Int(min(Double(number) / seconds, 1e15))
    var scale = 1
    while rate / scale >= 1000 { scale *= 10 }
    rate = (rate + scale / 2) / scale * scale
    return count(rate)
  }

  /// Three digits.
  private static func rounded(_ value: Double) -> String {
    let places = value < 10 ? 100.0 : value < 100 ? 10.0 : 1.0
    let number = (value * places).rounded() / places
    return number == number.rounded() ? count(Int(number)) : "\(number)"
  }
}
