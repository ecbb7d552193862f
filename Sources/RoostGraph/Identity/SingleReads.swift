/// Counts the objects and lists that were read one by one, by property, for contexts that treat
/// that as an error.
struct SingleReads {
  var isStrict = false
  private var counts: [LinkKey: Int] = [:]

  /// The number of single reads that is allowed.
  private static let most = 10

  @inline(__always)
  mutating func note(_ map: EntityMap, _ property: Int?) { if isStrict { add(map, property) } }

  private mutating func add(_ map: EntityMap, _ property: Int?) {
    counts[LinkKey(map: map.number, row: 0, property: property ?? -1), default: 0] += 1
  }

  mutating func forget() { counts = [:] }

  /// Throws if there were too many.
  ///
  /// - Parameters:
  ///   - store: the store, for the names in the error.
  ///   - ends: whether counting begins anew in any case.
  @inline(__always)
  mutating func check(_ store: GraphStore, ends: Bool) throws { if !counts.isEmpty { try checkNow(store, ends) } }

  private mutating func checkNow(_ store: GraphStore, _ ends: Bool) throws {
    guard isStrict, let (key, count) = counts.first(where: { $0.value > Self.most }) else {
      if ends { counts = [:] }
      return
    }
    counts = [:]
    let type = store.maps[key.map].type
    let isLink = key.property >= 0 && store.relations[key.map][key.property] != nil
    throw GraphFault(
      .readOneByOne,
      isLink
        ? "a loop read it from \(count) objects one by one: fetch them together, and name it in relationshipKeyPathsForPrefetching"
        : "a loop read \(count) objects one by one: fetch them together, for example by a predicate with contains, or name their relationship in relationshipKeyPathsForPrefetching",
      entity: type.name, property: key.property >= 0 ? type.propertyName(key.property) : nil)
  }
}
