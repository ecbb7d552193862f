internal import Foundation
internal import RoostFile
package import RoostGraph

/// The content of a snapshot. It never changes.
///
/// A copy retains one reference, because contents are passed on many times between a store and the
/// objects.
package struct SnapshotContent: Hashable, Sendable {
  private struct Fields: Sendable {
    var identifier: PersistentIdentifier
    var values: ValueImage
    var links: [Link]
    var process: UInt64?
    var isDecoded = false
    var refused: [Int: String] = [:]
  }

  private final class Holder: Sendable {
    let fields: Fields
    init(_ fields: Fields) { self.fields = fields }
  }

  private var holder: Holder

  private var fields: Fields {
    get { holder.fields }
    set { holder = Holder(newValue) }
  }

  package var identifier: PersistentIdentifier {
    get { holder.fields.identifier }
    set { fields.identifier = newValue }
  }
  /// The key of the identifier, without a copy of the whole identifier.
  var key: IdentifierKey { holder.fields.identifier.key }
  package var values: ValueImage {
    get { holder.fields.values }
    set { fields.values = newValue }
  }
  /// The links, by the index of the relationship in its class.
  package var links: [Link] {
    get { holder.fields.links }
    set { fields.links = newValue }
  }
  /// The process of the content, if it is another one: identifiers of models without a row are
  /// valid only there.
  var process: UInt64? {
    get { holder.fields.process }
    set { fields.process = newValue }
  }
  /// Whether it was decoded, perhaps from an older program that had fewer properties: a list that
  /// it lacks is empty then.
  var isDecoded: Bool {
    get { holder.fields.isDecoded }
    set { fields.isDecoded = newValue }
  }
  /// For each property, why its stored value was refused: see ``ModelSnapshot/value(of:)``.
  package var refused: [Int: String] {
    get { holder.fields.refused }
    set { fields.refused = newValue }
  }

  /// Whether it is a row of this program: nothing was refused, and it was not decoded.
  var isOwn: Bool { holder.fields.refused.isEmpty && holder.fields.process == nil && !holder.fields.isDecoded }

  /// The knowledge of a store in one of Roost's packages about the row, for
  /// ``AskedStore/took(_:)``.
  package var mark: (any AnyObject & Sendable)?

  package enum Link: Hashable, Sendable {
    /// Not loaded, or not known.
    case absent
    case one(PersistentIdentifier?)
    case many([PersistentIdentifier])

    var targets: [PersistentIdentifier] {
      switch self {
      case .absent, .one(nil): []
      case .one(let one?): [one]
      case .many(let many): many
      }
    }
  }

  package var form: ImageForm { holder.fields.values.form }
  package var type: _ModelType { form.type }

  package init(_ identifier: PersistentIdentifier, _ values: ValueImage, links: [Link]) {
    holder = Holder(Fields(identifier: identifier, values: values, links: links))
  }

  /// Makes the content of a row of a store.
  init(_ image: ObjectImage, _ identifier: PersistentIdentifier, in store: GraphStore) {
    let links: [Link] = image.links.map { link in
      switch link {
      case .absent: .absent
      case .one(let one): .one(one.map(store.identifier))
      case .many(let many): .many(many.map(store.identifier))
      }
    }
    self.init(identifier, image.values, links: links)
    if !image.refused.isEmpty { refused = image.refused.mapValues { Doorway.text($0.description, $0.code.rawValue) } }
  }

  /// Makes the content of a model whose context is in the middle of a change.
  init(unsettled model: some PersistentModel) {
    guard let graph = model.graphContext, let image = graph.links.imageAsItIs(of: model) else {
      self.init(model)
      return
    }
    self.init(image, model.persistentModelID, in: graph.store)
  }

  /// Makes the content of a model, with or without a context.
  init(_ model: some PersistentModel) {
    if let graph = model.graphContext {
      let image = graph.image(of: model)
      self.init(image, model.persistentModelID, in: graph.store)
      return
    }
    // The values come second: this call reads those of a model in the closure of a bulk write.
    let held = model.heldObjects()
    let values = ValueImage(model)
    let links = values.form.links.enumerated().map { place, property -> Link in
      let identifiers = held[place].compactMap { ($0 as? any PersistentModel)?.persistentModelID }
      return values.form.isList(property) ? .many(identifiers) : .one(identifiers.first)
    }
    self.init(model.persistentModelID, values, links: links)
  }

  package static func == (one: SnapshotContent, other: SnapshotContent) -> Bool {
    one.holder === other.holder
      || one.identifier == other.identifier && one.values == other.values && one.links == other.links
        && one.refused == other.refused
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
    hasher.combine(values)
  }

  // MARK: Reading

  package func link(_ property: Int) -> Link? {
    let place = form.linkPlaces[property]
    return place < 0 ? nil : links[place]
  }

  mutating func setLink(_ property: Int, _ link: Link) { links[form.linkPlaces[property]] = link }

  /// Whether it has the members of each list.
  package var hasAllLists: Bool {
    !form.hasLists || zip(form.links, links).allSatisfy { property, link in !form.isList(property) || link != .absent }
  }

  /// Whether another content has equal values for everything in this one.
  package func isCovered(by other: SnapshotContent, lists: Bool) -> Bool {
    identifier == other.identifier && values == other.values && refused == other.refused
      && form.links.indices.allSatisfy { place in
        links[place] == .absent || links[place] == other.links[place] || !lists && form.isList(form.links[place])
      }
  }

  /// Returns this content with each absent relationship taken from another content.
  package func filled(from other: SnapshotContent) -> SnapshotContent {
    var all = self
    all.links = zip(links, other.links).map { $0 == .absent ? $1 : $0 }
    return all
  }

  /// Throws if a property's stored value was refused, so that a default would look like it.
  func checkRefused(_ property: Int? = nil) throws {
    if refused.isEmpty { return }
    let text = property.map { refused[$0] } ?? refused.min { $0.key < $1.key }?.value
    if let text { throw RoostError(.unreadable, text) }
  }

  /// Takes a value from another content.
  mutating func takeValue(_ property: Int, of other: SnapshotContent) {
    values = values.taking(property, of: other.values)
  }

  package func isPresent(_ property: Int) -> Bool {
    switch link(property) {
    case .absent?: false
    case .some: true
    case nil: values.isPresent(property)
    }
  }

  package func isSame(_ property: Int, as other: SnapshotContent) -> Bool {
    if let link = link(property) { return link == other.link(property) }
    return values.isSame(property, as: other.values)
  }

  /// Returns a value as text.
  func text(_ property: Int) -> String {
    switch link(property) {
    case .absent?: return "not read"
    case .one(let one)?: return one.map(Self.text) ?? "nil"
    case .many(let many)?: return "[" + many.map(Self.text).joined(separator: ", ") + "]"
    case nil: break
    }
    guard let value = values.any(property) else { return refused[property] == nil ? "unknown" : "unreadable" }
    if let text = value as? String { return "\"\(text)\"" }
    if let optional = value as? any TextOfOptional { return optional.text }
    return "\(value)"
  }

  private static func text(_ identifier: PersistentIdentifier) -> String {
    switch identifier.key {
    case .row(let row): "\(identifier.entityName) \(row)"
    case .temporary(let number): "new \(identifier.entityName) \(number)"
    case .text, .uuid: "\(identifier.entityName) \(identifier.key.text ?? "")"
    }
  }
}

private protocol TextOfOptional { var text: String { get } }

extension Optional: TextOfOptional {
  fileprivate var text: String {
    guard let value = self else { return "nil" }
    return value is String ? "\"\(value)\"" : "\(value)"
  }
}
