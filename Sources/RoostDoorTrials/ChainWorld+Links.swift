internal import RoostRecords

extension ChainWorld {
  /// One side of a relationship, as plain lists.
  struct Side: Equatable {
    /// How the store keeps it.
    enum Form { case reference, found, links }

    var target: String
    /// The name of the other side, if it has one.
    var inverse: String?
    var form = Form.links
    var isToMany: Bool
    var isOrdered: Bool
    var isRequired = false
    var deleteRule: Relationship.DeleteRule
    /// For each row, the rows that it references. Rows without any are absent.
    var lists: [UInt64: [UInt64]] = [:]
    /// Whether the order of its lists is not defined. It is false in a world that was read from a
    /// store.
    var isFree = false

    /// Changes the form to that of a property. Lists that had no order get an undefined order.
    mutating func become(_ end: ChainPair.End, inverse: String?) {
      isFree = isFree || !isOrdered
      self.inverse = inverse
      (isToMany, isOrdered) = (end.link.isToMany, end.link.isToMany)
      (isRequired, deleteRule) = (end.link.isRequired, end.link.deleteRule)
    }

    /// The lists of the other side, in the order of rows.
    var opposite: [UInt64: [UInt64]] {
      var opposite: [UInt64: [UInt64]] = [:]
      for (owner, members) in lists.sorted(by: { $0.key < $1.key }) {
        for member in members { opposite[member, default: []].append(owner) }
      }
      return opposite
    }
  }

  // MARK: Rows

  /// Sets the list of a row, and changes the other side with it.
  mutating func set(_ key: ChainKey, of owner: UInt64, to members: [UInt64]) {
    guard let side = sides[key] else { return }
    let old = side.lists[owner] ?? []
    sides[key]?.lists[owner] = members.isEmpty ? nil : members
    guard let other = side.inverse.map({ ChainKey(entity: side.target, name: $0) }),
      var inverse = sides[other]
    else {
      return
    }
    for row in old where !members.contains(row) {
      inverse.lists[row]?.removeAll { $0 == owner }
      if inverse.lists[row]?.isEmpty == true { inverse.lists[row] = nil }
    }
    for row in members where !old.contains(row) { inverse.lists[row, default: []].append(owner) }
    inverse.isFree = true
    sides[other] = inverse
  }

  // MARK: Openings

  /// Migrates the relationships to a version. Returns false if that must be refused.
  mutating func relate(_ version: ChainVersion) -> Bool {
    let pairs = version.pairs
    let parted = part(pairs)
    for pair in pairs { if !adapt(pair, parted) { return false } }
    let named = Set(pairs.flatMap { $0.ends.map(\.key) })
    for key in sides.keys where !named.contains(key) { sides[key]?.isRequired = false }
    return true
  }

  /// Separates relationships whose sides are no longer inverses. Returns the sides that have to be
  /// stored again.
  private mutating func part(_ pairs: [ChainPair]) -> [ChainKey: Side] {
    var places: [ChainKey: Int] = [:]
    for (place, pair) in pairs.enumerated() { for end in pair.ends { places[end.key] = place } }
    var parted: [ChainKey: Side] = [:]
    for key in sides.keys.sorted() {
      guard let side = sides[key], side.form != .found, let inverse = side.inverse else { continue }
      let other = ChainKey(entity: side.target, name: inverse)
      guard let one = places[key], let two = places[other], one != two, let leaver = sides[other]
      else { continue }
      parted[other] = leaver
      sides[other] = nil
      sides[key]?.inverse = nil
    }
    return parted
  }

  private mutating func adapt(_ pair: ChainPair, _ parted: [ChainKey: Side]) -> Bool {
    let known = pair.ends.filter { sides[$0.key] != nil }
    guard let end = known.first, let side = sides[end.key] else { return add(pair, parted) }
    let partner = pair.ends.first { $0.key != end.key }
    // Two relationships cannot become one.
    if known.count == 2, side.inverse != partner?.key.name { return false }
    if let partner, known.count == 1, parted[partner.key] != nil { return false }
    if side.target != end.target { return false }
    let before = side.inverse.map { ChainKey(entity: side.target, name: $0) }
    let opposite = before.flatMap { sides[$0] }
    if side.isToMany, side.isOrdered, !end.link.isToMany { return false }
    if let partner, partner.key == before, let opposite, opposite.isToMany, opposite.isOrdered,
      !partner.link.isToMany
    {
      return false
    }
    let isHeld =
      switch side.form {
      case .reference: !end.link.isToMany
      case .found: partner.map { !$0.link.isToMany } ?? true
      case .links: end.link.isToMany && partner?.link.isToMany != false
      }
    // A relationship that is stored in another form loses a side that the version does not name.
    if let before, before != partner?.key, partner != nil || !isHeld { sides[before] = nil }
    var (mine, theirs) = (side, opposite)
    mine.become(end, inverse: partner?.key.name ?? (isHeld ? side.inverse : nil))
    if let partner {
      var new =
        opposite
        ?? Side(
          target: end.key.entity, isToMany: true, isOrdered: false, deleteRule: partner.link.deleteRule,
          lists: side.opposite)
      new.become(partner, inverse: end.key.name)
      theirs = new
    } else if side.form == .reference {
      // A hidden side may have any number of rows, even if it is found by references.
      theirs?.isToMany = true
    }
    sides[end.key] = mine
    if let key = partner?.key ?? (isHeld ? before : nil) { sides[key] = theirs }
    return pair.ends.allSatisfy { fits($0) }
  }

  /// Adds a relationship. A separated one keeps its lists.
  private mutating func add(_ pair: ChainPair, _ parted: [ChainKey: Side]) -> Bool {
    // Two relationships cannot become one.
    if pair.ends.filter({ parted[$0.key] != nil }).count == 2 { return false }
    for end in pair.ends {
      let partner = pair.ends.first { $0.key != end.key }
      let old = parted[end.key]
      let isNew = old == nil
      if isNew, end.link.isRequired, tables[end.key.entity]?.rows.isEmpty == false { return false }
      if let old, old.target != end.target { return false }
      var side = Side(
        target: end.target, inverse: partner?.key.name, isToMany: end.link.isToMany,
        isOrdered: end.link.isToMany,
        isRequired: end.link.isRequired, deleteRule: end.link.deleteRule, lists: old?.lists ?? [:])
      if isNew, let partner, let other = parted[partner.key] {
        side.lists = other.opposite
        side.isFree = true
      }
      sides[end.key] = side
    }
    return pair.ends.allSatisfy { fits($0) }
  }

  /// Whether the lists of a side fit its property.
  private func fits(_ end: ChainPair.End) -> Bool {
    guard let side = sides[end.key] else { return false }
    if !end.link.isToMany, side.lists.values.contains(where: { $0.count > 1 }) { return false }
    return !end.link.isRequired
      || Set(side.lists.keys) == Set(tables[end.key.entity]?.rows.keys ?? [:].keys)
  }

  // MARK: A store

  /// Reads the sides that have names.
  static func sides(_ reader: RecordReader) throws -> [ChainKey: Side] {
    let catalog = reader.catalog
    var sides: [ChainKey: Side] = [:]
    for one in catalog.relationships where !one.isHidden {
      guard let entity = catalog.entity(one.entity), let target = catalog.name(of: one.target),
        let other = catalog.inverse(of: one)
      else { continue }
      var side = Side(
        target: target, inverse: other.isHidden ? nil : other.name, isToMany: !one.isToOne,
        isOrdered: one.isOrdered,
        deleteRule: one.deleteRule)
      let table = try reader.table(entity.id)
      var cursor = try table.cursor()
      let lists = if case .one = one.shape { nil as Members? } else { try reader.links(one) }
      switch one.shape {
      case .one(let field):
        side.form = .reference
        side.isRequired = entity.field(field)?.isOptional == false
      case .manyByReference: side.form = .found
      case .links: side.form = .links
      }
      while try cursor.next() {
        let id = try cursor.id
        if let lists {
          let members = try lists.rows(of: id).map(\.number)
          if !members.isEmpty { side.lists[id.number] = members }
        } else if case .reference(let row)? = try table.values(id)?[one.name] {
          side.lists[id.number] = [row.number]
        }
      }
      sides[ChainKey(entity: entity.name, name: one.name)] = side
    }
    return sides
  }

  /// Describes the first difference between the relationships of two worlds.
  func linkDifference(from other: ChainWorld) -> String? {
    for key in Set(sides.keys).union(other.sides.keys).sorted() {
      let name = "\(key.entity).\(key.name)"
      guard let here = sides[key], let there = other.sides[key] else {
        return "\(name) is \(sides[key] == nil ? "absent" : "there"), and should not be"
      }
      for (what, one, two) in [
        ("target", here.target, there.target),
        ("inverse", here.inverse ?? "none", there.inverse ?? "none"),
        ("to-many", "\(here.isToMany)", "\(there.isToMany)"),
        ("required", "\(here.isRequired)", "\(there.isRequired)"),
        ("delete rule", "\(here.deleteRule)", "\(there.deleteRule)"),
      ] where one != two {
        return "\(name): \(what) is \(one), and not \(two)"
      }
      let isFree = here.isFree || there.isFree
      for row in Set(here.lists.keys).union(there.lists.keys).sorted() {
        let (one, two) = (here.lists[row] ?? [], there.lists[row] ?? [])
        if isFree ? one.sorted() != two.sorted() : one != two {
          return "\(name) of row \(row) is \(one), and not \(two)"
        }
      }
    }
    return nil
  }
}
