internal import RoostRecords

/// The form of dates in an imported text.
package enum DateForm: Hashable, Sendable {
  /// ISO 8601. A number of JSON counts seconds since the beginning of 2001, as `JSONEncoder` writes dates.
  case automatic
  case secondsSince2001
  case secondsSince1970
  case millisecondsSince1970
  /// ISO 8601 only.
  case iso8601
  /// A pattern with the letters of Unicode's date format patterns: see ``DatePattern``.
  case pattern(String)
}

/// Reads dates in one form.
package struct DateReader: Sendable {
  private let form: DateForm
  private let pattern: DatePattern?

  package static let automatic = DateReader()

  private init() { (form, pattern) = (.automatic, nil) }

  package init(_ form: DateForm) throws(ValueFault) {
    self.form = form
    if case .pattern(let text) = form { pattern = try DatePattern(text) } else { pattern = nil }
  }

  /// Throws the error for users if a form is invalid.
  init(faultOf form: DateForm) throws {
    do throws(ValueFault) { try self.init(form) } catch { throw TransferFault(error.code, error.detail) }
  }

  /// A date as seconds since the beginning of 2001.
  ///
  /// - Parameter isNumber: Whether it is a JSON number instead of a text.
  package func date(_ bytes: UnsafeRawBufferPointer, isNumber: Bool) throws(ValueFault) -> Double {
    switch form {
    case .automatic:
      if !isNumber { return try DateText.date(bytes) }
      let seconds = try NumberText.double(bytes)
      // Milliseconds since 1970 that are read as seconds since 2001 would be a date after the year
      // 50,000.
      guard abs(seconds) < DateText.farthest else {
        throw ValueFault(
          .outOfRange, "as seconds since 2001 the number is not a date; give the unit with 'dates'")
      }
      return seconds
    case .iso8601:
      if isNumber { throw DateText.wrong }
      return try DateText.date(bytes)
    case .secondsSince2001: return try counted(bytes, "seconds since 2001") { $0 }
    case .secondsSince1970: return try counted(bytes, "seconds since 1970") { $0 - DateText.epoch }
    case .millisecondsSince1970: return try counted(bytes, "milliseconds since 1970") { $0 / 1000 - DateText.epoch }
    case .pattern:
      guard let pattern else { throw DateText.wrong }
      return try pattern.date(bytes)
    }
  }

  /// A number, or a text in ISO 8601, which never looks like a number.
  private func counted(
    _ bytes: UnsafeRawBufferPointer, _ unit: String, convert: (Double) -> Double
  ) throws(ValueFault) -> Double {
    if let number = try? NumberText.double(bytes), number.isFinite { return convert(number) }
    if let date = try? DateText.date(bytes) { return date }
    throw ValueFault(.wrongType, "a date is expected, in \(unit) or as 2024-05-01T12:30:00Z")
  }
}
