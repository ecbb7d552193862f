import Foundation
import RoostRecords
import RoostTransfer

/// The first line of a dump: everything that a store knows of its models.
struct DumpSchema: Codable {
  /// The form of the file. A newer tool with another form can read the older ones.
  static let form = 1

  struct FieldForm: Codable {
    var number: UInt16
    var name: String
    var type: TypeForm
    var isOptional: Bool
    var isPreserved: Bool?
    var isNeeded: Bool?
    /// The value as JSON text.
    var initial: String?
    var cases: [String]?
  }

  struct EntityForm: Codable {
    var number: UInt32
    var name: String
    var nextField: UInt16
    var nextRow: UInt64
    var rows: Int
    var fields: [FieldForm]
  }

  struct IndexForm: Codable {
    struct Part: Codable {
      var field: UInt16
      var isDescending: Bool
      /// The indexed form of the field, if it is not the value.
      var form: String?
    }

    /// A test of a partial index: is nil, is not nil, a comparison, or `any` of others.
    struct Test: Codable {
      var kind: String
      var field: UInt16?
      var value: String?
      var any: [Test]?
    }

    var number: UInt32
    var entity: UInt32
    var name: String
    var isUnique: Bool
    var parts: [Part]
    var tests: [Test]
  }

  struct RelationshipForm: Codable {
    var number: UInt32
    var entity: UInt32
    var name: String
    var target: UInt32
    var inverse: UInt32
    var deleteRule: String
    var traits: [String]
    var index: UInt32?
    /// one, many or links
    var shape: String
    var holder: UInt32?
    var field: UInt16?
  }

  struct TextIndexForm: Codable {
    var number: UInt32
    var entity: UInt32
    var name: String
    var fields: [UInt16]
    var options: [String]
    /// The options as the store encodes them.
    var analyzer: Data
  }

  struct FormulaForm: Codable {
    var entity: UInt32
    var field: UInt16
    var kind: String
    var relationship: UInt32?
    var value: UInt16?
    var key: UInt16?
    var text: String
  }

  struct VersionForm: Codable {
    struct Part: Codable {
      var name: String
      var fingerprint: String
      var digest: String
      var parked: [String]
      var formerNames: [String: String]
    }

    var number: String
    var parts: [Part]
    var parked: [String]
  }

  struct NextForm: Codable {
    var entity: UInt32
    var index: UInt32
    var relationship: UInt32
  }

  var dump: String
  var form: Int
  var history: String
  var next: NextForm
  var entities: [EntityForm]
  var indexes: [IndexForm]
  var relationships: [RelationshipForm]
  var textIndexes: [TextIndexForm]
  /// The definitions of derived fields.
  var formulas: [FormulaForm]
  var version: VersionForm?
}

/// A type of a field or of an element: a word, or an object with a word and its parts.
indirect enum TypeForm: Codable {
  case word(String)
  case reference(UInt32)
  case composed(String, [TypeForm], names: [String]?)

  private enum Keys: CodingKey { case kind, of, names, entity }

  init(from decoder: any Decoder) throws {
    if let word = try? decoder.singleValueContainer().decode(String.self) {
      self = .word(word)
      return
    }
    let container = try decoder.container(keyedBy: Keys.self)
    if let entity = try container.decodeIfPresent(UInt32.self, forKey: .entity) {
      self = .reference(entity)
      return
    }
    self = .composed(
      try container.decode(String.self, forKey: .kind), try container.decode([TypeForm].self, forKey: .of),
      names: try container.decodeIfPresent([String].self, forKey: .names))
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .word(let word):
      var container = encoder.singleValueContainer()
      try container.encode(word)
    case .reference(let entity):
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(entity, forKey: .entity)
    case .composed(let kind, let parts, let names):
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(kind, forKey: .kind)
      try container.encode(parts, forKey: .of)
      try container.encodeIfPresent(names, forKey: .names)
    }
  }

  private static let plain: [FieldType] = [
    .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal, .string, .data,
    .date, .uuid, .url, .presence,
  ]

  init(_ type: FieldType) {
    switch type {
    case .reference(let entity): self = .reference(entity.number)
    case .array(let element): self = .composed("array", [TypeForm(element)], names: nil)
    case .set(let element): self = .composed("set", [TypeForm(element)], names: nil)
    case .dictionary(let key, let value):
      self = .composed("dictionary", [TypeForm(key), TypeForm(value)], names: nil)
    default: self = .word("\(type)")
    }
  }

  init(_ type: ElementType) {
    switch type {
    case .plain(let field): self.init(field)
    case .optional(let inner): self = .composed("optional", [TypeForm(inner)], names: nil)
    case .structure(let parts):
      self = .composed("structure", parts.map { TypeForm($0.type) }, names: parts.map(\.name))
    }
  }

  /// The reader of JSON limits the depth, and the catalog checks it again.
  func type() throws -> FieldType {
    switch self {
    case .word(let word):
      guard let type = Self.plain.first(where: { "\($0)" == word }) else {
        throw TransferFault(.unknown, "the dump names a type '\(word)', which this version does not know", line: 1)
      }
      return type
    case .reference(let entity): return .reference(EntityID(entity))
    case .composed("array", let parts, _) where parts.count == 1: return .array(try parts[0].element())
    case .composed("set", let parts, _) where parts.count == 1: return .set(try parts[0].element())
    case .composed("dictionary", let parts, _) where parts.count == 2:
      return .dictionary(try parts[0].element(), try parts[1].element())
    case .composed(let kind, _, _):
      throw TransferFault(.unknown, "the dump names a type '\(kind)', which this version does not know", line: 1)
    }
  }

  private func element() throws -> ElementType {
    switch self {
    case .composed("optional", let parts, _) where parts.count == 1: return .optional(try parts[0].element())
    case .composed("structure", let parts, let names?) where parts.count == names.count:
      return .structure(try zip(names, parts).map { ElementType.Part($0, try $1.element()) })
    default: return .plain(try type())
    }
  }
}
