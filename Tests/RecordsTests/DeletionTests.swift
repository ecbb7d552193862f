import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// Delete rules, compared with a plain graph. A deletion is whole or does not happen.
@Suite struct DeletionTests {
  /// Each node references others in every possible way.
  private static func catalog() throws -> RoostRecords.Catalog {
    var catalog = RoostRecords.Catalog()
    let node = EntityID(1)
    try catalog.add(entity: "Node") { (entity) throws(RecordFault) in
      for name in ["up", "pal", "bar", "own"] { try entity.add(name, .reference(node), isOptional: true) }
    }
    try catalog.add(reference: "up", of: "Node", inverse: .init("below", deleteRule: .cascade, isOrdered: true))
    try catalog.add(reference: "pal", of: "Node", inverse: .init("pals"))
    try catalog.add(reference: "bar", of: "Node", inverse: .init("barred", deleteRule: .deny))
    try catalog.add(reference: "own", of: "Node", deleteRule: .cascade)
    try catalog.add(
      links: .init("group", deleteRule: .cascade), of: "Node", to: "Node",
      inverse: .init("groups", deleteRule: .nullify))
    try catalog.add(
      links: .init("lock", deleteRule: .deny), of: "Node", to: "Node", inverse: .init("locks", isOrdered: true))
    return catalog
  }

  private struct Node: Equatable {
    var up: RowID?
    var pal: RowID?
    var bar: RowID?
    var own: RowID?
    var group: [RowID] = []
    var lock: [RowID] = []
  }

  private static func read(_ store: RecordStore) throws -> [RowID: Node] {
    #expect(try store.complaints() == [])
    return try store.read { reader in
      let table = try reader.table("Node")
      let (group, lock) = (try reader.links("group", of: "Node"), try reader.links("lock", of: "Node"))
      let below = try reader.links("below", of: "Node")
      var found: [RowID: Node] = [:]
      var cursor = try table.cursor()
      while try cursor.next() {
        let id = try cursor.id
        let values = try #require(try table.values(id))
        func reference(_ name: String) -> RowID? {
          if case .reference(let row)? = values[name] { return row }
          return nil
        }
        found[id] = Node(
          up: reference("up"), pal: reference("pal"), bar: reference("bar"), own: reference("own"),
          group: try group.rows(of: id), lock: try lock.rows(of: id))
      }
      for (id, _) in found {
        let children = found.filter { $0.value.up == id }.keys.sorted()
        #expect(try below.rows(of: id).sorted() == children)
      }
      return found
    }
  }

  /// The graph without some nodes and all that a cascade deletes; nil if a rule forbids it.
  private static func without(_ wanted: [RowID], _ graph: [RowID: Node]) -> [RowID: Node]? {
    var doomed = Set(wanted.filter { graph[$0] != nil })
    var before = -1
    while doomed.count != before {
      before = doomed.count
      for id in doomed {
        doomed.formUnion(graph[id]!.group)
        if let own = graph[id]!.own, graph[own] != nil { doomed.insert(own) }
      }
      for (id, node) in graph where node.up.map({ doomed.contains($0) }) ?? false { doomed.insert(id) }
    }
    for (id, node) in graph {
      if !doomed.contains(id), let bar = node.bar, doomed.contains(bar) { return nil }
      if doomed.contains(id), !node.lock.allSatisfy({ doomed.contains($0) }) { return nil }
    }
    var left = graph.filter { !doomed.contains($0.key) }
    for id in left.keys {
      if let pal = left[id]!.pal, doomed.contains(pal) { left[id]!.pal = nil }
      // The hidden inverse of a one-way reference.
      if let own = left[id]!.own, doomed.contains(own) { left[id]!.own = nil }
      left[id]!.group.removeAll { doomed.contains($0) }
      left[id]!.lock.removeAll { doomed.contains($0) }
    }
    return left
  }

  @Test(arguments: UInt64(1)...30) func `a deletion follows the rules, or deletes nothing`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var options = StoreOptions()
    options.fanoutLimit = 8
    let store = try RecordStore(inMemory: options)
    let count = 20 + generator.below(60)
    let rarity = 2 + generator.below(12)
    try store.write { writer in
      try writer.change { $0 = try Self.catalog() }
      let table = try writer.table("Node")
      func some() -> Value {
        generator.chance(1, in: rarity) ? .reference(RowID(UInt64(1 + generator.below(count)))) : .null
      }
      for _ in 0..<count {
        let rare: Value = generator.chance(1, in: 8) ? some() : .null
        try table.insert(["up": some(), "pal": some(), "own": some(), "bar": rare])
      }
      let (group, lock) = (try writer.links("group", of: "Node"), try writer.links("lock", of: "Node"))
      for _ in 0..<count / rarity {
        let (one, other) = (RowID(UInt64(1 + generator.below(count))), RowID(UInt64(1 + generator.below(count))))
        try group.append(one, to: other)
        if generator.chance(1, in: 8) { try lock.append(one, to: other) }
      }
    }
    var graph = try Self.read(store)
    for _ in 0..<12 {
      let wanted = (0...generator.below(3)).map { _ in RowID(UInt64(1 + generator.below(count))) }
      let left = Self.without(wanted, graph)
      do {
        try store.write { writer in
          let done = try writer.table("Node").deleteFollowingRules(many: wanted)
          #expect(done.asked == Set(wanted).filter { graph[$0] != nil }.count)
          #expect(done.rows.count == graph.count - (left?.count ?? 0))
        }
        #expect(left != nil)
        graph = left ?? graph
      } catch let fault as RecordFault {
        #expect(left == nil && fault.code == .denied && fault.rows.count > 1, "\(fault)")
      }
      #expect(try Self.read(store) == graph, "seed \(seed)")
    }
  }

  @Test func `a refused deletion leaves the transaction as it was, and names the rows`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        let album = try catalog.add(entity: "Album")
        try catalog.add(entity: "Track") { (entity) throws(RecordFault) in try entity.add("album", .reference(album)) }
        try catalog.add(reference: "album", of: "Track", inverse: .init("tracks"))
      }
      try writer.table("Album").insert([:])
      try writer.table("Track").insert(["album": .reference(RowID(1))])
      let fault = #expect(throws: RecordFault.self) { try writer.table("Album").deleteFollowingRules(RowID(1)) }
      #expect(fault?.code == .missing && fault?.entity == "Track" && fault?.field == "album")
      #expect(fault?.rows == [RowName(EntityID(1), RowID(1)), RowName(EntityID(2), RowID(1))])
      #expect(try writer.table("Track").deleteFollowingRules(RowID(1)).rows.count == 1)
      #expect(try writer.table("Album").deleteFollowingRules(RowID(1)).asked == 1)
      #expect(try writer.table("Album").deleteFollowingRules(RowID(1)).asked == 0)
    }
  }

  @Test func `a thousand albums and their ten thousand tracks are deleted in steps that do not grow`() throws {
    var edits: [Int] = []
    for albums in [100, 400] {
      let store = try RecordStore(inMemory: StoreOptions())
      try store.write { writer in
        try writer.change { catalog in
          let album = try catalog.add(entity: "Album")
          try catalog.add(entity: "Track") { (entity) throws(RecordFault) in
            try entity.add("album", .reference(album), isOptional: true)
          }
          try catalog.add(
            reference: "album", of: "Track", inverse: .init("tracks", deleteRule: .cascade, isOrdered: true))
        }
        let (album, track) = (try writer.table("Album"), try writer.table("Track"))
        for number in 1...albums {
          try album.insert([:])
          for _ in 0..<10 { try track.insert(["album": .reference(RowID(UInt64(number)))]) }
        }
        // In a separate order, which has to be deleted too.
        let tracks = try writer.links("tracks", of: "Album")
        for number in 1...albums {
          let id = RowID(UInt64(number))
          try tracks.replace(tracks.rows(of: id).reversed(), of: id)
        }
        let links = try writer.tables.links(tracks.relationship)
        let before = links.edits
        let done = try album.deleteFollowingRules(many: (1...albums).map { RowID(UInt64($0)) })
        #expect(done.asked == albums && done.rows.count == albums * 11)
        edits.append(links.edits - before)
        #expect(writer.tables.deletions == albums * 11)
        #expect(try writer.reading("Track").count == 0 && writer.reading("Album").count == 0)
        #expect(links.draft.root.count == 0)
      }
    }
    #expect(edits == [2000, 8000])
  }

  @Test func `a chain of ten thousand rows is deleted without recursion`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { $0 = try Self.catalog() }
      let table = try writer.table("Node")
      for number in 1...10_000 {
        try table.insert(["own": .reference(RowID(UInt64(number % 10_000 + 1)))])
      }
      #expect(try table.deleteFollowingRules(RowID(5000)).rows.count == 10_000)
    }
  }
}
