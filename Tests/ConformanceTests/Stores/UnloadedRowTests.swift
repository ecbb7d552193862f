#if canImport(Roost)
  import Foundation
  import SwiftData
  import Testing

  /// Questions to a context that has fetched nothing. Related models have only identifiers there,
  /// and the context fetches them before it answers.
  @Suite(.serialized) struct UnloadedRowTests {
    fileprivate struct Question {
      let name: String
      let ask: (ModelContext) throws -> [String]
    }

    private static var schema: Schema { Schema([Guild.self, Smith.self, GuildHall.self, GuildSkill.self]) }

    /// Saves four guilds.
    private static func fill(_ context: ModelContext) throws {
      let crafts = ["gold", "iron"].map { GuildSkill($0) }
      for craft in crafts { context.insert(craft) }
      var before: Guild?
      for number in 0..<4 {
        let guild = Guild("g\(number)", number + 1)
        context.insert(guild)
        let (master, other) = (Smith("m\(number)", number * 10), Smith("k\(number)", number))
        guild.smiths = [master, other]
        guild.head = master
        guild.hall = GuildHall(number)
        guild.whole = before
        master.crafts = crafts
        other.crafts = [crafts[number % 2]]
        before = guild
      }
      context.insert(Smith("free", 3))
      try context.save()
    }

    /// A way to make a context that has fetched nothing.
    enum Place: CaseIterable, Sendable {
      case child, grandchild, json

      fileprivate func context(_ fill: (ModelContext) throws -> Void) throws -> ModelContext {
        let configuration = JSONStore.Configuration(schema: schema, file: freshFile())
        let own = ModelConfiguration(isStoredInMemoryOnly: true)
        let parent = ModelContext(
          self == .json
            ? try ModelContainer(for: schema, configurations: [configuration])
            : try ModelContainer(for: schema, configurations: [own]))
        try fill(parent)
        switch self {
        case .child: return try ModelContext(parent: parent)
        case .grandchild: return try ModelContext(parent: ModelContext(parent: parent))
        case .json: return ModelContext(try ModelContainer(for: schema, configurations: [configuration]))
        }
      }
    }

    private static let byName = [SortDescriptor(\Smith.name)]
    private static let byCode = [SortDescriptor(\Guild.code)]

    private static func smiths(
      _ context: ModelContext, prefetching paths: [PartialKeyPath<Smith>], _ read: (Smith) -> String
    ) throws -> [String] {
      var descriptor = FetchDescriptor<Smith>(sortBy: byName)
      descriptor.relationshipKeyPathsForPrefetching = paths
      return try context.fetch(descriptor).map(read)
    }

    private static func guilds(
      _ context: ModelContext, prefetching paths: [PartialKeyPath<Guild>], _ read: (Guild) -> String
    ) throws -> [String] {
      var descriptor = FetchDescriptor<Guild>(sortBy: byCode)
      descriptor.relationshipKeyPathsForPrefetching = paths
      return try context.fetch(descriptor).map(read)
    }

    private static func far(_ smith: Smith) -> String {
      let whole = smith.guild?.head?.guild?.whole
      return "\(smith.name) \(smith.guild?.size ?? -1) \(smith.guild?.head?.name ?? "-") \(whole?.code ?? "-") "
        + "\(whole?.hall?.number ?? -1)"
    }

    private static func near(_ guild: Guild) -> String {
      let smiths = guild.smiths.map { "\($0.name)\($0.pay)\($0.crafts.map(\.title).sorted())" }.sorted()
      return "\(guild.code) \(smiths) \(guild.head?.guild?.size ?? -1) \(guild.parts.map(\.code)) "
        + "\(guild.hall?.number ?? -1)"
    }

    private static func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "-" }

    private static var objects: [Question] {
      var all: [Question] = []
      all.ask("read far") { try smiths($0, prefetching: [], far) }
      all.ask("prefetch one step") { try smiths($0, prefetching: [\.guild], far) }
      all.ask("prefetch two steps") { try smiths($0, prefetching: [\.guild?.head], far) }
      all.ask("prefetch three steps") { try smiths($0, prefetching: [\.guild?.head?.guild], far) }
      all.ask("prefetch a one-to-one") { try smiths($0, prefetching: [\.guild?.hall, \.guild?.whole?.hall], far) }
      all.ask("prefetch a list at the end") { try smiths($0, prefetching: [\.guild?.smiths, \.guild?.parts], far) }
      all.ask("read near") { try guilds($0, prefetching: [], near) }
      all.ask("prefetch lists") { try guilds($0, prefetching: [\.smiths, \.parts], near) }
      all.ask("prefetch a list and a path") { try guilds($0, prefetching: [\.head?.guild, \.smiths], near) }
      all.ask("prefetch through a list") { try guilds($0, prefetching: [\.head?.crafts, \.whole?.smiths], near) }
      all.ask("one smith") {
        try $0.fetch(FetchDescriptor<Smith>(predicate: #Predicate { $0.name == "m1" })).map(far)
      }
      all.ask("batches") {
        try $0.fetch(FetchDescriptor<Smith>(sortBy: byName), batchSize: 3).map(far)
      }
      all.ask("descendants") { context in
        let root = try guilds(context)[0]
        return try context.descendants(of: root, along: \.parts).map { "\($0.depth) \(near($0.model))" }
      }
      all.ask("ancestors") { context in
        let last = try guilds(context)[3]
        return try context.ancestors(of: last, along: \.whole).map(near)
      }
      all.ask("snapshots") { context in
        try context.fetchSnapshots(FetchDescriptor<Guild>(sortBy: byCode)).map {
          "\($0.code) \($0.size) \($0.smiths.count) \($0.parts.count) \($0.head == nil)"
        }
      }
      all.ask("the snapshot of a related model") { context in
        let smith = try #require(try context.fetch(FetchDescriptor<Smith>(sortBy: byName)).first { $0.name == "m3" })
        let identifier = try #require(smith.guild?.persistentModelID)
        let found = try #require(try context.snapshot(for: identifier, as: Guild.self))
        return ["\(found.code) \(found.size) \(found.smiths.count)"]
      }
      return all
    }

    private static func guilds(_ context: ModelContext) throws -> [Guild] {
      try context.fetch(FetchDescriptor<Guild>(sortBy: byCode))
    }

    private static var rows: [Question] {
      var all: [Question] = []
      all.ask("select one step") {
        try $0.select(Smith.self, \.name, \.guild?.size, sortBy: byName).map { "\($0.0) \(text($0.1))" }
      }
      all.ask("select two steps") {
        try $0.select(Smith.self, \.guild?.size, \.guild?.head?.name, sortBy: byName).map {
          "\(text($0.0)) \(text($0.1))"
        }
      }
      all.ask("select four steps") {
        try $0.select(Smith.self, \.name, \.guild?.head?.guild?.hall?.number, sortBy: byName).map {
          "\($0.0) \(text($0.1))"
        }
      }
      all.ask("select distinct") {
        try $0.selectDistinct(Smith.self, \.guild?.head?.name).map { text($0) }.sorted()
      }
      all.ask("the order of identifiers") { context in
        let found = try context.selectDistinct(Smith.self, \.guild?.persistentModelID).compactMap { $0 }
        let order = [SortDescriptor(\Smith.guild?.persistentModelID)]
        let sorted = try context.fetch(FetchDescriptor<Smith>(sortBy: order)).compactMap(\.guild?.persistentModelID)
        return ["\(found.count) \(found == found.sorted()) \(sorted.count) \(sorted == sorted.sorted())"]
      }
      all.ask("sort by two steps") {
        try $0.fetch(FetchDescriptor<Smith>(sortBy: [SortDescriptor(\.guild?.head?.pay), SortDescriptor(\.name)])).map(
          far)
      }
      all.ask("rank") {
        try $0.select(Guild.self, \.code, over: .rank(per: \.head?.guild?.code), sortBy: byCode).map { "\($0)" }
      }
      all.ask("position") {
        try $0.select(Smith.self, \.name, over: .position(per: \.guild?.head?.name), sortBy: byName).map { "\($0)" }
      }
      all.ask("running total") {
        try $0.select(Smith.self, \.name, over: .running(.max(\Smith.guild?.head?.pay)), sortBy: byName).map {
          "\($0.0) \(text($0.1))"
        }
      }
      all.ask("union") {
        try $0.union(
          .rows(Smith.self, \.guild?.head?.name, sortBy: byName),
          .rows(Guild.self, \.head?.guild?.head?.name), all: true
        ).map { text($0) }.sorted()
      }
      all.ask("join") {
        let found = try $0.select(
          Smith.self, \.name, \.guild?.head?.pay,
          joining: .left(
            Guild.self, on: .equal(\.pay, \.size), sortBy: byCode, select: \.code, \.head?.guild?.hall?.number),
          sortBy: byName)
        return found.map { "\($0.0) \(text($0.1)) \(text($0.2?.0)) \(text($0.2?.1))" }
      }
      all.ask("exists") {
        try $0.select(
          Smith.self, \.name, matching: [.exists(Guild.self, on: .equal(\.guild?.head?.pay, \.head?.pay))],
          sortBy: byName)
      }
      all.ask("groups") {
        let groups = try $0.aggregate(Smith.self, .sum(\Smith.pay), by: \.guild?.head?.name)
        return groups.map { "\(text($0.key)) \($0.values)" }
      }
      all.ask("groups by a closure") {
        let head = Computed(\Smith.guild?.head?.name) { $0 ?? "nobody" }
        return try $0.aggregate(Smith.self, .count, by: \.[head]).map { "\($0)" }.sorted()
      }
      all.ask("first by") {
        try $0.aggregate(Smith.self, .first(\Smith.guild?.head?.name, by: \.pay), by: \.guild?.size).map {
          "\(text($0.key)) \(text($0.values as Any?))"
        }
      }
      all.ask("maximum") { [text(try $0.maximum(of: \Smith.guild?.head?.pay))] }
      all.ask("contains") {
        try $0.select(Guild.self, \.code, where: #Predicate { $0.smiths.contains { $0.pay > 5 } }, sortBy: byCode)
      }
      all.ask("far predicate") {
        try $0.select(Smith.self, \.name, where: #Predicate { $0.guild?.head?.guild?.size == 3 }, sortBy: byName)
      }
      all.ask("predicate beside a change") { context in
        try guilds(context)[0].size = 9
        return try context.select(
          Smith.self, \.name, where: #Predicate { ($0.guild?.head?.guild?.size ?? 0) > 2 }, sortBy: byName)
      }
      all.ask("select beside a change") { context in
        try #require(try context.fetch(FetchDescriptor<Smith>(sortBy: byName)).first).pay = 70
        return try context.select(Smith.self, \.pay, \.guild?.head?.guild?.size, sortBy: byName).map {
          "\($0.0) \(text($0.1))"
        }
      }
      all.ask("count") {
        ["\(try $0.fetchCount(FetchDescriptor<Smith>(predicate: #Predicate { $0.guild?.head?.guild?.size == 3 })))"]
      }
      return all
    }

    private static func check(_ questions: [Question], _ place: Place) throws {
      for question in questions {
        let own = ModelContext(
          try ModelContainer(for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]))
        try fill(own)
        let context = try place.context(fill)
        #expect(try question.ask(context) == question.ask(own), "\(question.name)")
        // No question leaves an object that a save must refuse.
        for context in [own, context] {
          for smith in try context.fetch(FetchDescriptor<Smith>()) {
            smith.pay += 1
            smith.guild?.size += 1
          }
        }
        #expect(throws: Never.self, "\(question.name), then a save") { try context.save() }
        #expect(try guilds(context).map(near) == guilds(own).map(near), "\(question.name), then a save")
      }
    }

    @Test(arguments: Place.allCases) func `objects show related models that nothing has fetched`(place: Place) throws {
      try Self.check(Self.objects, place)
    }

    @Test(arguments: Place.allCases) func `values are read from models that nothing has fetched`(place: Place) throws {
      try Self.check(Self.rows, place)
    }

    /// Before the fix, the copy had the fetched models, and related ones without their values.
    @Test(arguments: Place.allCases) func `a backup of the models that were fetched is refused`(place: Place) throws {
      let context = try place.context(Self.fill)
      _ = try context.fetch(FetchDescriptor<Smith>())
      let copy = freshFile()
      #expect(throws: RoostError.self) { try context.container.backup(to: copy) }
      #expect(throws: RoostError.self) { _ = try context.container.verify() }
      #expect(throws: RoostError.self) { try context.container.compact() }
      #expect(!FileManager.default.fileExists(atPath: copy.path(percentEncoded: false)))
    }
  }

  extension [UnloadedRowTests.Question] {
    fileprivate mutating func ask(_ name: String, _ question: @escaping (ModelContext) throws -> [String]) {
      append(UnloadedRowTests.Question(name: name, ask: question))
    }
  }
#endif
