import RoostRecords
import RoostTestSupport
import RoostTransfer
import Testing

/// Many records: how they are combined to transactions, and how their names are found again.
@Suite struct ImportPiecesTests {
  /// Every hundredth record is wrong.
  private static func text(_ count: Int) -> String {
    (1...count).map { number in
      "{\"id\": \(number), \"title\": \(number % 100 == 0 ? "\(number)" : "\"t\(number)\""), \"words\": []}"
    }.joined(separator: "\n")
  }

  @Test func `all records that are ready are one transaction, and none is lost or reported twice`() throws {
    let count = 20_000
    var stores: [RecordStore] = []
    for chunk in [nil, 1000] as [Int?] {
      let store = try ImportTests.store()
      var options = TextImportOptions(into: "Track")
      options.chunk = chunk
      options.badRecords = .skip(most: 1000)
      options.name = "many"
      var (steps, told) = ([Int](), [Int]())
      let report = try Importer(
        store, options, progress: { steps.append($0.records) }, reject: { told.append($0.line ?? 0) }
      ).run(MemoryInput(Array(Self.text(count).utf8), piece: 1 << 16), .jsonLines)
      #expect(report.progress.records == count && report.progress.bad == 200)
      #expect(report.progress.inserted == count - 200)
      #expect(told.sorted() == stride(from: 100, through: count, by: 100).map { $0 })
      #expect(steps == steps.sorted() && steps.last == count)
      if let chunk { #expect(steps.allSatisfy { $0 % chunk == 0 } && steps.count == count / chunk) }
      stores.append(store)
    }
    #expect(try ImportTests.rows(stores[0]) == ImportTests.rows(stores[1]))
  }

  @Test func `an error in a later piece of a transaction ends the import as in a separate transaction`() throws {
    let store = try ImportTests.store()
    let text =
      Self.text(99) + "\n"
      + (101...12_000).map { "{\"id\": \($0), \"title\": \"t\", \"words\": []}" }
      .joined(separator: "\n") + "\n{\"id\": 1.5}"
    let fault = #expect(throws: TransferFault.self) { try ImportTests.run(store, text) }
    #expect(fault?.line == 12_000)
    let rows = try ImportTests.rows(store)
    // Only whole transactions stay.
    #expect(rows.count < 12_000 && (rows.isEmpty || rows[.int(1)] != nil))
    #expect(rows.keys.allSatisfy { $0 != .int(100) })
  }

  @Test func `there may be more unknown names than can be kept, in structs and outside, in any order`() throws {
    let store = try ImportTests.store()
    var random = SplitMix64(seed: 7)
    let lines = (1...6).map { (number: Int) -> String in
      var members = (0..<5000).map { "\"nobody \($0)\": {\"a\": [1, {\"b\": 2}]}" }
      members += ["\"id\": \(number)", "\"title\": \"t\(number)\"", "\"words\": [\"w\"]", "\"rating\": \(number)"]
      var place = (0..<100).map { "\"nothing \($0)\": null" } + ["\"city\": \"c\(number)\"", "\"zip\": \(number)"]
      place.shuffle(using: &random)
      members.append("\"place\": {\(place.joined(separator: ", "))}")
      members.shuffle(using: &random)
      return "{\(members.joined(separator: ", "))}"
    }
    let report = try ImportTests.run(store, lines.joined(separator: "\n")) { $0.ignoresUnknown = true }
    #expect(report.progress.inserted == 6)
    let rows = try ImportTests.rows(store)
    for number in 1...6 {
      let row = try #require(rows[.int(Int64(number))])
      #expect(row["title"] == .string("t\(number)") && row["rating"] == .double(Double(number)))
      #expect(row["place.city"] == .string("c\(number)") && row["place.zip"] == .int(Int64(number)))
      #expect(row["words"] == .array([.string("w")]) && row["place"] == .bool(true))
    }
  }

  @Test func `a name means the same in a struct as beside it`() throws {
    let store = try ImportTests.store()
    let lines = [
      #"{"id": 1, "title": "t", "words": [], "place": {"city": "c"}}"#,
      #"{"place": {"city": "d", "zip": 3}, "title": "u", "id": 2, "words": []}"#,
    ]
    #expect(try ImportTests.run(store, lines.joined(separator: "\n")).progress.inserted == 2)
    let rows = try ImportTests.rows(store)
    #expect(rows[.int(1)]?["place.city"] == .string("c") && rows[.int(2)]?["place.zip"] == .int(3))
    for wrong in [
      #"{"id": 3, "title": "t", "words": [], "place": {"city": "c", "title": "x"}}"#,
      #"{"id": 3, "title": "t", "words": [], "city": "c"}"#,
      #"{"id": 3, "title": "t", "words": [], "place": {"city": "c", "city": "d"}}"#,
    ] {
      let both = lines[0] + "\n" + wrong
      let fault = #expect(throws: TransferFault.self) { try ImportTests.run(store, both) { $0.conflict = .update } }
      #expect(fault?.line == 2 && (fault?.code == .unknown || fault?.code == .duplicate))
      #expect(
        fault?.field == (wrong.contains("\"x\"") ? "place.title" : wrong.contains("place") ? "place.city" : "city"))
    }
  }

  @Test func `texts of any length, with their ends at any place`() throws {
    // Scanners read eight bytes at a time. The test tries a quote, an escape and a comma at every
    // place within them.
    let store = try ImportTests.store()
    var (lines, table, expected) = ([String](), ["id,title,words"], [String]())
    for length in 0..<40 {
      for place in stride(from: 0, through: length, by: max(1, length / 9)) {
        let (before, behind) = (String(repeating: "é", count: place / 2), String(repeating: "x", count: length - place))
        for middle in ["", "\"", "\\", "\u{1}", "\n", "ü", "€"] {
          let title = before + middle + behind
          let id = expected.count
          expected.append(title)
          let escaped =
            middle == "" || middle.utf8.count > 1
            ? middle : middle == "\n" ? "\\n" : middle == "\u{1}" ? "\\u0001" : "\\" + middle
          lines.append("{\"id\":\(id),\"title\":\"\(before)\(escaped)\(behind)\",\"words\":[]}")
          let doubled = title.replacing("\"", with: "\"\"")
          table.append("\(id),\(middle == "\"" || middle == "\n" || title.isEmpty ? "\"\(doubled)\"" : title),[]")
        }
      }
    }
    let second = try ImportTests.store()
    #expect(try ImportTests.run(store, lines.joined(separator: "\n")).progress.inserted == expected.count)
    #expect(try ImportTests.run(second, table.joined(separator: "\n"), .csv()).progress.inserted == expected.count)
    for rows in [try ImportTests.rows(store), try ImportTests.rows(second)] {
      for (id, title) in expected.enumerated() {
        #expect(rows[.int(Int64(id))]?["title"] == .string(title), "\(id)")
      }
    }
  }
}
