internal import RoostQuery

/// A text in the order that readers expect.
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
