internal import RoostPages
package import RoostRecords

/// What whoever stands above asks of a whole store.
extension GraphStore {
  /// How a condition follows a relationship.
  package enum Lead: Sendable {
    /// A field of the row.
    case reference(FieldID)
    /// The one row whose reference leads here.
    case found(RelationshipID)
    case many(RelationshipID)
  }

  /// Where a property leads, if it is a relationship.
  package func lead(_ map: EntityMap, _ property: Int) -> (lead: Lead, target: EntityMap)? {
    guard let relation = relations[map.number][property] else { return nil }
    let target = maps[relation.target]
    switch relation.way {
    case .reference:
      return map.field(property).map { (.reference($0.id), target) }
    case .found(let id): return (.found(id), target)
    case .list(let id): return (.many(id), target)
    }
  }

  /// Removes every row. The contexts of the store learn of it as of any other commit.
  package func erase() throws {
    try backing?.erase()
    try records.write { writer in
      var entry = CommitFeed.Entry(number: writer.commitNumber, rows: [:], author: ObjectIdentifier(self))
      // Rows that a rule keeps go when those that need them are gone.
      var waiting = maps.filter(\.isHome)[...]
      var refused = 0
      while let map = waiting.popFirst() {
        let table = try writer.reading(map.entity.id)
        var rows: [RowID] = []
        var cursor = try table.cursor()
        var isThere = table.count > 0 ? try cursor.move(to: 0) : false
        while isThere {
          rows.append(try cursor.id)
          isThere = try cursor.next()
        }
        if rows.isEmpty { continue }
        do {
          for name in try writer.table(map.entity.id).deleteFollowingRules(many: rows).rows {
            guard let map = self.map(of: name.entity) else { continue }
            entry.deleted[map.number, default: []].append(name.row.number)
          }
          refused = 0
        } catch let fault as RecordFault where fault.code == .denied && refused <= waiting.count {
          waiting.append(map)
          refused += 1
        }
      }
      feed.add(entry)
    }
    backing?.keys.removeAll()
    listeners.tell()
  }
}

extension GraphStore {
  /// What the rows know of a relationship, whichever of its sides it is.
  package func relationship(_ map: EntityMap, _ property: Int) -> RelationshipID? {
    relations[map.number][property]?.way.id
  }

  /// Whether a relationship is its own other side.
  package func isMutual(_ map: EntityMap, _ property: Int) -> Bool {
    relations[map.number][property]?.isOwnInverse == true
  }

  /// Whether a relationship leads to objects of the same entity.
  package func leadsToItself(_ map: EntityMap, _ property: Int) -> Bool {
    relations[map.number][property].map { maps[$0.target].entity.id == map.entity.id } == true
  }

  /// Whether a relationship to many is held by links of its own, and not by references of its members.
  package func isByLinks(_ map: EntityMap, _ property: Int) -> Bool {
    relations[map.number][property]?.isByLinks == true
  }
}

extension GraphStore {
  /// Changes rows below the objects. Whoever does so tells contexts of it, by a ``RowNotice``.
  package func write(isRelaxed: Bool, author: String, _ body: (RecordWriter) throws -> Void) throws {
    try refuseWorkingSet("an import")
    try records.write(isRelaxed ? .relaxed : .full, author: author, body)
  }
}
