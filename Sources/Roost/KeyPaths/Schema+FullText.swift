internal import RoostText

extension Schema {
  /// A full text index over properties, as `#FullText` declares it.
  public final class FullText<T>: SchemaProperty, Hashable, Codable, CustomDebugStringConvertible, @unchecked Sendable
  where T: PersistentModel {
    /// The texts that the index reads. They may be `String` or `String?`.
    public let properties: [PartialKeyPath<T>]
    /// How the index reads words, such as `.stemming(.english)`.
    public let options: Set<FullTextOption>
    /// A fixed name, because an index has no name.
    public var name = "Roost.Schema.FullText"
    /// Empty: an index is identified by its properties, not by a name.
    public var originalName = ""
    /// Not used for an index.
    public var valueType: any Any.Type = Any.self
    /// False: an index allows equal texts.
    public var isUnique: Bool { false }

    /// Declares a full text index over texts, as `#FullText` does.
    public init(_ properties: [PartialKeyPath<T>], _ options: FullTextOption...) {
      (self.properties, self.options) = (properties, Set(options))
    }

    /// The keys of the coded form: the names of the properties, and the options.
    public enum CodingKeys: CodingKey { case properties, options }

    var fullText: FullTextProperties { FullTextProperties(Schema.names(properties), options) }

    public var debugDescription: String { "Schema.FullText - properties: \(fullText.names)" }

    public static func == (one: FullText, other: FullText) -> Bool { one.fullText == other.fullText }
    public func hash(into hasher: inout Hasher) { hasher.combine(fullText) }

    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      properties = try Schema.keyPaths(of: T.self, values.decode([String].self, forKey: .properties))
      options = try values.decode(Set<FullTextOption>.self, forKey: .options)
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(fullText.names, forKey: .properties)
      try values.encode(options, forKey: .options)
    }
  }
}

extension Schema.FullText: FullTextProperty {
  var keyPaths: [AnyKeyPath] { properties }

  var faults: [String] {
    let macro = "#FullText of \(T._$type.name)"
    var faults = Schema.faults(properties, "#FullText")
    if let fault = fullText.fault { faults.append("\(macro) \(fault)") }
    if properties.isEmpty || properties.count > TextIndex.mostFields || Set(properties).count < properties.count {
      faults.append("\(macro) needs 1 to \(TextIndex.mostFields) different properties")
    }
    for (keyPath, name) in zip(properties, fullText.names) {
      let type = Swift.type(of: keyPath as AnyKeyPath).valueType
      guard let path = PathShelf.shared.path(keyPath), path.change == .none, case .property = path.end else {
        faults.append("\(macro) names \(keyPath), which no store has: name stored properties")
        continue
      }
      guard TypeFacts.whole(type) != String.self else { continue }
      faults.append("\(macro) names \\.\(name), which is \(type): name properties of the types String and String?")
    }
    return faults
  }
}
