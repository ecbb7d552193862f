internal import Foundation
internal import RoostGraph
internal import RoostPages
package import RoostRecords

/// What a store would become if a program opened it with the models of another store, without a migration plan. Nothing is written.
///
/// The opening's own inference tells it. So this needs no class of the models, and says what the opening would say. What is refused is left
/// out of the models, and the rest is tried again, until all refusals are known.
package struct OpeningTrial {
  /// What becomes of one entity.
  package struct Entity {
    package enum Fate: String { case added, parked, kept }

    package var name: String
    package var fate: Fate
    /// How many rows the store has of it.
    package var rows: Int
    package var changes: [Outline.Change]
    /// By the name of an added property that was parked: its values come back.
    package var returning: Set<String>
    /// Properties of each index that is not unique, in one text.
    package var newIndexes: [String]
    /// Properties that become derived, or are derived from something else, or are no longer derived.
    package var derived: [DerivedChange] = []
  }

  /// How the definition of a derived property changes.
  package struct DerivedChange {
    package var property: String
    /// The definitions in words; nil where it is not derived.
    package var was: String?
    package var becomes: String?
  }

  package struct Refusal: Hashable {
    package var entity: String
    package var property: String?
    package var reason: String
    /// Whether the entity inherits from another one.
    package var isOfSubclass = false
  }

  /// A property with a default, which the caller knows and a store does not tell.
  package struct Default {
    package var entity: String
    package var property: String

    package init(_ entity: String, _ property: String) { (self.entity, self.property) = (entity, property) }
  }

  /// The numbers of the versions that the two stores note.
  package private(set) var from: String?
  package private(set) var to: String?
  package private(set) var entities: [Entity] = []
  package private(set) var refusals: [Refusal] = []
  /// Whether a newer version of the models wrote the store.
  package private(set) var isBackward = false
  /// Whether rows are written besides the catalog.
  package private(set) var writesRows = false
  /// Classes of which the other store does not tell the superclass.
  package private(set) var unsure: [String] = []
  /// The first default that names nothing in the other store.
  package private(set) var unknown: Default?

  /// The path of a folder for a copy, which does not exist yet.
  package static var newFolder: String { TrialCopy.newFolder }

  private var models: StoredModels
  private let version: OpeningVersion?

  /// - Parameter catalog: what the store holds whose models are wanted.
  package init(of catalog: Catalog, _ defaults: [Default] = []) throws {
    models = try StoredModels(catalog)
    unsure = models.unsure
    version = catalog.version.map { OpeningVersion($0.number, isWhole: true) }
    to = version?.number
    for one in defaults where !models.setDefault(one.property, of: one.entity) && unknown == nil { unknown = one }
  }

  /// Tries it on a store.
  ///
  /// - Parameters:
  ///   - witness: the store.
  ///   - folder: the folder of a copy, which is made only if rows must be written to know whether all of it can be done. It is removed
  ///     at the end. A program that a signal ends before that has to remove it.
  package mutating func run(_ witness: RecordWitness, folder: String = newFolder) throws {
    let wanted = try GraphStore.outlines(models.plans)
    // The closure may run again, on a newer state.
    let start = self
    let prospect = try witness.read { reader in
      self = start
      let before = reader.catalog
      from = before.version?.number
      let prospect = try collect { try GraphStore.prospect(reader, $0, version: $1) }
      try compare(before, prospect?.catalog ?? before, wanted: wanted, counts: GraphStore.counts(reader))
      return prospect
    }
    guard let prospect else { return }
    writesRows = prospect.writesRows
    guard prospect.writesRows || prospect.fillsUnique else { return }
    try TrialCopy.with(witness.path, folder: folder) { path in
      let records = try RecordStore(path, options: StoreOptions())
      defer { try? records.close() }
      _ = try collect { try GraphStore.settle(records, through: [(models: $0, version: $1)]) }
    }
  }

  /// Repeats a step until nothing is refused, and notes all refusals. Nil if the step cannot be done at all.
  private mutating func collect<Result>(_ step: ([ModelPlan], OpeningVersion?) throws -> Result) throws -> Result? {
    while true {
      do { return try step(models.plans, version) } catch let fault as MigrationFault {
        note(
          Refusal(
            entity: fault.entity, property: fault.property, reason: fault.detail,
            isOfSubclass: models.inherits(fault.entity)))
        if fault.isBackward {
          isBackward = true
          return nil
        }
        if !models.drop(fault) { return nil }
      } catch let fault as RecordFault {
        note(Refusal(entity: fault.entity ?? "", property: fault.field, reason: fault.detail))
        return nil
      }
    }
  }

  private mutating func note(_ refusal: Refusal) {
    if !refusals.contains(refusal) { refusals.append(refusal) }
  }

  // MARK: Comparing

  private mutating func compare(
    _ before: Catalog, _ after: Catalog, wanted: [String: Outline], counts: [String: Int]
  ) throws {
    let known = before.entities.map(\.name).filter { name in
      !name.hasPrefix("@") && before.version?.parked.contains(name) != true
    }
    entities = Set(known).union(wanted.keys).sorted().map { name in
      var one = Entity(
        name: name, fate: .kept, rows: counts[name] ?? 0, changes: [], returning: [], newIndexes: [])
      guard let new = wanted[name] else {
        one.fate = .parked
        return one
      }
      guard var old = before.outline(name), known.contains(name) else {
        one.fate = .added
        if before.entity(name) != nil { one.returning = [name] }
        return one
      }
      let parked = before.version?.part(name)?.parked ?? []
      old.properties = old.properties.filter { property in
        !parked.contains { property.key == $0 || property.key.hasPrefix($0 + ".") }
      }
      let renamed = before.renamed(name, in: after)
      one.changes = new.changes(from: old, renamed: Self.withRules(renamed, old))
      // A rule whose properties have new names is the same rule.
      one.changes.removeAll { $0.kind == .renamed && $0.isRule && $0.was == $0.becomes }
      one.returning = Set(
        one.changes.filter { $0.kind == .added && parked.contains(String($0.name.prefix { $0 != "." })) }.map(\.name))
      one.newIndexes = Self.newIndexes(name, before, after: after)
      one.derived = Self.derived(name, before, after: after)
      return one
    }
  }

  /// Adds unique rules over renamed properties to the names.
  private static func withRules(_ renamed: [String: String], _ old: Outline) -> [String: String] {
    var names = renamed
    let rule = "unique "
    for name in old.properties.keys where name.hasPrefix(rule) {
      let parts = name.dropFirst(rule.count).components(separatedBy: ", ")
      let new = rule + parts.map { renamed[$0] ?? $0 }.joined(separator: ", ")
      if new != name { names[name] = new }
    }
    return names
  }

  /// The changes of derived properties that the store has before or after.
  private static func derived(_ name: String, _ before: Catalog, after: Catalog) -> [DerivedChange] {
    guard let entity = after.entity(name) else { return [] }
    func words(_ catalog: Catalog) -> [String: String] {
      var words: [String: String] = [:]
      for one in catalog.derivations(of: entity.id) {
        if let field = catalog.entity(entity.id)?.field(one.field) { words[field.name] = catalog.words(of: one) }
      }
      return words
    }
    let renamed = before.renamed(name, in: after)
    let was = Dictionary(words(before).map { (renamed[$0.key] ?? $0.key, $0.value) }) { first, _ in first }
    let becomes = words(after)
    return Set(was.keys).union(becomes.keys).sorted().compactMap { property in
      guard was[property] != becomes[property], entity.field(property) != nil else { return nil }
      return DerivedChange(property: property, was: was[property], becomes: becomes[property])
    }
  }

  /// The indexes of an entity that are not unique and that the store does not have, each by its fields.
  private static func newIndexes(_ name: String, _ before: Catalog, after: Catalog) -> [String] {
    guard let entity = after.entity(name) else { return [] }
    // A field that becomes optional renews the number of an index, which is no change to a person.
    func texts(_ catalog: Catalog) -> [String] {
      catalog.indexes(of: entity.id).filter { !$0.isUnique && !$0.name.hasPrefix("@") }.map { index in
        index.parts.compactMap { entity.field($0.field)?.name }.joined(separator: ", ")
      }
        + catalog.textIndexes(of: entity.id).map { index in
          "full text of " + index.fields.compactMap { entity.field($0)?.name }.joined(separator: ", ")
            + index.options.map { ", " + $0 }.joined()
        }
    }
    let known = Set(texts(before))
    return texts(after).filter { !known.contains($0) }
  }
}
