internal import RoostGraph

/// A snapshot with the values of any model.
///
/// It is coded by the names of the properties, so a store can write it as JSON and read it back:
///
/// ```
/// { "persistentIdentifier": …, "title": "Warszawa", "year": 1977, "playlist": … }
/// ```
public struct DefaultSnapshot: DataStoreSnapshot, Hashable {
  package var content: SnapshotContent

  /// The identifier of the model. ``DataStoreSnapshot/copy(persistentIdentifier:)`` copies the
  /// values to another identifier.
  public var persistentIdentifier: PersistentIdentifier { content.identifier }

  package init(_ content: SnapshotContent) { self.content = content }

  /// Copies the values of a model from its backing data.
  public init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
    func open<Data: BackingData>(_ data: Data) -> SnapshotContent {
      if let model = (data as? _ObjectBacking<Data.Model>)?.model { return SnapshotContent(model) }
      return SnapshotContent(Data.Model(backingData: data))
    }
    content = open(backingData)
  }

  /// Copies the values of a model.
  public init(_ model: some PersistentModel) { content = SnapshotContent(model) }

  /// Makes a snapshot of values that a store has read. For properties that are not named, a new
  /// model gets its defaults, and an existing model keeps its values. The value of a relationship
  /// is a `PersistentIdentifier`, or an array of them.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if a property does not exist or its value
  ///   has another type, and `unknownModel` if no container of this program has the class.
  public init(_ persistentIdentifier: PersistentIdentifier, values: [String: Any]) throws {
    let type = try ModelNames.shared.type(of: persistentIdentifier)
    let form = ImageForm.of(type)
    let named = type.properties.indices.map { values[type.propertyName($0)] }
    for name in values.keys where !type.properties.indices.contains(where: { type.propertyName($0) == name }) {
      throw RoostError(.badValue, "\(type.name) has no property named \(name)")
    }
    let links = try form.links.map { property -> SnapshotContent.Link in
      switch named[property] {
      case nil: return .absent
      case let one as PersistentIdentifier where !form.isList(property): return .one(one)
      case let many as [PersistentIdentifier] where form.isList(property): return .many(many)
      case let nothing as PersistentIdentifier? where nothing == nil && !form.isList(property): return .one(nil)
      default:
        throw RoostError(
          .badValue,
          "\(type.name).\(type.propertyName(property)) is a relationship: give its identifiers, not \(named[property] ?? "nil")"
        )
      }
    }
    let image = ValueImage(form, values: named.map { $0.map { $0 as Any } })
    for (number, value) in named.enumerated() where value != nil && form.linkPlaces[number] < 0 {
      if image.isPresent(number) { continue }
      throw RoostError(
        .badValue, "\(type.name).\(type.propertyName(number)) cannot be a value of type \(Swift.type(of: value!))")
    }
    content = SnapshotContent(persistentIdentifier, image, links: links)
    content.isDecoded = true
  }

  /// The value of a property. For a relationship it is the identifier, or an array of identifiers.
  /// Nil if the snapshot has no value.
  public subscript(property: String) -> Any? {
    guard let number = content.type.properties.indices.first(where: { content.type.propertyName($0) == property })
    else {
      return nil
    }
    switch content.link(number) {
    case .one(let one)?: return one
    case .many(let many)?: return many
    case .absent?: return nil
    case nil: return content.values.any(number)
    }
  }

  /// Returns these values with another identifier. `remappedIdentifiers` replaces identifiers in
  /// relationships.
  public func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> DefaultSnapshot {
    var copy = self
    copy.content.identifier = persistentIdentifier
    guard let remappedIdentifiers, !remappedIdentifiers.isEmpty else { return copy }
    copy.content.links = content.links.map { link in
      switch link {
      case .absent: .absent
      case .one(let one): .one(one.map { remappedIdentifiers[$0] ?? $0 })
      case .many(let many): .many(many.map { remappedIdentifiers[$0] ?? $0 })
      }
    }
    return copy
  }
}

extension DefaultSnapshot: CustomStringConvertible {
  public var description: String { content.description }
}

extension DefaultSnapshot: Codable {
  private static let identifierKey = ImageKey("persistentIdentifier")

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ImageKey.self)
    try container.encode(persistentIdentifier, forKey: Self.identifierKey)
    try content.encode(into: &container)
  }

  /// Decodes a snapshot. A container of this program must have the model's class.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ImageKey.self)
    let identifier = try container.decode(PersistentIdentifier.self, forKey: Self.identifierKey)
    content = try SnapshotContent(identifier, ModelNames.shared.type(of: identifier), from: container)
  }
}
