/// What an ``Inspection`` has found.
package struct InspectionReport: Sendable {
  /// Something that is not as it should be.
  package struct Finding: Hashable, Sendable {
    package var page: UInt64?
    package var tree: String?
    package var sentence: String
    /// The invariant of Docs/DURABILITY.md that does not hold; nil where the medium failed.
    package var invariant: Int?
  }

  package internal(set) var findings: [Finding] = []
  /// What is no damage: a crash leaves it, and the next checkpoint writes it anew.
  package internal(set) var notes: [Finding] = []
  /// There are more than could be told.
  package internal(set) var hasMore = false
  /// Pages in the file, superblocks among them.
  package internal(set) var pages = 0
  package internal(set) var pagesRead = 0
  package internal(set) var freePages = 0
  package internal(set) var trees = 0
  package internal(set) var entries = 0
  /// Entries whose value lies outside their leaf.
  package internal(set) var largeValues = 0
  package internal(set) var seconds = 0.0

  package init() {}

  package var isSound: Bool { findings.isEmpty }
}
