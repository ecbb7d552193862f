#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Resolves the relationships of a chunk's rows.
  extension BulkWork {
    /// Puts all relationships into the columns and tables that store them.
    mutating func relate() throws {
      let isRefused = Set(faults.map(\.row))
      func isIdle(_ at: Int) -> Bool {
        switch lines[at].state {
        case .kept, .same(_, isKept: true): true
        default: isRefused.contains(at)
        }
      }
      // A row's own reference has precedence over the list of another row.
      for isOwn in [true, false] {
        for at in lines.indices where !isIdle(at) {
          for (place, property, member) in classes[lines[at].place].links {
            if case .reference(let column) = member {
              if isOwn, case .one(let target) = chunk.rows[at].links[place] {
                refer(at, property, column: column, to: target)
              }
            } else if !isOwn {
              gather(at, property, member: member, link: chunk.rows[at].links[place])
            }
          }
        }
      }
      pair()
    }

    /// If several rows reference one partner in a one-to-one relationship, only the last of them
    /// keeps it.
    private mutating func pair() {
      for relationship in store.tables.relationships where relationship.other != nil {
        guard case .reference(let column, place: nil) = relationship.form else { continue }
        let key = PartnerColumn(table: relationship.holder.table, column: column)
        var owners: [RowKey: Int] = [:]
        for at in lines.indices where classes[lines[at].place].table == key.table {
          guard lines[at].state == .new || lines[at].state == .updated else { continue }
          let slot = lines[at].start + classes[lines[at].place].slots[column]
          guard let target = slots[slot].target else { continue }
          if let before = owners.updateValue(at, forKey: RowKey(lines[at].key.zone, target)) {
            slots[lines[before].start + classes[lines[before].place].slots[column]] = Slot(isSaid: true)
          }
        }
        if !owners.isEmpty { partners[key] = owners }
      }
    }

    private enum Found {
      case line(Int)
      case stored(RowKey)
    }

    /// The row of a target; nil if it does not exist.
    private mutating func find(_ target: BulkTarget, _ at: Int, property: Int, place: Int, in table: Int) -> Found? {
      let found: Found
      let key: RowKey
      switch target {
      case .row(let row):
        let other = root(row)
        key = lines[other].key
        found = lines[other].state == .kept ? .stored(key) : .line(other)
      case .earlier(let earlier):
        key = RowKey(earlier)
        found = .stored(key)
      case .stored(let identifier):
        guard let known = RowKey(identifier) else {
          missing.append((at, property, place))
          return nil
        }
        key = known
        found = .stored(key)
      }
      if case .stored = found, case .row = target {
      } else if case .stored = found, there[table][key] == nil {
        missing.append((at, property, place))
        return nil
      }
      let own = lines[root(at)].key.zone
      if key.zone != own {
        refuse(
          at,
          ImportFault(
            .unknown,
            "\(name(at, property)) of the zone '\(own)' references an object of the zone '\(key.zone)': relationships stay in a zone",
            field: field(at, property)))
        return nil
      }
      return found
    }

    private func key(_ found: Found) -> UUIDNumber {
      switch found {
      case .line(let line): lines[line].key.key
      case .stored(let key): key.key
      }
    }

    private mutating func refer(_ at: Int, _ property: Int, column: Int, to target: BulkTarget?) {
      let kind = classes[lines[at].place]
      let slot = lines[root(at)].start + kind.slots[column]
      guard let target else {
        // If the chunk joins, the stored reference stays. Otherwise nil clears it.
        if !chunk.joins { slots[slot] = Slot(isSaid: true) }
        return
      }
      guard let table = self.target(of: .reference(column: column), kind.table),
        let found = find(target, at, property: property, place: 0, in: table)
      else { return }
      slots[slot] = Slot(target: key(found), isSaid: true)
    }

    private mutating func gather(_ at: Int, _ property: Int, member: TableClass.Member, link: BulkLink) {
      let targets: [BulkTarget]
      switch link {
      case .absent: return
      case .one(let one): targets = one.map { [$0] } ?? []
      case .many(let many): targets = many
      }
      guard let table = target(of: member, classes[lines[at].place].table) else { return }
      let owner = lines[root(at)].key
      if case .links(let link, let isFirst) = member, !chunk.joins, lines[root(at)].state == .updated {
        replaced[LinkSide(link: link, isFirst: isFirst, zone: owner.zone), default: []].insert(owner.key)
      }
      for (place, target) in targets.enumerated() {
        guard let found = find(target, at, property: property, place: place, in: table) else { continue }
        let number = Int64(place + 1) * ListPlaces.gap
        switch member {
        case .value, .reference: return
        case .found(_, let column): lead(found, column, placeColumn: nil, to: owner, place: -1, in: table)
        case .list(_, let column, let placeColumn):
          lead(found, column, placeColumn: placeColumn, to: owner, place: number, in: table)
        case .links(let link, let isFirst):
          let other = key(found)
          let pair = SaveWork.LinkKey(
            link: link, zone: owner.zone, first: isFirst ? owner.key : other, second: isFirst ? other : owner.key)
          var isNew = lines[root(at)].state == .new
          if case .line(let line) = found, lines[line].state == .new { isNew = true }
          var known = pairs[pair] ?? Pair(isNew: isNew)
          if isFirst { known.firstPlace = number } else { known.secondPlace = number }
          pairs[pair] = known
        }
      }
    }

    /// Makes a member of a list reference the list's owner.
    private mutating func lead(
      _ member: Found, _ column: Int, placeColumn: Int?, to owner: RowKey, place: Int64, in table: Int
    ) {
      switch member {
      case .line(let line):
        let slot = lines[line].start + classes[lines[line].place].slots[column]
        if slots[slot].target == nil { slots[slot] = Slot(target: owner.key, isSaid: true) }
        if slots[slot].target == owner.key { slots[slot].place = place }
      case .stored(let key):
        moves.append(
          Move(table: table, column: column, placeColumn: placeColumn, key: key, target: owner.key, place: place))
      }
    }
  }
#endif
