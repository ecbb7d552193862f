/// The name of a zone in keys. It takes one word, because every key has one and most have none.
package struct ZoneName: Hashable, Sendable {
  private final class Holder: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  private let holder: Holder?

  package static let none = ZoneName("")

  package init(_ text: String) { holder = text.isEmpty ? nil : Holder(text) }

  package var text: String { holder?.text ?? "" }
  package var isEmpty: Bool { holder == nil }

  package static func == (one: ZoneName, other: ZoneName) -> Bool {
    one.holder === other.holder || one.holder != nil && other.holder != nil && one.text == other.text
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
