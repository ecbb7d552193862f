public import Foundation

extension Schema {
  /// Indexes of properties that predicates search and fetches sort by.
  public final class Index<T>: SchemaProperty, Hashable, Codable, CustomDebugStringConvertible, @unchecked Sendable
  where T: PersistentModel {
    /// Key paths, and the kind of index over them.
    public enum Types<P> where P: PersistentModel {
      /// An ordered index over properties: for `==`, `<`, ranges and sort orders. The first key
      /// path is sorted by first.
      case binary([PartialKeyPath<P>])
      /// SwiftData's spatial index. In Roost it is an ordered index too.
      case rtree([PartialKeyPath<P>])
    }

    /// The declared indexes, each with its key paths.
    public let indices: [Types<T>]
    /// The parts of indexes with a condition, with forms of properties or with a sort order for
    /// each property.
    public let parts: [[IndexPart<T>]]
    /// The condition of the objects in these indexes; nil if the indexes have all objects.
    public let condition: Predicate<T>?
    /// The definitions of a decoded schema.
    private let decoded: [IndexDefinition]
    /// A fixed name, because constraints have no names.
    public var name = "SwiftData.Schema.Index"
    /// Empty: a constraint is identified by its properties, not by a name.
    public var originalName = ""
    /// Not used for a constraint.
    public var valueType: any Any.Type = Any.self
    /// False: an index allows equal values.
    public var isUnique: Bool { false }

    /// Declares indexes with their kinds, as `#Index` does.
    public convenience init(_ indices: Types<T>...) { self.init(indices: indices) }
    /// Declares ordered indexes, each over a list of key paths.
    public convenience init(_ binaryIndices: [PartialKeyPath<T>]...) {
      self.init(indices: binaryIndices.map { .binary($0) })
    }

    /// Declares indexes of the objects that fulfil a condition.
    public convenience init(_ binaryIndices: [PartialKeyPath<T>]..., where condition: Predicate<T>) {
      self.init(parts: binaryIndices.map { $0.map { .ascending($0) } }, where: condition)
    }

    /// Declares indexes of forms of properties, or with a sort order for each property.
    public convenience init(_ indices: [IndexPart<T>]..., where condition: Predicate<T>? = nil) {
      self.init(parts: indices, where: condition)
    }

    private init(
      indices: [Types<T>] = [], parts: [[IndexPart<T>]] = [], where condition: Predicate<T>? = nil,
      decoded: [IndexDefinition] = []
    ) {
      (self.indices, self.parts, self.condition, self.decoded) = (indices, parts, condition, decoded)
    }

    /// The keys of the coded form: the names of the properties, without key paths.
    public enum CodingKeys: CodingKey { case indices, definitions }

    /// The indexes that are more than lists of properties.
    public var definitions: [IndexDefinition] {
      parts.isEmpty ? decoded : Schema.definitions(parts, where: condition, isUnique: false).found
    }

    /// The names of each index's properties.
    var names: [[String]] {
      indices.map { index in
        switch index {
        case .binary(let keyPaths), .rtree(let keyPaths): Schema.names(keyPaths)
        }
      }
    }

    var faults: [String] {
      if !parts.isEmpty { return Schema.definitions(parts, where: condition, isUnique: false).faults }
      return indices.flatMap { index in
        switch index {
        case .binary(let keyPaths), .rtree(let keyPaths): Schema.faults(keyPaths, "#Index")
        }
      }
    }

    public var debugDescription: String { "Schema.Index - indices: \(names)" }

    public static func == (one: Index, other: Index) -> Bool {
      one.names == other.names && one.definitions == other.definitions
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(names) }

    public convenience init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      let names = try values.decode([[String]].self, forKey: .indices)
      self.init(
        indices: try names.map { .binary(try Schema.keyPaths(of: T.self, $0)) },
        decoded: try values.decodeIfPresent([IndexDefinition].self, forKey: .definitions) ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(names, forKey: .indices)
      if !definitions.isEmpty { try values.encode(definitions, forKey: .definitions) }
    }
  }

  /// Unique rules: no two models may have the same values of these properties.
  public final class Unique<T>: SchemaProperty, Hashable, Codable, CustomDebugStringConvertible, @unchecked Sendable
  where T: PersistentModel {
    /// The lists of properties: no two models have the same values in all properties of one list.
    public let constraints: [[PartialKeyPath<T>]]
    /// The condition of the rule: no two objects that fulfil it have the same values. Nil for all
    /// objects.
    public let condition: Predicate<T>?
    /// The definitions of a decoded schema.
    private let decoded: [IndexDefinition]
    /// A fixed name, because constraints have no names.
    public var name = "SwiftData.Schema.Unique"
    /// Empty: a constraint is identified by its properties, not by a name.
    public var originalName = ""
    /// Not used for a constraint.
    public var valueType: any Any.Type = Any.self
    /// True: the constraint forbids equal values.
    public var isUnique: Bool { true }

    /// Declares that no two models have the same values in all properties of a list, as `#Unique` does.
    public convenience init(_ constraints: [PartialKeyPath<T>]...) { self.init(constraints: constraints) }

    /// Declares that no two objects that fulfil a condition have the same values.
    public convenience init(_ constraints: [PartialKeyPath<T>]..., where condition: Predicate<T>) {
      self.init(constraints: constraints, where: condition)
    }

    private init(
      constraints: [[PartialKeyPath<T>]], where condition: Predicate<T>? = nil, decoded: [IndexDefinition] = []
    ) {
      (self.constraints, self.condition, self.decoded) = (constraints, condition, decoded)
    }

    /// The keys of the coded form: the names of the properties, without key paths.
    public enum CodingKeys: CodingKey { case constraints, definitions }

    /// The names of each rule's properties, if there is no condition.
    var names: [[String]] { condition == nil ? constraints.map { Schema.names($0) } : [] }

    /// The rules with a condition.
    public var definitions: [IndexDefinition] { condition == nil ? decoded : kept.found }

    private var kept: (found: [IndexDefinition], faults: [String]) {
      Schema.definitions(constraints.map { $0.map { .ascending($0) } }, where: condition, isUnique: true)
    }

    var faults: [String] {
      condition == nil ? constraints.flatMap { Schema.faults($0, "#Unique") } : kept.faults
    }

    public var debugDescription: String { "Schema.Unique - constraints: \(names)" }

    public static func == (one: Unique, other: Unique) -> Bool {
      one.names == other.names && one.definitions == other.definitions
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(names) }

    public convenience init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      let names = try values.decode([[String]].self, forKey: .constraints)
      self.init(
        constraints: try names.map { try Schema.keyPaths(of: T.self, $0) },
        decoded: try values.decodeIfPresent([IndexDefinition].self, forKey: .definitions) ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(names, forKey: .constraints)
      if !definitions.isEmpty { try values.encode(definitions, forKey: .definitions) }
    }
  }

  /// Returns the names of properties, and of properties of structs after a dot. The identifier of a
  /// referenced model has the name of the reference.
  static func names<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>]) -> [String] {
    keyPaths.map { keyPath in
      if let path = PathShelf.shared.path(keyPath), !path.names.isEmpty { return path.names.joined(separator: ".") }
      let text = String(describing: keyPath)
      return text.firstIndex(of: ".").map { String(text[text.index(after: $0)...]) } ?? text
    }
  }

  /// Returns the faults of constraints that cannot be stored: values of other models.
  static func faults<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>], _ macro: String) -> [String] {
    keyPaths.compactMap { keyPath in
      guard let path = PathShelf.shared.path(keyPath) else { return nil }
      if path.references.isEmpty {
        guard case .property(let number) = path.end, case .toMany(let link) = path.root.properties[number].storage
        else {
          return nil
        }
        let target = link.model._$type.name
        let name = path.root.propertyName(number)
        return
          "\(macro) of \(T._$type.name) names \\.\(name), a list of \(target), which has no value to compare: name properties of \(T._$type.name), or declare it in \(target)"
      }
      if case .model = path.end, path.references.count == 1 { return nil }
      let name = path.names.joined(separator: "?.")
      return
        "\(macro) of \(T._$type.name) names \\.\(name), which is a value of another model: name \\.\(path.names[0]) or a property of \(T._$type.name)"
    }
  }

  static func keyPaths<T: PersistentModel>(of type: T.Type, _ names: [String]) throws -> [PartialKeyPath<T>] {
    try names.map { name in
      guard let number = T._$type.properties.firstIndex(where: { $0.name == name }),
        let found = T._$type.heirPath(number) as? PartialKeyPath<T>
      else { throw SchemaFault("\(T._$type.name) has no property named \(name)") }
      return found
    }
  }
}

extension Schema.Index: ConstraintProperty {}
extension Schema.Unique: ConstraintProperty {}
