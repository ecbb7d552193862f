package import RoostRecords

/// A subclass in a catalog: the classes above and below it.
package struct StoredLineage: Sendable {
  /// The topmost class, whose entity has the rows.
  package let root: String
  /// The classes between the two, the nearest first.
  package let above: [String]
  /// The subclasses of the class, and theirs.
  package let heirs: [String]

  /// Nil if the name is no subclass.
  package init?(_ name: String, _ catalog: Catalog) throws {
    guard let root = StoredFamilies(catalog).roots[name] else { return nil }
    self.root = root
    // Classes that the newest models do not name have no place among them.
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
