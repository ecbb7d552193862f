/// The allowed states of a store after a crash: the model after each commit, and which commits are
/// promised.
///
/// It is a value, so that each crash point keeps its own.
package struct History: Sendable {
  /// The digest after each commit, by the commit's number; 0 is the empty store.
  package private(set) var digests: [UInt64] = [Model().digest]
  package private(set) var models: [Model] = [Model()]
  /// Commits up to here are acknowledged as durable.
  package private(set) var promised = 0
  /// Whether the existence of the file is promised.
  package private(set) var isMade = false
  /// The copy beside the store: the digest of the acknowledged one, and of those that may exist
  /// instead.
  package private(set) var copy: UInt64?
  package private(set) var copiesBegun: Set<UInt64> = []
  /// False if an error may have left an incomplete copy.
  package private(set) var knowsCopy = true

  package init() {}

  package var begun: Int { digests.count - 1 }

  package mutating func begin(_ model: Model) {
    digests.append(model.digest)
    models.append(model)
  }

  /// Removes the last begun commit, which was reported as rolled back.
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

  /// The error in finding this copy, or no copy if it is nil; nil if this is allowed.
  package func complaint(copy found: UInt64?) -> String? {
    guard knowsCopy else { return nil }
    guard let found else { return copy == nil ? nil : "the copy is gone that was acknowledged" }
    return found == copy || copiesBegun.contains(found) ? nil : "the copy is not what was written"
  }

  /// Cancels the promises, because the device reported a sync without making it.
  package mutating func release() {
    promised = 0
    isMade = false
    knowsCopy = false
  }

  /// After reopening: the found state is durable, and later begun commits do not exist.
  package mutating func settle(at number: Int) {
    digests.removeLast(digests.count - number - 1)
    models.removeLast(models.count - number - 1)
    promised = number
    isMade = true
  }

  /// The error in finding this state; nil if it is allowed.
  package func complaint(commit: UInt64, digest: UInt64) -> String? {
    if commit < UInt64(promised) { return "commit \(commit) is found where \(promised) was acknowledged" }
    guard commit <= UInt64(begun) else { return "commit \(commit) is found where \(begun) was the last begun" }
    return digests[Int(commit)] == digest ? nil : "commit \(commit) is not what was written"
  }
}
