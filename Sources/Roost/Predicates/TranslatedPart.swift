internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The translation of an expression into a condition of the engine.
struct TranslatedPart {
  enum Meaning {
    case value
    /// A row. It may be nil if the expression is optional.
    case row(EntityMap)
    case rows(EntityMap)
    /// A struct that is an element of a collection.
    case structure(AnyCoder)
    /// A struct that is stored as its properties.
    case parts(Parts)
    /// A date whose part in UTC is asked for.
    case moment
    /// A captured value. Its form depends on the other operand.
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
    /// The number of the predicate's leaf, if a template is made; nil otherwise.
    let leaf: Int?
    private let leaves: TemplateLeaves?

    init(value: Any, type: Any.Type, leaf: Int? = nil, _ leaves: TemplateLeaves? = nil) {
      content = value
      self.type = type
      self.leaf = leaf
      self.leaves = leaves
    }

    /// The value itself. The translation then holds only for this value, so it gives no template.
    var value: Any {
      leaves?.isTouched = true
      return content
    }

    /// Returns the leaf of an identifier or of a list of identifiers; nil otherwise. A template
    /// then reads it as rows of the map.
    func rowLeaf(of map: EntityMap) -> Int? {
      guard let leaf, let leaves, IdentifierLeaf.isKnown(type) else { return nil }
      leaves.stands(leaf, for: map)
      return leaf
    }

    /// Notes the stored form of the value, so that a template can be compared with it.
    func note(_ value: Value) {
      if let leaf { leaves?.note(value, leaf) }
    }

    /// Whether the value is nil. Another value for which this is the same has the same translation.
    var isNil: Bool { FlatValue.of(content) == nil }
    /// The value for a constant, which another value may replace.
    var constant: Any { content }
  }

  private(set) var meaning: Meaning
  /// Not used for structs and captured values.
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
  /// Returns the meaning of an element of a collection.
  static func element(of type: Any.Type) -> TranslatedPart.Meaning {
    guard let codable = TypeFacts.codable(type) else { return .value }
    guard let coder = try? CoderShelf.shared.coder(any: codable) else { return .value }
    return coder.parts.isEmpty ? .value : .structure(coder)
  }
}
