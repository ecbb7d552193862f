/// Dates as text in ISO 8601.
///
/// A date is a number of seconds since the beginning of 2001. Its text has as many decimals of the
/// second as distinguish it from every other date. A date outside the years 1 to 9999, or that no
/// decimals distinguish, is written as `@` and the number.
package enum DateText {
  /// Seconds from the beginning of 1970 to that of 2001.
  package static let epoch = 978_307_200.0
  /// Dates more than this many seconds before or after 2001, some 12,000 years, are written as
  /// numbers.
  package static let farthest = 400_000_000_000.0

  package static func text(_ date: Double) -> String {
    let whole = date.rounded(.down)
    guard abs(whole) < farthest, (date - whole) < 1, let (number, digits) = shortest(date, whole) else {
      return "@" + (date.isNaN ? "nan" : date.description)
    }
    // Whole days, then the seconds of that day.
    let seconds = Int(whole)
    let day = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
    let rest = seconds - day * 86_400
    let (year, month, dayOfMonth) = civil(day + 11_323)
    guard (1...9999).contains(year) else { return "@" + (date.isNaN ? "nan" : date.description) }
    var text = pad(year, 4) + "-" + pad(month, 2) + "-" + pad(dayOfMonth, 2)
    text += "T" + pad(rest / 3600, 2) + ":" + pad(rest / 60 % 60, 2) + ":" + pad(rest % 60, 2)
    if digits > 0 { text += "." + pad(Int(number), digits) }
    return text + "Z"
  }

  /// The fewest decimals of the second from which the same date is read back; nil if no number of
  /// decimals suffices.
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

  /// The value of decimals: `number` divided by 10 to the power of `digits`.
  package static func fraction(_ number: UInt64, _ digits: Int) -> Double {
    var power = 1.0
    for _ in 0..<digits { power *= 10 }
    return Double(number) / power
  }

  /// The day of the Gregorian calendar that is so many days after 1970-01-01. The year before 1 is 0.
  static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let dayOfEra = (shifted % 146_097 + 146_097) % 146_097
    let era = (shifted - dayOfEra) / 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let months = (5 * dayOfYear + 2) / 153
    let month = months < 10 ? months + 3 : months - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * months + 2) / 5 + 1)
  }
}
