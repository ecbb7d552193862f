package import RoostRecords

/// Reads the form that ``DateText`` writes, and other forms of ISO 8601.
extension DateText {
  // MARK: Reading

  static var wrong: ValueFault { ValueFault(.wrongType, "a date is expected, as 2024-05-01T12:30:00Z") }

  package static func date(_ bytes: UnsafeRawBufferPointer) throws(ValueFault) -> Double {
    if bytes.first == UInt8(ascii: "@") { return try NumberText.double(UnsafeRawBufferPointer(rebasing: bytes[1...])) }
    var scan = Scan(bytes)
    guard let year = scan.digits(4), scan.take("-"), let month = scan.digits(2), scan.take("-"),
      let day = scan.digits(2),
      (1...12).contains(month), year > 0, (1...days(year, month)).contains(day)
    else { throw wrong }
    var seconds = Double(self.day(year, month, day: day) * 86_400)
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

  /// Reads the parts of a date in order.
  struct Scan {
    private let bytes: UnsafeRawBufferPointer
    private var at = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { at == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool { take(byte: UInt8(ascii: character)) }

    mutating func take(byte: UInt8) -> Bool {
      guard at < bytes.count, bytes[at] == byte else { return false }
      at += 1
      return true
    }

    /// ASCII letters, in lower case.
    mutating func letters() -> String {
      let start = at
      while at < bytes.count, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[at] | 0x20) { at += 1 }
      return String(decoding: bytes[start..<at].lazy.map { $0 | 0x20 }, as: UTF8.self)
    }

    /// The next digits, at least one.
    mutating func digits(upTo most: Int) -> Int? {
      let count = bytes[at...].prefix(most).prefix(while: Byte.isDigit).count
      return count == 0 ? nil : digits(count)
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

    /// Digits after the point. Those after the seventeenth are ignored.
    mutating func fraction() -> Double? {
      let start = at
      var (number, count) = (UInt64(0), 0)
      while at < bytes.count, Byte.isDigit(bytes[at]) {
        if count < 17 { (number, count) = (number * 10 + UInt64(bytes[at] &- Byte.zero), count + 1) }
        at += 1
      }
      return at == start ? nil : DateText.fraction(number, count)
    }

    /// The offset from UTC in seconds. Without one a time is in UTC.
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

  // MARK: Days

  static func days(_ year: Int, _ month: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since the beginning of 2001.
  static func day(_ year: Int, _ month: Int, day: Int) -> Int { daysFromCivil(year, month, day: day) - 11_323 }

  /// Days since the beginning of 1970. Years are counted from March, so that the leap day comes
  /// last.
  private static func daysFromCivil(_ year: Int, _ month: Int, day: Int) -> Int {
    let years = month > 2 ? year : year - 1
    let months = (month + 9) % 12
    let dayOfYear = (153 * months + 2) / 5 + day - 1
    return years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
  }
}
