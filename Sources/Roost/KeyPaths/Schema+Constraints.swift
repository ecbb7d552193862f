extension Schema {
  /// Properties that are looked for together, or sorted by.
  public final class Index<T>: SchemaProperty, Hashable, Codable, CustomDebugStringConvertible, @unchecked Sendable
  where T: PersistentModel {
    /// Key paths, and the kind of index over them.
    public enum Types<P> where P: PersistentModel {
      /// An ordered index over properties: for `==`, `<`, ranges and sort orders. The first key path is sorted by
      /// first.
      case binary([PartialKeyPath<P>])
      /// SwiftData's index for places. Here it is an ordered index too.
      case rtree([PartialKeyPath<P>])
    }

    /// The indexes that the declaration names, each a list of key paths.
    public let indices: [Types<T>]
    /// A fixed name: constraints have none of their own.
    public var name = "SwiftData.Schema.Index"
    /// Empty: a constraint is found by its properties, not by a name.
    public var originalName = ""
    /// Without meaning for a constraint.
    public var valueType: any Any.Type = Any.self
    /// False: an index allows equal values.
    public var isUnique: Bool { false }

    /// Declares indexes with their kinds, as `#Index` does.
    public init(_ indices: Types<T>...) { self.indices = indices }
    /// Declares ordered indexes, each over a list of key paths.
    public init(_ binaryIndices: [PartialKeyPath<T>]...) { indices = binaryIndices.map { .binary($0) } }

    /// The keys of the coded form: the names of the properties, without key paths.
    public enum CodingKeys: CodingKey { case indices }

    /// The names of the properties of each.
    var names: [[String]] {
      indices.map { index in
        switch index {
        case .binary(let keyPaths), .rtree(let keyPaths): Schema.names(keyPaths)
        }
      }
    }

    var faults: [String] {
      indices.flatMap { index in
        switch index {
        case .binary(let keyPaths), .rtree(let keyPaths): Schema.faults(keyPaths, "#Index")
        }
      }
    }

    public var debugDescription: String { "Schema.Index - indices: \(names)" }

    public static func == (one: Index, other: Index) -> Bool { one.names == other.names }
    public func hash(into hasher: inout Hasher) { hasher.combine(names) }

    public init(from decoder: any Decoder) throws {
      let names = try decoder.container(keyedBy: CodingKeys.self).decode([[String]].self, forKey: .indices)
      indices = try names.map { .binary(try Schema.keyPaths(of: T.self, $0)) }
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(names, forKey: .indices)
    }
  }

  /// Properties that no two models may have in common.
  public final class Unique<T>: SchemaProperty, Hashable, Codable, CustomDebugStringConvertible, @unchecked Sendable
  where T: PersistentModel {
    /// The lists of properties: no two models have the same values in all properties of one list.
    public let constraints: [[PartialKeyPath<T>]]
    /// A fixed name: constraints have none of their own.
    public var name = "SwiftData.Schema.Unique"
    /// Empty: a constraint is found by its properties, not by a name.
    public var originalName = ""
    /// Without meaning for a constraint.
    public var valueType: any Any.Type = Any.self
    /// True: the constraint forbids equal values.
    public var isUnique: Bool { true }

    /// Declares that no two models have the same values in all properties of a list, as `#Unique` does.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    /// The keys of the coded form: the names of the properties, without key paths.
    public enum CodingKeys: CodingKey { case constraints }

    var names: [[String]] { constraints.map { Schema.names($0) } }

    var faults: [String] { constraints.flatMap { Schema.faults($0, "#Unique") } }

    public var debugDescription: String { "Schema.Unique - constraints: \(names)" }

    public static func == (one: Unique, other: Unique) -> Bool { one.names == other.names }
    public func hash(into hasher: inout Hasher) { hasher.combine(names) }

    public init(from decoder: any Decoder) throws {
      let names = try decoder.container(keyedBy: CodingKeys.self).decode([[String]].self, forKey: .constraints)
      constraints = try names.map { try Schema.keyPaths(of: T.self, $0) }
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(names, forKey: .constraints)
    }
  }

  /// The names of properties, and of parts of structs behind a point. The identifier of what a reference leads to is the reference.
  static func names<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>]) -> [String] {
    keyPaths.map { keyPath in
      if let path = PathShelf.shared.path(keyPath), !path.names.isEmpty { return path.names.joined(separator: ".") }
      let text = String(describing: keyPath)
      return text.firstIndex(of: ".").map { String(text[text.index(after: $0)...]) } ?? text
    }
  }

  /// What cannot be kept of constraints: values of other models.
  static func faults<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>], _ macro: String) -> [String] {
    keyPaths.compactMap { keyPath in
      guard let path = PathShelf.shared.path(keyPath), !path.references.isEmpty else { return nil }
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
