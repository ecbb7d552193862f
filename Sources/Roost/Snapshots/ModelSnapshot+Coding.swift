internal import Foundation
internal import RoostFile
internal import RoostGraph
internal import Synchronization

/// The coded form. It has the names of properties, so that people and other versions of the program
/// can read it.
///
/// ```
/// { "model": "Track", "id": { … }, "values": { "title": "So What", "album": { … } or null, "tags": [ … ] } }
/// ```
/// Properties that the class no longer has are ignored. Properties of the class that the data does
/// not have are not loaded: see ``ModelSnapshot/isLoaded(_:)``. A property is also found by its
/// `originalName`.
extension ModelSnapshot: Codable {
  private enum CodingKeys: String, CodingKey { case model, id, process, values }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(entityName, forKey: .model)
    try container.encode(persistentModelID, forKey: .id)
    if content.hasTemporary { try container.encode(content.process ?? Process.number, forKey: .process) }
    var values = container.nestedContainer(keyedBy: ImageKey.self, forKey: .values)
    try content.encode(into: &values)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .model)
    guard let type = ModelNames.shared.type(name, Model._$type) else {
      throw DecodingError.dataCorruptedError(
        forKey: .model, in: container,
        debugDescription: "\(name) is not a known subclass of \(Model._$type.name): make its container first")
    }
    content = try SnapshotContent(
      container.decode(PersistentIdentifier.self, forKey: .id), type,
      from: container.nestedContainer(keyedBy: ImageKey.self, forKey: .values))
    if content.hasTemporary {
      let process = try container.decodeIfPresent(UInt64.self, forKey: .process) ?? Process.unknown
      if process != Process.number { content.process = process }
    }
  }
}

extension SnapshotContent {
  /// Writes the values, and the identifiers of relationships, by the names of their properties.
  func encode(into values: inout KeyedEncodingContainer<ImageKey>) throws {
    // Otherwise a reader would take the property's default for its value.
    try checkRefused()
    try self.values.encode(into: &values)
    for property in form.links {
      let key = ImageKey(type.propertyName(property))
      switch link(property) {
      case .absent?, nil: continue
      case .one(let one?)?: try values.encode(one, forKey: key)
      case .one(nil)?: try values.encodeNil(forKey: key)
      case .many(let many)?: try values.encode(many, forKey: key)
      }
    }
  }

  /// Reads the output of ``encode(into:)`` of this or another version of the program.
  init(
    _ identifier: PersistentIdentifier, _ type: _ModelType, from values: KeyedDecodingContainer<ImageKey>
  ) throws {
    let form = ImageForm.of(type)
    let originals = OriginalNames(type)
    func key(_ number: Int) -> ImageKey? {
      let names = [type.propertyName(number)] + (originals.names[number].map { [$0] } ?? [])
      return names.map { ImageKey($0) }.first { values.contains($0) }
    }
    let image = try ValueImage(form, from: values, name: key)
    let links = try form.links.map { property -> Link in
      guard let key = key(property) else { return .absent }
      if form.isList(property) {
        return .many(try values.decodeIfPresent([PersistentIdentifier].self, forKey: key) ?? [])
      }
      return .one(try values.decodeIfPresent(PersistentIdentifier.self, forKey: key))
    }
    self.init(identifier, image, links: links)
    isDecoded = true
  }

  /// Whether it contains the identifier of a model without a row, which is not valid in other
  /// processes.
  fileprivate var hasTemporary: Bool {
    func isTemporary(_ identifier: PersistentIdentifier) -> Bool { identifier.store == nil }
    return isTemporary(identifier)
      || links.contains { link in
        switch link {
        case .absent: false
        case .one(let one): one.map(isTemporary) ?? false
        case .many(let many): many.contains(where: isTemporary)
        }
      }
  }
}

private enum Process {
  /// A number that identifies this process.
  static let number = UInt64.random(in: 1 ... .max)
  /// Another process that wrote no number.
  static let unknown: UInt64 = 0
}

/// The former names of a class's properties.
private struct OriginalNames {
  private(set) var names: [Int: String] = [:]

  init(_ type: _ModelType) {
    var next: _ModelType? = type
    while let known = next {
      if let model = known.model as? any PersistentModel.Type {
        for property in model.schemaMetadata {
          guard let number = known.number(of: property.keypath),
            let original = property.metadata?.originalName, !original.isEmpty, original != property.name
          else { continue }
          names[number] = original
        }
      }
      next = known.superType
    }
  }
}
