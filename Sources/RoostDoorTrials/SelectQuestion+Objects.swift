internal import Foundation
internal import Roost

/// Fetches whose related models the program reads.
extension SelectQuestion {
  private static var paths: [(name: String, keyPath: PartialKeyPath<Thing>)] {
    [
      ("owner", \.owner), ("owner's boss", \.owner?.boss), ("boss of the boss", \.owner?.boss?.boss),
      ("owner's things", \.owner?.things), ("the boss's things", \.owner?.boss?.things), ("pieces", \.pieces),
      ("spares", \.spares),
    ]
  }

  /// Prefetches random relationships, and reads models across all of them.
  func related(_ rows: Rows) throws -> String? {
    // Objects always show unsaved changes.
    guard includesPending else { return try projection(rows) }
    let paths = (0..<choices.below(4)).map { _ in choices.pick(Self.paths) }
    say("fetch", "with \(paths.map(\.name)) where \(rows.predicateText)")
    var descriptor = FetchDescriptor(predicate: rows.predicate, sortBy: rows.order)
    descriptor.relationshipKeyPathsForPrefetching = paths.map(\.keyPath)
    let range = range()
    (descriptor.fetchOffset, descriptor.fetchLimit) = (range.offset, range.limit)
    if range.limit == 0 { return nil }
    return compare(try context.fetch(descriptor).map(Self.read), cut(rows.models, range).map(Self.read))
  }

  private static func read(_ thing: Thing) -> String {
    func words(_ pieces: [Piece]) -> [String] {
      pieces.map { "\($0.n) \($0.word ?? "-") \($0.thing?.k ?? -1) \($0.spare?.k ?? -1)" }.sorted()
    }
    func text(_ owner: Owner?) -> String {
      owner.map { "\($0.age) \($0.name) \($0.things.map { "\($0.k) \($0.name)" }.sorted())" } ?? "-"
    }
    let boss = thing.owner?.boss
    return "\(thing.k) \(thing is Special) \(text(thing.owner)) \(text(boss)) \(text(boss?.boss)) "
      + "\(words(thing.pieces)) \(words(thing.spares ?? []))"
  }
}
