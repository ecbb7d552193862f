import Foundation
import Roost
import RoostTestSupport
import Testing

/// Indexes of folded texts, of the keys of dictionaries and of parts of dates, and the predicates that use them.
@Suite struct PartIndexTests {
  private static let names = ["Zoë", "ZOE", "zoe", "Ångström", "angstrom", "Straße", "STRASSE", "İzmir", "Ελλάς", ""]

  private static func filled(_ count: Int = 400) throws -> ModelContext {
    let container = try ModelContainer(
      for: Greeting.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 0..<count {
      let day = Double(number * 37 - 5_000) * 86_400
      let card = Greeting(
        number, from: names[number % names.count] + (number % 3 == 0 ? " \(number % 30)" : ""),
        sent: Date(timeIntervalSinceReferenceDate: day + Double(number % 24) * 3_600))
      card.place = "place \(number % 5)"
      card.receiver = number % 4 == 0 ? nil : names[number % 7]
      card.labels = number % 6 == 0 ? ["color": number % 12 == 0 ? "red" : "blue", "n\(number % 60)": "x"] : ["a": "b"]
      card.prices =
        number % 5 == 0 ? nil : number % 5 == 1 ? [:] : Dictionary([(7, 7), (number % 50, Double(number))]) { $1 }
      card.read = number % 7 == 0 ? nil : card.sent.addingTimeInterval(Double(number) * 5_000)
      context.insert(card)
    }
    try context.save()
    return context
  }

  /// What a fetch finds, and the same by testing every object.
  @discardableResult private static func check(
    _ context: ModelContext, _ predicate: Predicate<Greeting>, uses index: String?, _ line: Int = #line
  ) throws -> Int {
    let descriptor = FetchDescriptor<Greeting>(predicate: predicate)
    let found = try context.fetch(descriptor).map(\.number)
    let wanted = try context.fetch(FetchDescriptor<Greeting>()).filter { try predicate.evaluate($0) }
    #expect(found.sorted() == wanted.map(\.number).sorted(), "line \(line)")
    #expect(try context.fetchCount(descriptor) == wanted.count, "line \(line)")
    let explanation = try context.explain(descriptor)
    if let index {
      #expect(explanation.indexes.contains { $0.contains(index) }, "line \(line): \(explanation)")
      #expect(explanation.rowsRead < 200, "line \(line): \(explanation)")
    } else {
      #expect(explanation.indexes.isEmpty, "line \(line): \(explanation)")
    }
    #expect(!"\(explanation)".contains("memory"), "line \(line): \(explanation)")
    return wanted.count
  }

  /// They have parts, as `Date.utc` documents: the same ones in an index, in a row and in Swift.
  @Test func `dates that are NaN or infinite have the parts that Swift gives`() throws {
    let context = try Self.filled()
    for (place, seconds) in [Double.nan, .infinity, -.infinity, 1e300].enumerated() {
      context.insert(Greeting(1000 + place, from: "x", sent: Date(timeIntervalSinceReferenceDate: seconds)))
    }
    try context.save()
    let cards = try context.fetch(FetchDescriptor<Greeting>()).filter { $0.number >= 1000 }
    #expect(
      cards.count == 4 && cards.contains { $0.sent.utc.month == 1 && $0.sent.timeIntervalSinceReferenceDate.isNaN })
    for card in cards {
      let (month, hour) = (card.sent.utc.month, card.sent.utc.hour)
      let asked = [
        #Predicate<Greeting> { $0.sent.utc.month == month },
        #Predicate { $0.number >= 1000 && $0.sent.utc.month == month },
        #Predicate { $0.sent.utc.hour == hour && $0.number >= 1000 },
      ]
      for predicate in asked {
        let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number)
        let wanted = try context.fetch(FetchDescriptor<Greeting>()).filter { try predicate.evaluate($0) }
        #expect(found.contains(card.number) && found.sorted() == wanted.map(\.number).sorted())
      }
    }
  }

  @Test func `folded texts are found by an index`() throws {
    let context = try Self.filled()
    #expect(try Self.check(context, #Predicate { $0.sender.folded == "zoe" }, uses: "folded of sender") > 50)
    let name = "ZOË".folded
    let cards = #Predicate<Greeting> { $0.sender.folded == name }
    #expect(try Self.check(context, cards, uses: "folded of sender") > 50)
    let street = "STRAßE".folded
    try Self.check(context, #Predicate { $0.sender.folded == street }, uses: "folded of sender")
    try Self.check(context, #Predicate { $0.sender.folded == "STRAßE".folded }, uses: "folded of sender")
    try Self.check(context, #Predicate { $0.sender.folded.hasPrefix("ang") }, uses: "folded of sender")
    try Self.check(context, #Predicate { $0.receiver?.folded == "strasse" }, uses: "folded of receiver")
    try Self.check(
      context, #Predicate { $0.receiver?.folded == "strasse" && $0.number < 40 }, uses: "folded of receiver")
    try Self.check(context, #Predicate { $0.sender.lowercased() == "zoe" }, uses: nil)
    try Self.check(context, #Predicate { $0.sender.folded.contains("ngst") }, uses: nil)
    #expect(try Self.check(context, #Predicate { $0.sender.folded == "ZOE" }, uses: "folded of sender") == 0)
  }

  @Test func `keys of dictionaries are found by an index`() throws {
    let context = try Self.filled()
    try Self.check(context, #Predicate { $0.labels["color"] != nil }, uses: "keys of labels")
    try Self.check(context, #Predicate { $0.labels.keys.contains("color") }, uses: "keys of labels")
    try Self.check(context, #Predicate { $0.labels["color"] == "red" }, uses: "keys of labels")
    try Self.check(
      context, #Predicate { "red" == $0.labels["color"] && $0.labels["n12"] != nil }, uses: "keys of labels")
    let key = "n18"
    try Self.check(context, #Predicate { $0.labels.keys.contains(key) }, uses: "keys of labels")
    try Self.check(context, #Predicate { $0.labels["color"] == nil }, uses: nil)
    try Self.check(context, #Predicate { !$0.labels.keys.contains("color") }, uses: nil)
    try Self.check(context, #Predicate { $0.labels["color"] != "red" }, uses: nil)
    try Self.check(context, #Predicate { $0.place == "place 2" && $0.prices?[12] != nil }, uses: "keys of prices")
    try Self.check(context, #Predicate { $0.place == "place 2" && $0.prices?[7] == 7 }, uses: "keys of prices")
    try Self.check(
      context, #Predicate { $0.place == "place 3" && $0.prices?.keys.contains(7) == true }, uses: "keys of prices")
    try Self.check(context, #Predicate { $0.prices?[12] == nil }, uses: nil)
  }

  @Test func `parts of dates are found by an index`() throws {
    let context = try Self.filled()
    let years = try Self.check(context, #Predicate { $0.sent.utc.year == 2004 }, uses: "year of sent")
    #expect(years > 5)
    try Self.check(context, #Predicate { $0.sent.utc.year > 2030 && $0.sent.utc.year <= 2032 }, uses: "year of sent")
    let december = #Predicate<Greeting> { $0.sent.utc.month == 12 }
    try Self.check(context, december, uses: "month of sent, day of sent")
    try Self.check(context, #Predicate { $0.sent.utc.month == 2 && $0.sent.utc.day == 29 }, uses: "month of sent")
    try Self.check(context, #Predicate { $0.read?.utc.weekday == 1 }, uses: "weekday of read")
    try Self.check(
      context, #Predicate { $0.read?.utc.weekday == 1 && $0.read!.utc.hour == 0 }, uses: "weekday of read")
    try Self.check(context, #Predicate { $0.read?.utc.month == 12 }, uses: nil)
    try Self.check(context, #Predicate { $0.sent.utc.year + $0.sent.utc.month == 2010 }, uses: nil)
  }

  @Test func `parts of dates are those of the calendar`() {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = TimeZone(identifier: "UTC")!
    var generator = SplitMix64(seed: 7)
    for number in 0..<3_000 {
      let date = Date(timeIntervalSinceReferenceDate: Double(generator.below(8_000_000_000)) - 4e9 + 0.25)
      let parts = calendar.dateComponents([.year, .month, .day, .weekday, .hour], from: date)
      let found = date.utc
      #expect(
        [found.year, found.month, found.day, found.weekday, found.hour]
          == [parts.year, parts.month, parts.day, parts.weekday, parts.hour], "\(number): \(date)")
    }
    let far = [Double.nan, .infinity, -.infinity, 1e300, -1e300, -63_113_904_000, 1e19]
    for seconds in far {
      let found = Date(timeIntervalSinceReferenceDate: seconds).utc
      #expect((1...12).contains(found.month) && (1...31).contains(found.day), "\(seconds)")
      #expect((1...7).contains(found.weekday) && (0...23).contains(found.hour), "\(seconds)")
    }
    #expect(Date(timeIntervalSinceReferenceDate: -63_114_076_800).utc.year == 0)
  }

  @Test func `rows enter and leave, and groups have parts of dates as keys`() throws {
    let context = try Self.filled()
    for card in try context.fetch(FetchDescriptor<Greeting>()) {
      switch card.number % 10 {
      case 0: card.sender = "Zoë \(card.number)"
      case 1: card.labels["new"] = "1"
      case 2: card.prices = nil
      case 3: context.delete(card)
      case 4: card.sent = Date(timeIntervalSinceReferenceDate: Double(card.number))
      default: break
      }
    }
    try context.save()
    try context.update(model: Greeting.self, where: #Predicate { $0.number < 40 }) { $0.labels = ["bulk": ""] }
    try Self.check(context, #Predicate { $0.sender.folded.starts(with: "zoe 1") }, uses: "folded of sender")
    try Self.check(context, #Predicate { $0.labels["new"] != nil }, uses: "keys of labels")
    try Self.check(context, #Predicate { $0.labels.keys.contains("bulk") }, uses: "keys of labels")
    try Self.check(context, #Predicate { $0.sent.utc.year == 2001 }, uses: "year of sent")
    #expect(try context.container.verify().isSound)

    let year = Computed(#Expression<Greeting, Int> { $0.sent.utc.year })
    let groups = try context.aggregate(Greeting.self, .count, by: \.[year])
    let all = try context.fetch(FetchDescriptor<Greeting>())
    #expect(groups.count > 20)
    for group in groups { #expect(all.filter { $0.sent.utc.year == group.key }.count == group.values) }
  }

  @Test func `pending objects are found as stored ones are`() throws {
    let context = try Self.filled(60)
    let card = Greeting(1_000, from: "ZOÉ", sent: Date(timeIntervalSinceReferenceDate: 0))
    card.labels = ["pending": ""]
    context.insert(card)
    func numbers(_ predicate: Predicate<Greeting>) throws -> [Int] {
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number)
    }
    #expect(try numbers(#Predicate { $0.sender.folded == "zoe" }).contains(1_000))
    #expect(try numbers(#Predicate { $0.labels.keys.contains("pending") }) == [1_000])
    #expect(try numbers(#Predicate { $0.sent.utc.year == 2001 && $0.sent.utc.weekday == 2 }).contains(1_000))
  }
}
