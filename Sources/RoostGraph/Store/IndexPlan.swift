package import RoostRecords

/// An index with forms, descending parts or a condition that a model class declares.
package struct IndexPlan: Hashable, Sendable {
  package struct Part: Hashable, Sendable {
    /// The name of a property, or a path to a part of a struct such as `address.city`.
    package var path: String
    package var form: Index.Form
    package var isDescending: Bool

    package init(_ path: String, form: Index.Form = .value, isDescending: Bool = false) {
      (self.path, self.form, self.isDescending) = (path, form, isDescending)
    }
  }

  /// A test of the condition: see ``Index/Test``.
  package indirect enum Test: Hashable, Sendable {
    case isNull(String)
    case isNotNull(String)
    case equals(String, Value)
    case compares(String, Index.Comparison, Value)
    case any([Test])

    package var paths: [String] {
      switch self {
      case .isNull(let path), .isNotNull(let path), .equals(let path, _), .compares(let path, _, _): [path]
      case .any(let tests): tests.flatMap(\.paths)
      }
    }
  }

  package var parts: [Part]
  /// The condition: an object has an entry if all tests are true.
  package var tests: [Test]
  package var isUnique: Bool

  package init(_ parts: [Part], where tests: [Test] = [], isUnique: Bool = false) {
    (self.parts, self.tests, self.isUnique) = (parts, tests, isUnique)
  }

  /// The paths of parts and condition.
  package var paths: [String] { parts.map(\.path) + tests.flatMap(\.paths) }

  /// The definition as text, which distinguishes versions of a model. It is also the name of the
  /// index in the catalog; ``Index/definition(in:)`` makes the same text from the catalog.
  package var text: String {
    let parts = parts.map { part in
      (part.form == .value ? part.path : "\(part.form.word) of \(part.path)") + (part.isDescending ? " descending" : "")
    }
    let condition = tests.isEmpty ? "" : " where " + tests.map { $0.text { $0 } }.joined(separator: " && ")
    return (isUnique ? "unique " : "") + parts.joined(separator: ", ") + condition
  }
}

extension IndexPlan.Test {
  /// The test as Swift code.
  package func text(_ field: (String) -> String) -> String {
    switch self {
    case .isNull(let path): return "\(field(path)) == nil"
    case .isNotNull(let path): return "\(field(path)) != nil"
    case .equals(let path, let value): return "\(field(path)) == \(value.brief)"
    case .compares(let path, let comparison, let value):
      return "\(field(path)) \(comparison.sign) \(value.brief)"
    case .any(let tests): return "(" + tests.map { $0.text(field) }.joined(separator: " || ") + ")"
    }
  }
}
