internal import Foundation
internal import Roost

/// Unions, intersections and differences of rows.
extension SelectQuestion {
  func union(_ rows: Rows) throws -> String? {
    // These calls always show unsaved changes.
    guard includesPending else { return try projection(rows) }
    let things = try shown.fetch(FetchDescriptor<Thing>(sortBy: [SortDescriptor(\.k)]))
    let sides: [(name: String, side: Selected<String>, values: [String])] = [
      (
        "names where \(rows.predicateText)",
        .rows(Thing.self, \.name, where: rows.predicate, sortBy: rows.order), rows.models.map(\.name)
      ),
      ("labels", .rows(Thing.self, \.extent.label, sortBy: [SortDescriptor(\.k)]), things.map(\.extent.label)),
      ("titles", .rows(Thing.self, \.title, sortBy: [SortDescriptor(\.k)]), things.map(\.title)),
    ]
    let (one, two) = (choices.pick(sides), choices.pick(sides))
    let (way, all) = (choices.below(3), choices.coin())
    say("union", "\(way) \(all ? "all " : "")of \(one.name) and \(two.name)")
    let range = range()
    let found: [String]
    switch way {
    case 0: found = try context.union(one.side, two.side, all: all, offset: range.offset, limit: range.limit)
    case 1: found = try context.intersect(one.side, two.side, all: all, offset: range.offset, limit: range.limit)
    default: found = try context.except(one.side, two.side, all: all, offset: range.offset, limit: range.limit)
    }
    let expected = Self.combined(way, one.values, with: two.values, all: all)
    return compare(found.map { Shown.alike($0) }, cut(expected, range).map { Shown.alike($0) })
  }

  /// Combines two lists in plain Swift.
  private static func combined(_ way: Int, _ one: [String], with two: [String], all: Bool) -> [String] {
    var results: [String] = []
    var rest = two
    switch way {
    case 0:
      for value in one + two where all || !results.contains(value) { results.append(value) }
    case 1:
      for value in one where all || !results.contains(value) {
        guard let place = rest.firstIndex(of: value) else { continue }
        rest.remove(at: place)
        results.append(value)
      }
    default:
      for value in one {
        if all, let place = rest.firstIndex(of: value) { rest.remove(at: place) } else if all { results.append(value) }
        if !all, !two.contains(value), !results.contains(value) { results.append(value) }
      }
    }
    return results
  }
}
