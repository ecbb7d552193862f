public import Foundation
internal import RoostQuery

/// Compares texts as readers expect it: letters first, then their marks, then their case.
///
/// It is the same on every machine, whatever language that is set to. Where Foundation has `String.StandardComparator.localized` and
/// `.localizedStandard`, as on Apple's systems, those are taken.
public struct LocalizedComparator: SortComparator, Codable, Sendable {
  public var order: SortOrder
  /// Whether runs of digits are compared as numbers.
  public let readsNumbers: Bool

  init(readsNumbers: Bool, order: SortOrder = .forward) {
    self.readsNumbers = readsNumbers
    self.order = order
  }

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
    /// The same, with runs of digits as the numbers they are: "a2" comes before "a10".
    @_disfavoredOverload public static var localizedStandard: LocalizedComparator {
      LocalizedComparator(readsNumbers: true)
    }
  }

  extension SortComparator where Self == LocalizedComparator {
    /// Letters first, then their marks, then their case.
    @_disfavoredOverload public static var localized: LocalizedComparator { LocalizedComparator(readsNumbers: false) }
    /// The same, with runs of digits as the numbers they are: "a2" comes before "a10".
    @_disfavoredOverload public static var localizedStandard: LocalizedComparator {
      LocalizedComparator(readsNumbers: true)
    }
  }
#endif

/// A text that is sorted as readers expect it.
struct LocalizedText: Comparable, Hashable, Sendable {
  let text: String
  private let key: [UInt8]

  init(_ text: String, _ readsNumbers: Bool) {
    self.text = text
    key = (readsNumbers ? Collation.localizedStandard : .localized).key(text)
  }

  static func < (one: LocalizedText, other: LocalizedText) -> Bool { one.key.lexicographicallyPrecedes(other.key) }
}

extension String {
  var localized: LocalizedText { LocalizedText(self, false) }
  var localizedStandard: LocalizedText { LocalizedText(self, true) }
}

extension String? {
  var localized: LocalizedText? { map { $0.localized } }
  var localizedStandard: LocalizedText? { map { $0.localizedStandard } }
}
