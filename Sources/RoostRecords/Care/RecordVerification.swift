package import RoostCare

/// The findings of a verification of a store of rows.
package struct RecordVerification: Sendable {
  /// The kinds of findings.
  package enum Kind: String, Sendable, CaseIterable {
    /// A page, the free map, the log: parts of any store.
    case page
    /// A missing tree, or an unknown one.
    case tree
    case catalog
    case row
    case largeValue
    /// An index and its rows do not agree.
    case index
    case link
    /// A checked reference to a missing row.
    case reference
    /// The number of the next row.
    case counter
    case history
    case consumer
  }

  package struct Finding: Hashable, Sendable, CustomStringConvertible {
    package var kind: Kind
    package var entity: String?
    package var row: UInt64?
    /// The index or the relationship.
    package var index: String?
    /// The tree that contains the page.
    package var tree: String?
    package var page: UInt64?
    /// The error, as a clause without a full stop.
    package var sentence: String

    package var description: String {
      var text = "\(kind.rawValue): \(sentence)"
      if let index { text += ", \(index)" }
      if let entity { text += " of \(entity)" }
      if let row { text += ", row \(row)" }
      if let tree { text += ", in \(tree)" }
      if let page { text += ", page \(page)" }
      return text
    }
  }

  /// An entity and its numbers of rows and values.
  package struct EntityFacts: Hashable, Sendable {
    package var name: String
    package var rows: UInt64
    package var largeValues: UInt64
    package var indexes: [IndexFacts] = []
  }

  package struct IndexFacts: Hashable, Sendable {
    package var name: String
    package var entries: UInt64
    package var isUnique: Bool
    package var isBuilt: Bool
  }

  /// Facts about the stored history.
  package struct HistoryFacts: Hashable, Sendable {
    package var mode = HistoryMode.changes
    package var entries = 0
    package var gaps = 0
    /// The first and the last transaction that has an entry.
    package var first: UInt64?
    package var last: UInt64?
    package var consumers = 0
  }

  /// The most findings that are reported, because a damaged file may have more than memory holds.
  package static let mostFindings = 1000

  package private(set) var findings: [Finding] = []
  package private(set) var hasMore = false
  package internal(set) var entities: [EntityFacts] = []
  package internal(set) var links: UInt64 = 0
  package internal(set) var history = HistoryFacts()
  /// The findings and counts of the modules below.
  package internal(set) var pages = Verification()

  package var isSound: Bool { findings.isEmpty }

  /// The findings that the page walk did not report.
  package var rowFindings: [Finding] {
    let told = Set(pages.findings.map { "\($0.page ?? .max) \($0.sentence)" })
    return findings.filter { $0.kind != .page || !told.contains("\($0.page ?? .max) \($0.sentence)") }
  }

  /// Describes the content of trees in findings, because users do not know the trees' names.
  mutating func nameTrees(_ names: [String: String]) {
    for place in findings.indices where findings[place].kind == .page {
      guard let tree = findings[place].tree, let name = names[tree] else { continue }
      findings[place].tree = name
    }
  }

  mutating func add(_ finding: Finding) {
    if findings.count < Self.mostFindings { findings.append(finding) } else { hasMore = true }
  }

  mutating func take(_ report: Verification) {
    pages = report
    for one in report.findings {
      add(Finding(kind: .page, tree: one.tree, page: one.page, sentence: one.sentence))
    }
    if report.hasMore { hasMore = true }
  }
}
