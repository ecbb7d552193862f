#if Postgres
  internal import RoostGraph
  internal import RoostRecords

  /// Tables of links.
  extension DatabaseShape {
    mutating func create(_ number: Int, _ wanted: KeptRelationship) {
      var link = tables.links[number]
      while there.names.contains(link.name.text) { link.name = link.name.adding("_") }
      tables.links[number] = link
      let name = link.name.text
      there.add(table: name)
      add(
        "CREATE TABLE \(full(name)) (\(Table.zone) text NOT NULL DEFAULT '', \(LinkTable.firstKey) uuid NOT NULL, "
          + "\(LinkTable.secondKey) uuid NOT NULL, \(LinkTable.firstPlace) bigint, \(LinkTable.secondPlace) bigint, "
          + "PRIMARY KEY (\(Table.zone), \(LinkTable.firstKey), \(LinkTable.secondKey)))")
      distribute(link.name)
      for (key, target) in [(LinkTable.firstKey, link.first), (LinkTable.secondKey, link.second)] {
        addKey(there.name(name, [key.text], kind: "fkey"), table: name, column: key, to: target, rule: .delete)
      }
      let index = there.name(name, [LinkTable.secondKey.text], kind: "idx")
      add("CREATE INDEX \(index) ON \(full(name)) (\(Table.zone), \(LinkTable.secondKey))")
      stored.links.append(
        StoredLink(
          name: name, owner: storedSide(wanted.holder),
          member: StoredSide(table: tables.tables[link.second].name.text, field: wanted.other?.field)))
    }

    /// Fills new links from a reference: a to-one relationship became a list, or a list lost its
    /// inverse.
    mutating func copyReference(_ side: StoredSide, to number: Int, _ wanted: KeptRelationship, isShared: Bool) throws {
      guard let (table, at) = column(side) else { return }
      let column = stored.tables[table].columns[at]
      let link = tables.links[number]
      // Whether the rows with the reference are the owners.
      let isOwner =
        storedSide(wanted.holder) == side
        || wanted.other.map(storedSide) != nil && wanted.other.map(storedSide) != side
          && storedSide(wanted.holder).table == side.table && column.reference?.inverse == wanted.other?.field
      let ends = [tables.tables[link.first].name.text, tables.tables[link.second].name.text]
      let needed = isOwner ? [side.table, column.reference?.table ?? ""] : [column.reference?.table ?? "", side.table]
      if ends != needed {
        throw needsMigration(
          wanted.holder.table, wanted.holder.field,
          detail:
            "the database has a relationship between \(quoted(side.table)) and \(quoted(column.reference?.table ?? "")) for it: give "
            + "the property another name")
      }
      let place = stored.tables[table].columns.first { $0.placeOf == column.name }.map { quoted($0.name) } ?? "NULL"
      let alone = "\(ListPlaces.gap)"
      let key = quoted(column.name)
      let values = isOwner ? [Table.key.description, key, alone, place] : [key, Table.key.description, place, alone]
      add(
        "INSERT INTO \(full(link.name.text)) (\(Table.zone), \(LinkTable.firstKey), \(LinkTable.secondKey), "
          + "\(LinkTable.firstPlace), \(LinkTable.secondPlace)) SELECT \(Table.zone), \(values.joined(separator: ", ")) FROM "
          + "\(full(side.table)) WHERE \(key) IS NOT NULL")
      if !isShared { drop(side) }
    }

    /// Uses links that the database has. The side that made the table first is the owner's.
    mutating func bringLinks(_ name: String, to number: Int, _ relationship: Int) throws {
      guard let at = stored.links.firstIndex(where: { $0.name == name }) else { return }
      var wanted = tables.relationships[relationship]
      let link = stored.links[at]
      func isTurned() -> Bool {
        let (holder, other) = (storedSide(wanted.holder), wanted.other.map(storedSide))
        return link.owner.field != nil && link.owner == other || link.member == holder && link.owner != holder
      }
      if isTurned() {
        tables.turn(link: number, of: relationship)
        wanted = tables.relationships[relationship]
      }
      let shape = tables.links[number]
      let ends = [tables.tables[shape.first].name.text, tables.tables[shape.second].name.text]
      if ends != [link.owner.table, link.member.table] {
        throw needsMigration(
          wanted.holder.table, wanted.holder.field,
          detail:
            "the database has links between \(quoted(link.owner.table)) and \(quoted(link.member.table)) for it: give the property "
            + "another name")
      }
      tables.links[number].name = SQLName(exactly: name)
      if wanted.sides.contains(where: { isOlder($0.table) }) { return }
      let sides = wanted.sides.map(storedSide)
      let isFirst = tables.isOwner(wanted.holder, of: number)
      stored.links[at].owner.field = isFirst ? sides.first?.field : sides.dropFirst().first?.field
      stored.links[at].member.field = isFirst ? sides.dropFirst().first?.field : sides.first?.field
      stored.links[at].isLeft = false
    }
  }

  extension TableMap {
    /// Whether a side of a relationship is the owners' side of the links.
    func isOwner(_ side: Side, of link: Int) -> Bool {
      for kind in tables[side.table].classes {
        for (property, member) in kind.members.enumerated() where kind.type.fieldName(property) == side.field {
          if case .links(link, let isFirst)? = member { return isFirst }
        }
      }
      return true
    }
  }
#endif
