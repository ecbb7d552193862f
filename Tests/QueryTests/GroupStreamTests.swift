#if DEBUG
  import RoostRecords
  import RoostTestSupport
  import Testing

  @testable import RoostQuery

  /// Groups that are streamed over indexes, compared with a table of all groups.
  @Suite("Streamed groups") struct GroupStreamTests {
    private static let long = String(repeating: "x", count: 520)
    private static let texts = [
      "", "a", "A", "\u{e9}", "e\u{301}", "a\u{0}", "a\u{0}b", long, long + "a", long + "b", String(long.prefix(512)),
      String(long.prefix(470)), String(repeating: "e\u{301}", count: 700), String(repeating: "\u{e9}", count: 700),
    ]
    private static let doubles = [0.0, -0.0, 1.5, -1.5, .nan, Double(nan: 3, signaling: false), .infinity, -.infinity]

    /// By which fields each index is, and which of them descend.
    private static let indexes: [(name: String, fields: [String], descending: Set<String>)] = [
      ("byText", ["text"], []), ("byDouble", ["odouble", "otext"], ["odouble", "otext"]),
      ("byFlag", ["flag", "int", "odate"], []), ("byMixed", ["oint", "text"], ["text"]),
      ("byBoth", ["otext", "text", "int"], []), ("byDecimal", ["decimal"], ["decimal"]),
    ]

    private static func things(seed: UInt64, rows: Int) throws -> Things {
      var things = try Things([])
      try things.add { _ in }
      try things.store.write { writer in
        try writer.change { catalog in
          for index in indexes {
            _ = try catalog.add(index: index.name, of: "Thing", on: index.fields, descending: index.descending)
          }
        }
      }
      var random = SplitMix64(seed: seed)
      func chance(_ value: Value) -> Value { random.chance(1, in: 4) ? .null : value }
      try things.store.write { writer in
        for _ in 0..<rows {
          try writer.table("Thing").insert([
            "text": .string(random.pick(texts)), "odouble": chance(.double(random.pick(doubles))),
            "otext": chance(.string(random.pick(texts))), "flag": .bool(random.chance(1, in: 2)),
            "int": .int(Int64(random.below(4))), "odate": chance(.date(random.pick(doubles))),
            "oint": chance(.int(Int64(random.below(3)))), "decimal": .decimal(DecimalNumber(random.below(3))),
            "double": .double(Double(random.below(9))),
          ])
        }
      }
      return things
    }

    private static func text(_ value: Value) -> String {
      switch value {
      // A group has one of the values that are equal.
      case .double(let number) where number == 0: "zero"
      case .double(let number) where number.isNaN: "no number"
      case .date(let number) where number == 0: "zero"
      case .date(let number) where number.isNaN: "no number"
      case .string(let text): "\(text.count) \(text.hashValue)"
      default: "\(value)"
      }
    }

    private static func text(_ group: TalliedGroup) -> String {
      let tallies = group.tallies.map { tally in
        "\(tally.count) \(tally.integers) \(tally.floats.total) \(tally.bound.map(text) ?? "-")"
      }
      return "\(group.keys.map(text)) \(tallies)"
    }

    /// What a stream gives, and what a table of all groups does; nil if no index has the order.
    private func both(
      _ reader: RecordReader, _ query: Query, by keys: [Expression], measures: [Measure], limit: Int? = nil
    ) throws -> (stream: [String], table: [String], plan: GroupStream)? {
      let planner = Planner(Ground(reader))
      guard let stream = try planner.groupStream(query, by: keys) else { return nil }
      var (found, sums, read): ([String], [[Int: Int]], [[Value]]) = ([], [], [])
      var sum: [Int: Int] = [:]
      try stream.forEach(measures) { measure, _ in
        sum[measure, default: 0] += 1
      } body: { group in
        found.append(Self.text(group))
        sums.append(sum)
        sum = [:]
        return limit.map { found.count < $0 } ?? true
      }
      var tableSums: [Int: [Int: Int]] = [:]
      let (groups, order) = try planner.aggregate(query, by: keys, measures) { measure, group, _ in
        tableSums[group, default: [:]][measure, default: 0] += 1
      }
      #expect(sums == order.prefix(limit ?? .max).map { tableSums[$0] ?? [:] })
      // The rows of each group, read one by one.
      var rows = 0
      try stream.forEach(keys) { values in
        read.append(values)
        rows += values.count / max(1, keys.count)
      } end: { _ in
        true
      }
      #expect(rows == (try planner.count(query)))
      return (found, order.prefix(limit ?? .max).map { Self.text(groups[$0]) }, stream)
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func `a stream and a table give the same groups`(seed: UInt64) throws {
      let things = try Self.things(seed: seed, rows: 300)
      let counts = [Measure(.count)]
      let all = [
        Measure(.count), Measure(.sum, things("int")), Measure(.least, things("text")),
        Measure(.greatest, things("double")), Measure(.sum, things("decimal")),
      ]
      let some = Expression.compare(.greater, things("int"), int(0))
      let flag = Expression.compare(.equal, things("flag"), .constant(.bool(true), .bool))
      let early = Expression.compare(.less, things("text"), .constant(.string("b"), .string))
      let few = Expression.contains(
        .constant(.array([.int(1), .int(2)]), .array(.optional(.plain(.int64)))), things("oint"))
      try things.store.read { reader in
        var streams = 0
        for names in [
          ["text"], ["odouble"], ["odouble", "otext"], ["flag"], ["flag", "int"], ["flag", "int", "odate"], ["oint"],
          ["otext"], ["otext", "text"], ["otext", "text", "int"], ["decimal"], ["text", "text"], ["int", "flag"],
          ["oint", "text"], ["url"],
        ] {
          for condition in [nil, some, flag, early, few, .and([flag, some]), .and([few, early])] {
            for measures in [[], counts, all] {
              for limit in [nil, 1, 2] {
                let query = Query("Thing", where: condition)
                guard
                  let found = try both(reader, query, by: names.map { things($0) }, measures: measures, limit: limit)
                else {
                  continue
                }
                streams += 1
                #expect(found.stream == found.table, "by \(names) over \(found.plan.indexName), seed \(seed)")
              }
            }
          }
        }
        #expect(streams > 500)
        #expect(try both(reader, Query("Thing"), by: [things("url")], measures: counts) == nil)
        // One part of this index descends, and the other one does not.
        #expect(try both(reader, Query("Thing"), by: [things("oint"), things("text")], measures: counts) == nil)
      }
    }

    @Test func `counts of large groups read no rows`() throws {
      let things = try Things([])
      try things.store.write { writer in
        try writer.change { catalog in _ = try catalog.add(index: "byInt", of: "Thing", on: ["int"]) }
        for number in 0..<4000 { try writer.table("Thing").insert(["int": .int(Int64(number % 4))]) }
      }
      try things.store.read { reader in
        let planner = Planner(Ground(reader))
        let stream = try #require(try planner.groupStream(Query("Thing"), by: [things("int")]))
        #expect(try planner.prefers(stream, to: Query("Thing"), measures: [Measure(.count)], limit: nil))
        #expect(try !planner.prefers(stream, to: Query("Thing"), measures: [Measure(.sum, things("half"))], limit: nil))
        #expect(try planner.prefers(stream, to: Query("Thing"), measures: [Measure(.sum, things("half"))], limit: 1))
        var counts: [Int] = []
        try stream.forEach([Measure(.count)]) { _, _ in
        } body: {
          counts.append($0.tallies[0].count)
          return true
        }
        #expect(counts == [1000, 1000, 1000, 1000] && stream.facts.rowsRead == 4 && stream.facts.entriesRead < 100)
      }
    }
  }
#endif
