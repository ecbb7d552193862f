/// The name of a zone in keys. It takes one word, because every key has this field, and in most
/// keys it is empty.
package struct ZoneName: Hashable, Sendable {
  private final class Holder: Sendable {
    let text: String
    let hash: Int

    init(_ text: String) { (self.text, hash) = (text, text.hashValue) }
  }

  private let holder: Holder?

  package static let none = ZoneName("")

  package init(_ text: String) { holder = text.isEmpty ? nil : Holder(text) }

  package var text: String { holder?.text ?? "" }
  package var isEmpty: Bool { holder == nil }

  package static func == (one: ZoneName, other: ZoneName) -> Bool {
    one.holder === other.holder || one.holder != nil && other.holder != nil && one.text == other.text
  }

  /// A key without a zone has nothing to hash here.
  package func hash(into hasher: inout Hasher) { if let holder { hasher.combine(holder.hash) } }

  /// Whether its text has these bytes. Equal names may have different bytes.
  package func isWritten(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let holder else { return bytes.isEmpty }
    return holder.text.utf8.elementsEqual(bytes)
  }
}
