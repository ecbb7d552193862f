/// Moments as text, in the spelling of ISO 8601.
///
/// A date is a number of seconds since the beginning of 2001. It is written with as many digits behind the second as tell it from
/// every other; one that lies outside the years 1 to 9999, or cannot be told so, as `@` and the number.
package enum DateText {
  /// Seconds from the beginning of 1970 to that of 2001.
  private static let epoch = 978_307_200.0

  // MARK: Reading

  package static func date(_ bytes: UnsafeRawBufferPointer) throws(ValueFault) -> Double {
    let wrong = ValueFault(.wrongType, "a date is expected, as 2024-05-01T12:30:00Z")
    if bytes.first == UInt8(ascii: "@") { return try NumberText.double(UnsafeRawBufferPointer(rebasing: bytes[1...])) }
    var scan = Scan(bytes)
    guard let year = scan.digits(4), scan.take("-"), let month = scan.digits(2), scan.take("-"),
      let day = scan.digits(2),
      (1...12).contains(month), year > 0, (1...days(year, month)).contains(day)
    else { throw wrong }
    var seconds = Double((daysFromCivil(year, month, day) - 11_323) * 86_400)
    if scan.isAtEnd { return seconds }
    guard scan.take("T") || scan.take("t") || scan.take(" "), let hour = scan.digits(2), scan.take(":"),
      let minute = scan.digits(2), hour < 24, minute < 60
    else { throw wrong }
    var second = 0
    var fraction = 0.0
    if scan.take(":") {
      guard let found = scan.digits(2), found < 61 else { throw wrong }
      second = found
      if scan.take(".") || scan.take(",") {
        guard let found = scan.fraction() else { throw wrong }
        fraction = found
      }
    }
    seconds += Double(hour * 3600 + minute * 60 + second)
    guard let offset = scan.offset(), scan.isAtEnd else { throw wrong }
    return seconds - Double(offset) + fraction
  }

  private struct Scan {
    private let bytes: UnsafeRawBufferPointer
    private var at = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { at == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
      at += 1
      return true
    }

    mutating func digits(_ count: Int) -> Int? {
      guard at + count <= bytes.count else { return nil }
      var number = 0
      for place in at..<at + count {
        guard Byte.isDigit(bytes[place]) else { return nil }
        number = number * 10 + Int(bytes[place] &- Byte.zero)
      }
      at += count
      return number
    }

    /// Digits behind the point; those beyond the seventeenth tell nothing.
    mutating func fraction() -> Double? {
      let start = at
      var (number, count) = (UInt64(0), 0)
      while at < bytes.count, Byte.isDigit(bytes[at]) {
        if count < 17 { (number, count) = (number * 10 + UInt64(bytes[at] &- Byte.zero), count + 1) }
        at += 1
      }
      return at == start ? nil : DateText.fraction(number, count)
    }

    /// Seconds east of Greenwich. Without any, a time is one of Greenwich.
    mutating func offset() -> Int? {
      if isAtEnd || take("Z") || take("z") { return 0 }
      let isWest = take("-")
      guard isWest || take("+"), let hours = digits(2) else { return nil }
      var minutes = 0
      if take(":") || !isAtEnd {
        guard let found = digits(2) else { return nil }
        minutes = found
      }
      guard hours < 24, minutes < 60 else { return nil }
      return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
  }

  fileprivate static func fraction(_ number: UInt64, _ digits: Int) -> Double {
    var power = 1.0
    for _ in 0..<digits { power *= 10 }
    return Double(number) / power
  }

  // MARK: Writing

  package static func text(_ date: Double) -> String {
    let whole = date.rounded(.down)
    guard abs(whole) < 400_000_000_000, (date - whole) < 1, let (number, digits) = shortest(date, whole) else {
      return "@" + NumberText.text(date)
    }
    // A leap of days, then the seconds of that day.
    let seconds = Int(whole)
    let day = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
    let rest = seconds - day * 86_400
    let (year, month, dayOfMonth) = civil(day + 11_323)
    guard (1...9999).contains(year) else { return "@" + NumberText.text(date) }
    var text = pad(year, 4) + "-" + pad(month, 2) + "-" + pad(dayOfMonth, 2)
    text += "T" + pad(rest / 3600, 2) + ":" + pad(rest / 60 % 60, 2) + ":" + pad(rest % 60, 2)
    if digits > 0 { text += "." + pad(Int(number), digits) }
    return text + "Z"
  }

  /// The fewest digits behind the second from which the same date is read; nil where there are none.
  private static func shortest(_ date: Double, _ whole: Double) -> (UInt64, Int)? {
    let rest = date - whole
    if whole + 0 == date { return (0, 0) }
    var power = 1.0
    for digits in 1...17 {
      power *= 10
      let number = (rest * power).rounded()
      guard number < power else { continue }
      if whole + fraction(UInt64(number), digits) == date { return (UInt64(number), digits) }
    }
    return nil
  }

  private static func pad(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  // MARK: Days

  private static func days(_ year: Int, _ month: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since the beginning of 1970. Years are taken to begin in March, so that the odd day comes last.
  private static func daysFromCivil(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let years = month > 2 ? year : year - 1
    let months = (month + 9) % 12
    let dayOfYear = (153 * months + 2) / 5 + day - 1
    return years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
  }

  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    guard shifted >= 0 else { return (0, 1, 1) }
    let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let months = (5 * dayOfYear + 2) / 153
    let month = months < 10 ? months + 3 : months - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * months + 2) / 5 + 1)
  }
}
