public import Foundation

/// Compares texts as readers expect it: letters first, then their marks, then their case.
///
/// It is the same on every machine, whatever language that is set to. Where Foundation has `String.StandardComparator.localized` and
/// `.localizedStandard`, as on Apple's systems, those are taken.
public struct LocalizedComparator: SortComparator, Codable, Sendable {
  /// Forward for ascending texts, reverse for descending ones.
  public var order: SortOrder
  /// Whether runs of digits are compared as numbers.
  public let readsNumbers: Bool

  init(readsNumbers: Bool, order: SortOrder = .forward) {
    self.readsNumbers = readsNumbers
    self.order = order
  }

  /// The order of two texts, in the direction of ``order``. Texts that differ in nothing that counts are
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
    /// Letters first, then their marks, then their case.
    @_disfavoredOverload public static var localized: LocalizedComparator { LocalizedComparator(readsNumbers: false) }
    /// The order of `localized`, with runs of digits compared as numbers: "a2" comes before "a10".
    @_disfavoredOverload public static var localizedStandard: LocalizedComparator {
      LocalizedComparator(readsNumbers: true)
    }
  }

  extension SortComparator where Self == LocalizedComparator {
    /// Letters first, then their marks, then their case.
    @_disfavoredOverload public static var localized: LocalizedComparator { LocalizedComparator(readsNumbers: false) }
    /// The order of `localized`, with runs of digits compared as numbers: "a2" comes before "a10".
    @_disfavoredOverload public static var localizedStandard: LocalizedComparator {
      LocalizedComparator(readsNumbers: true)
    }
  }
#endif
