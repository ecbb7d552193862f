/// What a store may hold after a crash: the model after each commit, and which of them are promised.
///
/// It is a value, so that a crash point keeps the one of its moment.
package struct History: Sendable {
  /// The digest after each commit, by the commit's number; 0 is the empty store.
  package private(set) var digests: [UInt64] = [Model().digest]
  package private(set) var models: [Model] = [Model()]
  /// Commits up to here are acknowledged as durable.
  package private(set) var promised = 0
  /// Whether the file is promised to be there.
  package private(set) var isMade = false
  /// The copy beside the store: the digest of the one that is acknowledged, and of those that may be there instead.
  package private(set) var copy: UInt64?
  package private(set) var copiesBegun: Set<UInt64> = []
  /// False where an error may have left a copy with gaps.
  package private(set) var knowsCopy = true

  package init() {}

  package var begun: Int { digests.count - 1 }

  package mutating func begin(_ model: Model) {
    digests.append(model.digest)
    models.append(model)
  }

  /// The commit that began last was reported as rolled back.
  package mutating func takeBack() {
    digests.removeLast()
    models.removeLast()
  }

  package mutating func promise(_ number: Int) {
    promised = max(promised, number)
    isMade = true
  }

  package mutating func beginCopy(_ digest: UInt64) { copiesBegun.insert(digest) }

  package mutating func endCopy(_ digest: UInt64) {
    copy = digest
    copiesBegun = []
    knowsCopy = true
  }

  package mutating func loseCopy() { knowsCopy = false }

  /// What is wrong with finding this copy, nil being none at all; nil if nothing is.
  package func complaint(copy found: UInt64?) -> String? {
    guard knowsCopy else { return nil }
    guard let found else { return copy == nil ? nil : "the copy is gone that was acknowledged" }
    return found == copy || copiesBegun.contains(found) ? nil : "the copy is not what was written"
  }

  /// A device that reports a sync without having made it frees the store from its promises.
  package mutating func release() {
    promised = 0
    isMade = false
    knowsCopy = false
  }

  /// After reopening: what was found is durable, and what was begun behind it is not there.
  package mutating func settle(at number: Int) {
    digests.removeLast(digests.count - number - 1)
    models.removeLast(models.count - number - 1)
    promised = number
    isMade = true
  }

  /// What is wrong with finding this state; nil if nothing is.
  package func complaint(commit: UInt64, digest: UInt64) -> String? {
    if commit < UInt64(promised) { return "commit \(commit) is found where \(promised) was acknowledged" }
    guard commit <= UInt64(begun) else { return "commit \(commit) is found where \(begun) was the last begun" }
    return digests[Int(commit)] == digest ? nil : "commit \(commit) is not what was written"
  }
}
