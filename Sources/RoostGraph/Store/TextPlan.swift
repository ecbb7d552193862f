package import RoostRecords
package import RoostText

/// A full text index that a model class declares.
package struct TextPlan: Hashable, Sendable {
  /// The names of the properties, or paths to parts of structs such as `address.city`.
  package var paths: [String]
  /// The name of the class that declares the index.
  package var owner: String
  package var analyzer: TextAnalyzer

  package init(_ paths: [String], of owner: String, analyzer: TextAnalyzer) {
    (self.paths, self.owner, self.analyzer) = (paths, owner, analyzer)
  }

  /// The name of the index in the catalog. A class has at most one index of each mode.
  package static func name(_ mode: TextAnalyzer.Mode, of owner: String) -> String {
    switch mode {
    case .words: "words of \(owner)"
    case .trigrams: "substrings of \(owner)"
    }
  }

  var name: String { Self.name(analyzer.mode, of: owner) }
}

extension Catalog {
  /// The full text index of a class: its own, or the one of the nearest superclass.
  package func textIndex(_ mode: TextAnalyzer.Mode, of map: EntityMap) -> FullTextIndex? {
    if textIndexes.isEmpty { return nil }
    var type: _ModelType? = map.type
    while let one = type {
      if let found = textIndex(TextPlan.name(mode, of: one.name), of: map.entity.name) { return found }
      type = one.superType
    }
    return nil
  }
}
