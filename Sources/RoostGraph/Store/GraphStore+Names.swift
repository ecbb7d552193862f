internal import RoostPages
package import RoostRecords

/// Facts about a whole store for the modules above.
extension GraphStore {
  /// How a condition follows a relationship.
  package enum Lead: Sendable {
    /// A field of the row.
    case reference(FieldID)
    /// The one row whose reference names this row.
    case found(RelationshipID)
    case many(RelationshipID)
  }

  /// The way and the target of a relationship; nil for other properties.
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

  /// Removes all rows. The contexts of the store learn of it as of any other commit.
  package func erase() throws {
    try backing?.erase()
    try records.write { writer in
      var entry = CommitFeed.Entry(number: writer.commitNumber, rows: [:], author: ObjectIdentifier(self))
      // Rows that a delete rule protects are deleted after the rows that need them.
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
  /// The relationship in the catalog, from either of its sides.
  package func relationship(_ map: EntityMap, _ property: Int) -> RelationshipID? {
    relations[map.number][property]?.way.id
  }

  /// Whether a relationship is its own inverse.
  package func isMutual(_ map: EntityMap, _ property: Int) -> Bool {
    relations[map.number][property]?.isOwnInverse == true
  }

  /// Whether a relationship refers to objects of the same entity.
  package func leadsToItself(_ map: EntityMap, _ property: Int) -> Bool {
    relations[map.number][property].map { maps[$0.target].entity.id == map.entity.id } == true
  }

  /// Whether a to-many relationship is stored as links, and not as references of its members.
  package func isByLinks(_ map: EntityMap, _ property: Int) -> Bool {
    relations[map.number][property]?.isByLinks == true
  }
}

extension GraphStore {
  /// Changes rows without objects. The caller tells contexts of it, by a ``RowNotice``.
  package func write(isRelaxed: Bool, author: String, _ body: (RecordWriter) throws -> Void) throws {
    try refuseWorkingSet("an import")
    try records.write(isRelaxed ? .relaxed : .full, author: author, body)
  }
}
