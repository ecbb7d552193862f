internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// What an expression is to the engine.
struct TranslatedPart {
  enum Meaning {
    case value
    /// A row, which may be none where the expression is optional.
    case row(EntityMap)
    case rows(EntityMap)
    /// A struct that is an element of a collection.
    case structure(AnyCoder)
    /// A struct that is stored as its parts.
    case parts(Parts)
    /// A date of which a part in UTC is asked.
    case moment
    /// Something from outside the predicate, which has a form here only beside something else.
    case captured(Captured)
  }

  struct Parts {
    var base: Condition
    var map: EntityMap
    var path: String
    var coder: AnyCoder
  }

  struct Captured {
    private let content: Any
    let type: Any.Type
    /// Which of the predicate's leaves it is, where a template is made; else nil.
    let leaf: Int?
    private let leaves: TemplateLeaves?

    init(value: Any, type: Any.Type, leaf: Int? = nil, _ leaves: TemplateLeaves? = nil) {
      content = value
      self.type = type
      self.leaf = leaf
      self.leaves = leaves
    }

    /// The value itself. The translation then holds for this value only, so it gives no template.
    var value: Any {
      leaves?.isTouched = true
      return content
    }

    /// The leaf of an identifier or a list of identifiers; otherwise nil. A template then reads it as rows of the map.
    func rowLeaf(of map: EntityMap) -> Int? {
      guard let leaf, let leaves, IdentifierLeaf.isKnown(type) else { return nil }
      leaves.stands(leaf, for: map)
      return leaf
    }

    /// Notes what is stored of the value, so that a template can be compared with it.
    func note(_ value: Value) {
      if let leaf { leaves?.note(value, leaf) }
    }

    /// Another value that is nil, or not, as this one is, would be taken in the same way.
    var isNil: Bool { FlatValue.of(content) == nil }
    /// For making a constant of it, in whose place another one may be put.
    var constant: Any { content }
  }

  private(set) var meaning: Meaning
  /// Of no use for parts and what is captured.
  var expression: Condition

  init(_ expression: Condition, _ meaning: Meaning = .value) {
    self.expression = expression
    self.meaning = meaning
  }

  init(captured value: Any, _ type: Any.Type) { self.init(Captured(value: value, type: type)) }

  init(_ captured: Captured) {
    meaning = .captured(captured)
    expression = .constant(.null, .optional(.bool))
  }

  init(_ parts: Parts) {
    meaning = .parts(parts)
    expression = .constant(.null, .optional(.bool))
  }

  var captured: Captured? { if case .captured(let captured) = meaning { captured } else { nil } }
  var row: EntityMap? { if case .row(let map) = meaning { map } else { nil } }
  var rows: EntityMap? { if case .rows(let map) = meaning { map } else { nil } }
}

extension TranslatedPart.Meaning {
  /// The meaning of an element of a collection.
  static func element(of type: Any.Type) -> TranslatedPart.Meaning {
    guard let codable = TypeFacts.codable(type) else { return .value }
    guard let coder = try? CoderShelf.shared.coder(any: codable) else { return .value }
    return coder.parts.isEmpty ? .value : .structure(coder)
  }
}
