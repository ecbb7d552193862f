import SwiftData

/// A model of values whose defaults have different sources.
@Model final class Thing {
  enum Kind: String, Codable { case first, second }

  /// A type without an empty value.
  struct Sealed: Codable, Hashable {
    var word: String

    init(_ word: String) { self.word = word }

    init(from decoder: any Decoder) throws {
      let word = try decoder.singleValueContainer().decode(String.self)
      guard word.count > 1 else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no word"))
      }
      self.word = word
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(word)
    }
  }

  var name = "nameless"
  var count: Int
  var note: String?
  var kind = Kind.second
  var tags: [String]
  var sealed: Sealed
  var owner: Pupil
  @Relationship(inverse: \Thing.whole) var parts: [Thing] = []
  var whole: Thing?

  init(_ name: String, count: Int = 0, owner: Pupil) {
    self.name = name
    self.count = count
    note = "a note"
    kind = .first
    tags = ["a"]
    sealed = Sealed("word")
    self.owner = owner
  }
}
