public import Foundation
internal import RoostRecords

/// The parts of a date in UTC, by the Gregorian calendar.
///
/// An index of the part, such as `#Index<Greeting>([.month(\.sent)])`, answers a predicate with it:
///
/// ```swift
/// let december = #Predicate<Greeting> { $0.sent.utc.month == 12 }
/// ```
///
/// A date that is NaN has the parts of January 1, 2001. A date more than 10¹⁵ days from 2001 has the
/// parts of that day.
///
/// For one year or one day, a range of dates and an index of the date are better.
public struct UTCDate: Hashable, Sendable {
  private let seconds: Double

  /// The parts of a date.
  public init(_ date: Date) { seconds = date.timeIntervalSinceReferenceDate }

  /// The year. The year before 1 is 0.
  public var year: Int { part(.year) }
  /// The month, from 1 to 12.
  public var month: Int { part(.month) }
  /// The day of the month, from 1 to 31.
  public var day: Int { part(.day) }
  /// The day of the week, from 1 for Sunday to 7 for Saturday, as in `Calendar`.
  public var weekday: Int { part(.weekday) }
  /// The hour of the day, from 0 to 23.
  public var hour: Int { part(.hour) }

  private func part(_ part: DatePart) -> Int { Int(part.of(seconds)) }
}

extension Date {
  /// The parts of this date in UTC: `bill.date.utc.year`.
  public var utc: UTCDate { UTCDate(self) }
}

extension DatePart {
  /// The part that a key path shows.
  init?(_ keyPath: AnyKeyPath) {
    switch keyPath {
    case \UTCDate.year: self = .year
    case \UTCDate.month: self = .month
    case \UTCDate.day: self = .day
    case \UTCDate.weekday: self = .weekday
    case \UTCDate.hour: self = .hour
    default: return nil
    }
  }
}
