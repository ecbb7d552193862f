internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Log records of links: see `Tables+Links.swift`.
extension Tables {
  func recordLinks(_ kind: Kind, _ one: Relationship, numbers: [UInt64]) throws(StoreError) {
    var piece = ByteWriter()
    piece.number(one.id.number)
    for number in numbers { piece.number(number) }
    try forest.transaction.record(kind.rawValue, count: piece.bytes.count) { memory in
      piece.bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    }
  }

  /// Replays a piece about links.
  func carryOutLinks(_ kind: Kind, _ reader: inout ByteReader) throws {
    let id = RelationshipID(try reader.number())
    guard let one = catalog.relationship(id) else { throw Self.unreadable }
    let owner = RowID(try reader.number())
    if one.shape != .links { return try carryOutOrder(kind, one, owner: owner, reader: &reader) }
    let links = try links(one)
    let isForward = one.isForward
    func place() throws -> Int? {
      let number: UInt64 = try reader.number()
      return number == 0 ? nil : Int(clamping: number - 1)
    }
    switch kind {
    case .link:
      let target = RowID(try reader.number())
      try link(owner, target, links: links, isForward: isForward, at: try place())
    case .unlink:
      let target = RowID(try reader.number())
      guard let found = try self.link(of: owner, target, links, isForward: isForward, at: try place()) else {
        throw Self.unreadable
      }
      try unlink(found, links)
    case .moveLink:
      let from = Int(clamping: try reader.number() as UInt64)
      let to = Int(clamping: try reader.number() as UInt64)
      guard from < .max, let found = try links.links(owner, isForward, positions: from..<from + 1).first else {
        throw Self.unreadable
      }
      try moveLink(found, links, isForward: isForward, to: to)
    case .unlinkAll: try unlinkAll(owner, links, isForward: isForward)
    case .arrange:
      let rows = try reader.list { RowID(try $0.number()) }
      try arrange(owner, rows, links: links, isForward: isForward)
    default: throw Self.unreadable
    }
    guard reader.isAtEnd else { throw Self.unreadable }
  }

  /// Replays a piece about the order of the rows that refer to one row. The rows themselves say
  /// which rows these are.
  private func carryOutOrder(
    _ kind: Kind, _ one: Relationship, owner: RowID, reader: inout ByteReader
  ) throws {
    guard one.isOrdered, let order = try order(of: one) else { throw Self.unreadable }
    switch kind {
    case .moveLink:
      let from = Int(clamping: try reader.number() as UInt64)
      let to = Int(clamping: try reader.number() as UInt64)
      guard try moveChild(of: owner, order, from: from, to: to) else { throw Self.unreadable }
    case .arrange: try arrange(owner, try reader.list { RowID(try $0.number()) }, order: order)
    default: throw Self.unreadable
    }
    guard reader.isAtEnd else { throw Self.unreadable }
  }

  /// The order that a relationship stores for the rows that refer to one row.
  func order(of one: Relationship) throws -> ChildOrder? {
    guard case .manyByReference(let entity, _) = one.shape else { return nil }
    return try table(entity).links.order(of: one.id)
  }

  // MARK: Shared by writing and replay

  func link(
    _ owner: RowID, _ target: RowID, links: LinkDraft, isForward: Bool, at place: Int?
  ) throws(StoreError) {
    if isForward {
      try links.add(owner, target, forward: place)
    } else {
      try links.add(target, owner, backward: place)
    }
    noteLink(links.relationship, isForward ? owner : target, target: isForward ? target : owner)
  }

  func unlink(_ link: Link, _ links: LinkDraft) throws(StoreError) {
    try links.remove(link)
    noteLink(links.relationship, link.owner, target: link.target)
  }

  func moveLink(_ link: Link, _ links: LinkDraft, isForward: Bool, to place: Int) throws(StoreError) {
    try links.move(link, isForward, to: place)
    noteLink(links.relationship, link.owner, target: link.target)
  }

  /// A link of the owner to the target: the one at a position in the owner's list, or the first one
  /// if no position is given.
  func link(
    of owner: RowID, _ target: RowID, _ links: LinkDraft, isForward: Bool, at place: Int?
  ) throws(StoreError) -> Link? {
    guard let place else { return try links.find(isForward ? owner : target, isForward ? target : owner) }
    guard place < .max else { return nil }
    let found = try links.links(owner, isForward, positions: place..<place + 1).first
    return found?.row(!isForward) == target ? found : nil
  }
}
