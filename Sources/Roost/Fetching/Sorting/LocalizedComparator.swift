public import Foundation

/// Compares texts as readers expect: by letters first, then by diacritics, then by case.
///
/// The order is the same on every machine, whatever its language. On systems whose Foundation has
/// `String.StandardComparator.localized` and `.localizedStandard`, such as Apple's, those are used
/// instead.
public struct LocalizedComparator: SortComparator, Codable, Sendable {
  /// Forward for ascending texts, reverse for descending ones.
  public var order: SortOrder
  /// Whether runs of digits are compared as numbers.
  public let readsNumbers: Bool

  init(readsNumbers: Bool, order: SortOrder = .forward) {
    self.readsNumbers = readsNumbers
    self.order = order
  }

  /// Compares two texts in the direction of ``order``. Texts without a relevant difference are
  /// `orderedSame`.
  public func compare(_ one: String, _ other: String) -> ComparisonResult {
    let (first, second) = (LocalizedText(one, readsNumbers), LocalizedText(other, readsNumbers))
    let result: ComparisonResult =
      first == second ? .orderedSame : first < second ? .orderedAscending : .orderedDescending
    return order == .forward ? result : result.reversed
  }
}

#if !canImport(Darwin)
  extension String.StandardComparator {
    /// Compares letters first, then diacritics, then case.
    @_disfavoredOverload public static var localized: LocalizedComparator { LocalizedComparator(readsNumbers: false) }
    /// The order of `localized`, with runs of digits compared as numbers: "a2" comes before "a10".
    @_disfavoredOverload public static var localizedStandard: LocalizedComparator {
      LocalizedComparator(readsNumbers: true)
    }
  }

  extension SortComparator where Self == LocalizedComparator {
    /// Compares letters first, then diacritics, then case.
    @_disfavoredOverload public static var localized: LocalizedComparator { LocalizedComparator(readsNumbers: false) }
    /// The order of `localized`, with runs of digits compared as numbers: "a2" comes before "a10".
    @_disfavoredOverload public static var localizedStandard: LocalizedComparator {
      LocalizedComparator(readsNumbers: true)
    }
  }
#endif
