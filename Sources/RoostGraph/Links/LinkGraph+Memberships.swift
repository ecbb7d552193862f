/// A row, and the property of another row that references it.
struct Membership: Hashable {
  var member: LinkKey
  /// The other row and its property.
  var owner: LinkKey
}

extension LinkGraph {
  /// Finds the rows that reference changed rows in the shown snapshot, for relationships that the
  /// referencing row does not store itself.
  ///
  /// - Parameters:
  ///   - entries: the commits.
  ///   - home: the number of the home map of the referencing rows; nil for all.
  ///   - isWanted: whether to include a row with its property.
  func memberships(
    _ entries: [CommitFeed.Entry], of home: Int? = nil, where isWanted: (LinkKey) -> Bool = { _ in true }
  ) throws -> Set<Membership> {
    var found: Set<Membership> = []
    func note(_ member: LinkKey, _ owner: LinkKey) {
      if isWanted(owner) { found.insert(Membership(member: member, owner: owner)) }
    }
    for entry in entries {
      for (number, rows) in Array(entry.rows) + Array(entry.deleted) {
        for way in store.oneWayLists(to: store.maps[number]) where home == nil || store.maps[way.owner].home == home {
          for row in rows {
            let member = LinkKey(map: number, row: row, property: 0)
            for owner in try owners(of: member, way) {
              note(member, LinkKey(map: way.owner, row: owner, property: way.property))
            }
          }
        }
        for case .some(let relation) in relations(ofEntity: number) {
          guard let inverse = relation.inverse, home == nil || relation.home == home else { continue }
          // The other row stores the reference itself.
          if case .found = relation.way { continue }
          if relation.isList, !relation.isByLinks { continue }
          for row in rows {
            let member = LinkKey(map: number, row: row, property: relation.property)
            for owner in try stored(member, relation) {
              note(member, LinkKey(map: relation.home, row: owner, property: inverse))
            }
          }
        }
      }
    }
    return found
  }

  /// The relationships of all classes that share an entity, because the class of a deleted row is
  /// unknown.
  func relations(ofEntity home: Int) -> [Relation?] {
    if store.maps[home].family == nil { return store.relations[home] }
    return store.maps.filter { $0.home == home }.flatMap { store.relations[$0.number] }
  }
}
