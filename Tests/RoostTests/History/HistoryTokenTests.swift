import RoostTestSupport
import SwiftData
import Testing

/// Tokens: stored elsewhere, compared, and refused if the history after them is unknown.
@Suite struct HistoryTokenTests {
  private func expectExpired(_ context: ModelContext, _ token: DefaultHistoryToken) {
    let error = #expect(throws: SwiftDataError.self) { try context.after(token) }
    #expect(error == .historyTokenExpired && "\(error.map(String.init(describing:)) ?? "")".count > 40)
  }

  @Test func `the next program continues from a token that was stored as text`() throws {
    let folder = try Folder()
    var kept = Data()
    do {
      let container = try ModelContainer(for: Ship.self, configurations: ModelConfiguration(url: folder.file()))
      let context = ModelContext(container)
      context.insert(Ship("a"))
      try context.save()
      let token = try container.latestHistoryToken
      kept = try JSONEncoder().encode(token)
      let again = try JSONDecoder().decode(DefaultHistoryToken.self, from: kept)
      #expect(again == token && again.hashValue == token.hashValue && !(again < token) && again.id == token.id)
      let store = try #require(token.tokenValue?.keys.first)
      #expect(token.tokenValue == [store: Int64(token.id)])
      #expect(store == (try context.all().first?.storeIdentifier))
      context.insert(Ship("b"))
      try context.save()
    }
    let container = try ModelContainer(for: Ship.self, configurations: ModelConfiguration(url: folder.file()))
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: kept)
    let context = ModelContext(container)
    #expect(try context.after(token).flatMap(\.changes).map(\.line) == ["+Ship"])
    #expect(try container.latestHistoryToken > token)
  }

  @Test func `bytes that are not a token are refused`() throws {
    let token = try makeHarbor().latestHistoryToken
    let text = String(decoding: try JSONEncoder().encode(token), as: UTF8.self)
    let store = try #require(token.tokenValue?.keys.first)
    for other in ["{}", "[]", text.replacing(store, with: "x"), text.replacing(store, with: "+" + store.dropFirst())] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(other.utf8))
      }
    }
    let twice = text.replacing("[[", with: "[[\"\(store)\",1,1],[")
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(twice.utf8)) }
  }

  @Test func `a token of another store, of the future, or of nothing is an error`() throws {
    let (container, other) = (try makeHarbor(), try makeHarbor())
    let context = ModelContext(container)
    context.insert(Ship("a"))
    try context.save()
    expectExpired(context, try other.latestHistoryToken)
    let token = try container.latestHistoryToken
    let text = String(decoding: try JSONEncoder().encode(token), as: UTF8.self)
    func changed(_ number: String) throws -> DefaultHistoryToken {
      let changed = text.replacing("\",\(token.id),", with: "\",\(number),")
      #expect(changed != text)
      return try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(changed.utf8))
    }
    // As after a crash that undid the commit and gave its number to another one.
    for number in ["\(token.id + 1)", "\(UInt64.max)", "1"] { expectExpired(context, try changed(number)) }
    let nothing = try JSONDecoder().decode(DefaultHistoryToken.self, from: Data("{\"stores\":[]}".utf8))
    expectExpired(context, nothing)
    #expect(nothing.id == 0 && nothing.tokenValue == [:] && nothing < token)
    // Also in the other direction.
    let foreign = try other.latestHistoryToken
    #expect(throws: SwiftDataError.self) { try context.all(#Predicate { $0.token < foreign }) }
    #expect(throws: SwiftDataError.self) {
      try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token < foreign }))
    }
  }

  @Test func `a token from before a time without history is an error, a later one is not`() throws {
    let folder = try Folder()
    func open(_ isEnabled: Bool?) throws -> ModelContainer {
      var configuration = ModelConfiguration(url: folder.file())
      configuration.history = isEnabled.map { $0 ? .changes : .off }
      return try ModelContainer(for: Ship.self, configurations: configuration)
    }
    func insert(_ sign: String, _ container: ModelContainer) throws {
      let context = ModelContext(container)
      context.insert(Ship(sign))
      try context.save()
    }
    var token: DefaultHistoryToken?
    do {
      let container = try open(nil)
      try insert("a", container)
      token = try container.latestHistoryToken
    }
    let before = try #require(token)
    do {
      let container = try open(false)
      let context = ModelContext(container)
      #expect(throws: RoostError.self) { try container.latestHistoryToken }
      let error = #expect(throws: RoostError.self) { try context.all() }
      #expect(error?.code == .historyOff && error?.detail.contains("isHistoryEnabled") == true)
      // Nothing happened since.
      #expect(try context.after(before).isEmpty)
      try insert("b", container)
      expectExpired(context, before)
    }
    let container = try open(true)
    let context = ModelContext(container)
    expectExpired(context, before)
    let behind = try container.latestHistoryToken
    try insert("c", container)
    #expect(try context.after(behind).count == 1)
    // A fetch without a token gets all existing transactions.
    #expect(try context.all().flatMap(\.changes).count == 2)
    let newestFirst = HistoryDescriptor<Transaction>(sortBy: [SortDescriptor(\.token, order: .reverse)])
    #expect(try context.fetchHistory(newestFirst) == context.all().reversed())
    #expect(throws: SwiftDataError.self) {
      try context.fetchHistory(
        HistoryDescriptor<Transaction>(
          predicate: #Predicate { $0.token > before }, sortBy: [SortDescriptor(\.token, order: .reverse)]))
    }
  }

  // MARK: Several stores

  private func makePair(_ folder: Folder? = nil, secondIsOff: Bool = false) throws -> ModelContainer {
    let (first, second) = (Schema([Artist.self]), Schema([Boat.self]))
    var places = [
      ModelConfiguration("one", schema: first, isStoredInMemoryOnly: true),
      ModelConfiguration("two", schema: second, isStoredInMemoryOnly: true),
    ]
    if let folder {
      places = [
        ModelConfiguration("one", schema: first, url: folder.file("one.roost")),
        ModelConfiguration("two", schema: second, url: folder.file("two.roost")),
      ]
    }
    if secondIsOff { places[1].history = .off }
    return try ModelContainer(for: Schema([Artist.self, Boat.self]), configurations: places)
  }

  @Test func `a token of two stores loses and repeats nothing`() throws {
    let container = try makePair()
    let context = ModelContext(container)
    var random = SplitMix64(seed: 7)
    var expected = 0
    let start = try container.latestHistoryToken
    #expect(start.tokenValue?.count == 2)
    var seen: [Transaction] = []
    var place = start
    for number in 0..<120 {
      let which = random.next() % 3
      if which != 0 {
        context.insert(Artist("\(number)"))
        expected += 1
      }
      if which != 1 {
        context.insert(Boat(number))
        expected += 1
      }
      try context.save()
      if random.next() % 4 == 0 {
        let found = try context.after(place)
        // A reader may continue from each of its tokens.
        if let some = found.randomElement(using: &random) {
          let index = try #require(found.firstIndex(of: some))
          #expect(try context.after(some.token) == Array(found[(index + 1)...]))
        }
        if let last = found.last {
          seen += found
          place = last.token
        }
      }
    }
    seen += try context.after(place)
    #expect(seen.count == expected && Set(seen).count == expected)
    let all = try context.after(start)
    #expect(Set(all) == Set(seen) && all.map(\.token) == all.map(\.token).sorted())
    #expect(Set(all.map(\.storeIdentifier)).count == 2)
    for store in Set(all.map(\.storeIdentifier)) {
      let numbers = all.filter { $0.storeIdentifier == store }.map(\.transactionIdentifier)
      #expect(numbers == numbers.sorted())
      #expect(try context.all(#Predicate { $0.storeIdentifier == store }).map(\.transactionIdentifier) == numbers)
    }
    let middle = all[50].token
    // A predicate without a usable bound is tested on each transaction.
    #expect(
      try context.all(#Predicate { $0.token > middle || $0.author == "x" }) == (try context.after(middle)))
    #expect(try context.after(all.last!.token).isEmpty)
    #expect(try context.after(try container.latestHistoryToken).isEmpty)
    let coded = try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(middle))
    #expect(coded == middle && coded.id == middle.id)
    // A token names one transaction: a reader that continues from it gets no transaction of either
    // store twice and misses none.
    for place in [0, 1, 2, 17, 50, all.count - 1] {
      let token = all[place].token
      let several = [token, all[3].token]
      #expect(try context.all(#Predicate { $0.token == token }) == [all[place]])
      #expect(try context.all(#Predicate { $0.token >= token }) == Array(all[place...]))
      #expect(try context.all(#Predicate { $0.token > token }) == Array(all[(place + 1)...]))
      #expect(try context.all(#Predicate { $0.token < token }) == Array(all[..<place]))
      #expect(try context.all(#Predicate { $0.token <= token }) == Array(all[...place]))
      #expect(try context.all(#Predicate { $0.token != token }).count == all.count - 1)
      #expect(try context.all(#Predicate { several.contains($0.token) }).count == (place == 3 ? 1 : 2))
    }
  }

  @Test func `commits of two stores have different times, so each token names one of them`() throws {
    // Each container makes its stores and saves within one or two milliseconds.
    for _ in 0..<30 {
      let container = try makePair()
      let context = ModelContext(container)
      let start = try container.latestHistoryToken
      for number in 0..<3 {
        context.insert(Artist("\(number)"))
        context.insert(Boat(number))
        try context.save()
      }
      let all = try context.after(start)
      #expect(all.count == 6)
      for one in all {
        let token = one.token
        #expect(try context.all(#Predicate { $0.token == token }) == [one])
      }
    }
  }

  @Test func `a store without history beside one with history is skipped`() throws {
    let container = try makePair(secondIsOff: true)
    let context = ModelContext(container)
    let start = try container.latestHistoryToken
    #expect(start.tokenValue?.count == 1)
    context.insert(Artist("a"))
    context.insert(Boat(1))
    try context.save()
    #expect(try context.after(start).flatMap(\.changes).map(\.line) == ["+Artist"])
  }

  @Test func `a token from the time of one store reads the second from its beginning`() throws {
    let folder = try Folder()
    var token: DefaultHistoryToken?
    do {
      let container = try ModelContainer(
        for: Artist.self, configurations: ModelConfiguration(url: folder.file("one.roost")))
      token = try container.latestHistoryToken
    }
    let container = try makePair(folder)
    let context = ModelContext(container)
    context.insert(Artist("a"))
    context.insert(Boat(1))
    try context.save()
    let one = try #require(token)
    #expect(Set(try context.after(one).flatMap(\.changes).map(\.line)) == ["+Artist", "+Boat"])
  }
}
