internal import Foundation
internal import RoostGraph
internal import RoostPages
package import RoostRecords

/// Finds out what would happen to a store if a program opened it with the models of another store,
/// without a migration plan. Nothing is written.
///
/// It runs the inference of a real opening, so it needs no classes and reports what the opening
/// would report. A refused change is left out of the models, and the rest is tried again until all
/// refusals are known.
package struct OpeningTrial {
  /// The changes of one entity.
  package struct Entity {
    package enum Fate: String { case added, parked, kept }

    package var name: String
    package var fate: Fate
    /// How many rows of it the store has.
    package var rows: Int
    package var changes: [Outline.Change]
    /// The added properties that were parked: their values come back.
    package var returning: Set<String>
    /// The properties of each new index that is not unique, as one text for each.
    package var newIndexes: [String]
    /// The properties that become derived, get another definition, or are no longer derived.
    package var derived: [DerivedChange] = []
  }

  /// A change of the definition of a derived property.
  package struct DerivedChange {
    package var property: String
    /// The definitions as text; nil if the property is not derived.
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

  /// A property with a default. The caller knows defaults; a store does not have them.
  package struct Default {
    package var entity: String
    package var property: String

    package init(_ entity: String, _ property: String) { (self.entity, self.property) = (entity, property) }
  }

  /// The version numbers that the two stores have noted.
  package private(set) var from: String?
  package private(set) var to: String?
  package private(set) var entities: [Entity] = []
  package private(set) var refusals: [Refusal] = []
  /// Whether a newer version of the models wrote the store.
  package private(set) var isBackward = false
  /// Whether the opening would write rows, not only the catalog.
  package private(set) var writesRows = false
  /// The classes whose superclass the other store does not have.
  package private(set) var unsure: [String] = []
  /// The first default that names no property of the other store.
  package private(set) var unknown: Default?

  /// The path of a folder for a copy, which does not exist yet.
  package static var newFolder: String { TrialCopy.newFolder }

  private var models: StoredModels
  private let version: OpeningVersion?

  /// - Parameter catalog: the catalog of the store with the wanted models.
  package init(of catalog: Catalog, _ defaults: [Default] = []) throws {
    models = try StoredModels(catalog)
    unsure = models.unsure
    version = catalog.version.map { OpeningVersion($0.number, isWhole: true) }
    to = version?.number
    for one in defaults where !models.setDefault(one.property, of: one.entity) && unknown == nil { unknown = one }
  }

  /// Tries the models on a store.
  ///
  /// - Parameters:
  ///   - witness: the store.
  ///   - folder: the folder for a copy. It is made only if rows must be written to know whether the
  ///     whole change is possible, and is removed at the end. A program that a signal ends before
  ///     that must remove it.
  package mutating func run(_ witness: RecordWitness, folder: String = newFolder) throws {
    let wanted = try GraphStore.outlines(models.plans)
    // The closure may run again on a newer state.
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

  /// Repeats a step until nothing is refused, and notes all refusals. Returns nil if the step
  /// cannot be done at all.
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
      // A rule whose properties were renamed is the same rule.
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

  /// Returns the changes of derived properties, old and new.
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

  /// Returns the indexes of an entity that are not unique and that the store does not have, each by
  /// its fields.
  private static func newIndexes(_ name: String, _ before: Catalog, after: Catalog) -> [String] {
    guard let entity = after.entity(name) else { return [] }
    // A field that becomes optional gives an index a new number. A person does not see that as a
    // change.
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
