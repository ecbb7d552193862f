package import RoostRecords

/// The superclasses and subclasses of a subclass in a catalog.
package struct StoredLineage: Sendable {
  /// The root class, whose entity has the rows.
  package let root: String
  /// The classes between the two, the nearest first.
  package let above: [String]
  /// All subclasses of the class, direct and indirect.
  package let heirs: [String]

  /// Nil if the name is not that of a subclass.
  package init?(_ name: String, _ catalog: Catalog) throws {
    guard let root = StoredFamilies(catalog).roots[name] else { return nil }
    self.root = root
    // Classes that the newest models do not name have no place in the hierarchy.
    let models = try StoredModels(catalog)
    let superclasses = Dictionary(models.models.map { ($0.name, $0.above) }) { first, _ in first }
    func chain(_ name: String) -> [String] {
      var (found, last) = ([String](), name)
      while let next = superclasses[last] ?? nil, next != root, !found.contains(next) {
        found.append(next)
        last = next
      }
      return found
    }
    above = chain(name)
    heirs = superclasses.keys.filter { $0 != name && chain($0).contains(name) }.sorted()
  }
}

extension StoredModels {
  /// By the name of each subclass, the class that it inherits from.
  package var superclasses: [String: String] {
    Dictionary(models.compactMap { model in model.above.map { (model.name, $0) } }) { first, _ in first }
  }
}
