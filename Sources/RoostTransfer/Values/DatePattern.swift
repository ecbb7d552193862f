internal import RoostRecords

/// A format of dates in the letters of Unicode's date format patterns, such as `dd.MM.yyyy HH:mm`.
///
/// | Letters | Meaning |
/// |---|---|
/// | `yyyy` or `y`, `yy` | the year; two digits mean 1969 to 2068 |
/// | `MM`, `M`, `MMM` | the month as a number, or by its English name |
/// | `dd`, `d` | the day |
/// | `HH`, `H`, `hh`, `h`, `a` | the hour, of 24 or of 12 with `AM` or `PM` |
/// | `mm`, `m`, `ss`, `s`, `S` | minute, second, digits of its fraction |
/// | `Z`, `X`, `x` | the offset from UTC, as `Z`, `+0100` or `+01:00`; without one it is 0 |
/// | `E` | a weekday's English name, which is not compared with the date |
/// | `'…'` | literal text; characters that are not letters need no quotes |
package struct DatePattern: Sendable {
  private enum Item: Sendable {
    case year(Int)
    case month, monthName
    case day, hour, shortHour, half, minute, second, fraction, offset, weekday
    case literal(UInt8)
  }

  private let items: [Item]
  private let pattern: String

  package init(_ pattern: String) throws(ValueFault) {
    self.pattern = pattern
    var items: [Item] = []
    var rest = pattern[...]
    while let letter = rest.first {
      if letter == "'" {
        try Self.quoted(&rest, pattern, items: &items)
        continue
      }
      let run = rest.prefix { $0 == letter }
      rest = rest[run.endIndex...]
      guard letter.isASCII, letter.isLetter else {
        items += run.utf8.map { Item.literal($0) }
        continue
      }
      items.append(try Self.item(letter, run.count, pattern: pattern))
    }
    guard items.contains(where: { if case .year = $0 { true } else { false } }) else {
      throw ValueFault(.unknown, "the date format '\(pattern)' has no year: write 'yyyy' in it")
    }
    self.items = items
  }

  private static func item(_ letter: Character, _ count: Int, pattern: String) throws(ValueFault) -> Item {
    switch (letter, count) {
    case ("y", 1), ("y", 2), ("y", 4): .year(count)
    case ("M", 1...2): .month
    case ("M", 3...4): .monthName
    case ("d", 1...2): .day
    case ("H", 1...2): .hour
    case ("h", 1...2): .shortHour
    case ("a", _): .half
    case ("m", 1...2): .minute
    case ("s", 1...2): .second
    case ("S", _): .fraction
    case ("Z", _), ("X", _), ("x", _): .offset
    case ("E", _): .weekday
    default:
      throw ValueFault(
        .unknown,
        "the date format '\(pattern)' has '\(String(repeating: letter, count: count))', which is unknown; "
          + "known are y, M, d, H, h, a, m, s, S, E, Z, X, x, and text between apostrophes")
    }
  }

  private static func quoted(_ rest: inout Substring, _ pattern: String, items: inout [Item]) throws(ValueFault) {
    rest = rest.dropFirst()
    // Two apostrophes are one, also outside quotes.
    if rest.first == "'" {
      items.append(.literal(UInt8(ascii: "'")))
      rest = rest.dropFirst()
      return
    }
    while let next = rest.first {
      rest = rest.dropFirst()
      if next == "'" {
        guard rest.first == "'" else { return }
        rest = rest.dropFirst()
      }
      items += next.utf8.map { Item.literal($0) }
    }
    throw ValueFault(.unknown, "the date format '\(pattern)' has an apostrophe that is never closed")
  }

  // MARK: Reading

  private struct Parts {
    var (year, month, day) = (0, 1, 1)
    var (hour, minute, second) = (0, 0, 0)
    var (fraction, offset) = (0.0, 0)
    var shortHour: Int?
    var isAfternoon: Bool?
  }

  /// Seconds since the beginning of 2001.
  package func date(_ bytes: UnsafeRawBufferPointer) throws(ValueFault) -> Double {
    let wrong = ValueFault(.wrongType, "a date is expected, as '\(pattern)'")
    var (scan, parts) = (DateText.Scan(bytes), Parts())
    for item in items { guard Self.take(item, &scan, parts: &parts) else { throw wrong } }
    if let hour = parts.shortHour {
      guard (1...12).contains(hour) else { throw wrong }
      parts.hour = hour % 12 + (parts.isAfternoon == true ? 12 : 0)
    }
    guard scan.isAtEnd, parts.year > 0, (1...12).contains(parts.month),
      (1...DateText.days(parts.year, parts.month)).contains(parts.day), parts.hour < 24, parts.minute < 60,
      parts.second < 61
    else { throw wrong }
    let time = parts.hour * 3600 + parts.minute * 60 + parts.second - parts.offset
    return Double(DateText.day(parts.year, parts.month, day: parts.day) * 86_400 + time) + parts.fraction
  }

  private static func take(_ item: Item, _ scan: inout DateText.Scan, parts: inout Parts) -> Bool {
    func set(_ number: Int?, _ part: WritableKeyPath<Parts, Int>) -> Bool {
      guard let number else { return false }
      parts[keyPath: part] = number
      return true
    }
    switch item {
    case .literal(let byte): return scan.take(byte: byte)
    case .year(2):
      return set(scan.digits(2).map { $0 + ($0 < 69 ? 2000 : 1900) }, \.year)
    case .year(let count): return set(count == 4 ? scan.digits(4) : scan.digits(upTo: 4), \.year)
    case .month: return set(scan.digits(upTo: 2), \.month)
    case .monthName: return set(name(&scan, months).map { $0 + 1 }, \.month)
    case .day: return set(scan.digits(upTo: 2), \.day)
    case .hour: return set(scan.digits(upTo: 2), \.hour)
    case .minute: return set(scan.digits(upTo: 2), \.minute)
    case .second: return set(scan.digits(upTo: 2), \.second)
    case .offset: return set(scan.isAtEnd ? nil : scan.offset(), \.offset)
    case .shortHour:
      parts.shortHour = scan.digits(upTo: 2)
      return parts.shortHour != nil
    case .half:
      let word = scan.letters()
      parts.isAfternoon = word == "pm"
      return word == "am" || word == "pm"
    case .fraction:
      guard let fraction = scan.fraction() else { return false }
      parts.fraction = fraction
      return true
    case .weekday: return name(&scan, weekdays) != nil
    }
  }

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]
  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  /// The index of a name that is written in full, or by its first three letters.
  private static func name(_ scan: inout DateText.Scan, _ names: [String]) -> Int? {
    let word = scan.letters()
    return names.firstIndex { $0 == word || $0.prefix(3) == word }
  }
}
