/// A part of a moment in UTC, by the Gregorian calendar.
///
/// The calendar also counts years before its introduction in 1582, as ISO 8601 does. The year before 1 is 0. There are no leap seconds.
package enum DatePart: String, Hashable, Sendable, CaseIterable {
  case year
  /// 1 to 12.
  case month
  /// 1 to 31.
  case day
  /// 1 is Sunday, 7 is Saturday.
  case weekday
  /// 0 to 23.
  case hour

  /// Days from the beginning of 1970 to that of 2001, which was a Monday.
  private static let epochDays = 11_323
  /// Farther dates have the parts of this many days from 2001, so no part overflows.
  private static let mostDays = 1e15

  /// The part of a date in seconds after the beginning of 2001. A date that is no number has the parts of 2001-01-01.
  package func of(_ seconds: Double) -> Int64 {
    if seconds.isNaN { return of(0) }
    let dayBegin = (seconds / 86_400).rounded(.down)
    let days = Int(min(max(dayBegin, -Self.mostDays), Self.mostDays))
    switch self {
    case .year: return Int64(DateText.civil(days + Self.epochDays).year)
    case .month: return Int64(DateText.civil(days + Self.epochDays).month)
    case .day: return Int64(DateText.civil(days + Self.epochDays).day)
    case .weekday: return Int64(((days + 1) % 7 + 7) % 7 + 1)
    case .hour:
      guard abs(dayBegin) <= Self.mostDays else { return 0 }
      return min(23, Int64((seconds - dayBegin * 86_400) / 3600))
    }
  }
}
