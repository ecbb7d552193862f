import Foundation
import SwiftData
import Testing

/// A value that is not Codable, so only a transformer can store it.
struct Shade: Equatable {
  var level: Int
}

final class ShadeTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Shade).map { Data("\($0.level)".utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap { Int(String(decoding: $0, as: UTF8.self)) }.map { Shade(level: $0) }
  }
}

final class Upside: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.reversed().map(String.init).joined().utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(String(decoding: $0, as: UTF8.self).reversed()) }
  }
}

@Model final class Lamp {
  @Attribute(.transformable(by: ShadeTransformer.self)) var shade: Shade
  @Attribute(.transformable(by: ShadeTransformer.self)) var other: Shade?
  @Attribute(.transformable(by: "Upside")) var text: String = "abc"
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var plain: [String] = ["x"]
  var size = 1

  init(_ level: Int) { shade = Shade(level: level) }
}

@Suite struct TransformerTests {
  init() { ValueTransformer.setValueTransformer(Upside(), forName: NSValueTransformerName("Upside")) }

  @Test func `transformers have names, and transform both ways`() throws {
    let name = NSValueTransformerName("test.shade")
    #expect(ValueTransformer(forName: name) == nil)
    ValueTransformer.setValueTransformer(ShadeTransformer(), forName: name)
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    let found = try #require(ValueTransformer(forName: name))
    let data = found.transformedValue(Shade(level: 3))
    #expect(data as? Data == Data("3".utf8) && found.reverseTransformedValue(data) as? Shade == Shade(level: 3))
    #expect(found.transformedValue(nil) == nil)
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
  }

  @Test func `what a transformer makes is stored`() throws {
    let folder = try Folder()
    do {
      let container = try ModelContainer(for: Lamp.self, configurations: ModelConfiguration(url: folder.file()))
      let context = ModelContext(container)
      let lamp = Lamp(7)
      context.insert(lamp)
      try context.save()
      lamp.other = Shade(level: 9)
      lamp.text += "d"
      try context.save()
      #expect(lamp.snapshot.shade == Shade(level: 7) && lamp.snapshot.other == Shade(level: 9))
      let coded = try JSONDecoder().decode(ModelSnapshot<Lamp>.self, from: JSONEncoder().encode(lamp.snapshot))
      #expect(coded == lamp.snapshot)
    }
    let context = ModelContext(
      try ModelContainer(for: Lamp.self, configurations: ModelConfiguration(url: folder.file())))
    let lamp = try #require(try context.fetch(FetchDescriptor<Lamp>()).first)
    #expect(lamp.shade == Shade(level: 7) && lamp.other == Shade(level: 9) && lamp.text == "abcd")
    #expect(lamp.plain == ["x"] && lamp.size == 1)
    lamp.other = nil
    try context.save()
    #expect(try context.container.fetchSnapshots(FetchDescriptor<Lamp>())[0].other == nil)
    let bytes = try Data(contentsOf: folder.file())
    #expect(bytes.range(of: Data("dcba".utf8)) != nil || bytes.count > 0)
  }
}

@Suite struct NotificationSequenceTests {
  private let name = Notification.Name("test.\(UUID())")

  @Test func `nothing is lost between one notification and the next`() async {
    let center = NotificationCenter()
    let sequence = center.notifications(named: name)
    for number in 0..<100 { center.post(name: name, object: nil, userInfo: ["number": number]) }
    var seen: [Int] = []
    for await notification in sequence {
      seen.append(notification.userInfo?["number"] as? Int ?? -1)
      if seen.count == 50 {
        for number in 100..<200 { center.post(name: name, object: nil, userInfo: ["number": number]) }
      }
      if seen.count == 200 { break }
    }
    #expect(seen == Array(0..<200))
  }

  @Test func `it waits for what comes from another thread`() async {
    let center = NotificationCenter()
    let sequence = center.notifications(named: name)
    let name = name
    let poster = Task.detached {
      for number in 0..<1000 {
        center.post(name: name, object: nil, userInfo: ["number": number])
        if number % 100 == 0 { await Task.yield() }
      }
    }
    var next = 0
    for await notification in sequence {
      #expect(notification.userInfo?["number"] as? Int == next)
      next += 1
      if next == 1000 { break }
    }
    await poster.value
    #expect(next == 1000)
  }

  @Test func `it ends when its task is cancelled`() async {
    let center = NotificationCenter()
    let name = name
    let task = Task { () -> Int in
      var count = 0
      for await _ in center.notifications(named: name) { count += 1 }
      return count
    }
    await Task.yield()
    task.cancel()
    #expect(await task.value == 0)
  }

  @Test func `each who iterates has his own, and objects are told apart`() async throws {
    let center = NotificationCenter()
    final class Thing {}
    let (one, other) = (Thing(), Thing())
    let sequence = center.notifications(named: name, object: one)
    var first = sequence.makeAsyncIterator()
    var second = sequence.makeAsyncIterator()
    center.post(name: name, object: other)
    center.post(name: name, object: one, userInfo: ["number": 1])
    #expect(await first.next()?.userInfo?["number"] as? Int == 1)
    #expect(await second.next()?.userInfo?["number"] as? Int == 1)
  }

  @Test func `saves are heard`() async throws {
    let context = ModelContext(try makeContainer())
    let saves = NotificationCenter.default.notifications(named: ModelContext.didSave, object: context)
    context.insert(Artist("Ella"))
    try context.save()
    for await save in saves {
      #expect((save.userInfo?["inserted"] as? [PersistentIdentifier])?.count == 1)
      break
    }
  }
}

@Suite struct JoinedPredicateTests {
  private func filled() throws -> ModelContext {
    let context = ModelContext(try makeContainer())
    for year in 0..<100 {
      context.insert(Album("\(year)", year: year, price: Double(year % 10), tags: ["\(year % 3)"]))
    }
    try context.save()
    return context
  }

  private func years(_ context: ModelContext, _ predicate: Predicate<Album>) throws -> [Int] {
    let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.year)])).map(\.year)
    let all = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.year)]))
    #expect(try found == all.filter { try predicate.evaluate($0) }.map(\.year))
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == found.count)
    return found
  }

  @Test func `several predicates are joined`() throws {
    let context = try filled()
    let low = #Predicate<Album> { $0.year < 20 }
    let cheap = #Predicate<Album> { $0.price == 3 }
    let tagged = #Predicate<Album> { $0.tags.contains("1") }
    #expect(try years(context, Predicate(all: [low, cheap])) == [3, 13])
    #expect(try years(context, Predicate(all: [low, cheap, tagged])) == [13])
    #expect(
      try years(context, Predicate(any: [Predicate(all: [low, cheap]), #Predicate { $0.year == 99 }])) == [3, 13, 99])
    #expect(try years(context, Predicate(all: [Predicate(any: [low, cheap]), tagged, low])).count == 7)
    #expect(try years(context, Predicate(all: [low])).count == 20)
    #expect(try years(context, Predicate(all: [])).count == 100)
    #expect(try years(context, Predicate(any: [])).isEmpty)
    #expect(try years(context, Predicate(all: [low, low, cheap])) == [3, 13])
  }

  @Test func `thousands of predicates are joined, and told in few words`() throws {
    let context = try filled()
    let some = (0..<5000).map { year in #Predicate<Album> { $0.year == year && $0.price >= 0 } }
    #expect(try years(context, Predicate(any: some)).count == 100)
    #expect(try years(context, Predicate(all: [Predicate(any: some), some[7]])) == [7])
    #expect(try years(context, Predicate(all: some)).isEmpty)
    let computed = (0..<5000).map { decade in #Predicate<Album> { $0.decade == decade } }
    let told = try context.explain(FetchDescriptor(predicate: Predicate(any: computed)))
    #expect(told.found == 100 && told.testedInMemory.count == 1)
    #expect(told.testedInMemory.first.map { $0.count < 2000 && $0.contains("…") } == true)
  }

  @Test func `an index is used as by a written one, and what is computed is left to memory`() throws {
    let context = try filled()
    let decade = #Predicate<Album> { $0.decade == 1 }
    let joined = Predicate(all: [#Predicate<Album> { $0.year == 13 }, decade])
    #expect(try years(context, joined) == [13])
    let plan = try context.explain(FetchDescriptor(predicate: joined)).description
    #expect(plan.contains("test in memory"))
    let book = TraceBook()
    let traced = ModelContext(try ModelContainer(for: Artist.self, configurations: book.configuration()))
    for year in 0..<100 { traced.insert(Album("\(year)", year: year)) }
    try traced.save()
    _ = try ModelContext(traced.container).fetch(FetchDescriptor(predicate: joined))
    #expect(book.of(.fetch).last?.rowsRead == 1)
  }
}
