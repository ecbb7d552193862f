import SwiftData
import Testing

/// Predicates of all kinds: a fetch must return the models that fulfil the predicate, saved or not.
@Suite struct PredicateListTests {
  let places: [OddPlace]

  init() throws { places = try OddPlace.all() }

  /// - Parameters:
  ///   - predicate: the predicate.
  ///   - isEither: whether some models must fulfil it and others not.
  ///   - sourceLocation: the line of the test.
  func line<Model: PersistentModel>(
    _ predicate: Predicate<Model>, isEither: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for place in places {
      let all = try place.context.fetch(FetchDescriptor<Model>())
      let expected = try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID)
      let found = try place.context.fetch(FetchDescriptor(predicate: predicate)).map(\.persistentModelID)
      let place = "\(place.state)"
      #expect(Set(found) == Set(expected), "\(place)", sourceLocation: sourceLocation)
      #expect(found.count == expected.count, "\(place)", sourceLocation: sourceLocation)
      if isEither { #expect((1..<all.count).contains(expected.count), "\(place)", sourceLocation: sourceLocation) }
    }
  }

  // MARK: Accepted by Foundation's macro on Linux

  @Test func comparisons() throws {
    let (now, some, k) = (Date(timeIntervalSinceReferenceDate: 7000), Optional("note 4"), 5)
    try line(#Predicate<Oddment> { $0.k == k })
    try line(#Predicate<Oddment> { $0.k != 3 && $0.k < 9 })
    try line(#Predicate<Oddment> { $0.k <= 3 || $0.k > 12 || $0.k >= 14 })
    try line(#Predicate<Oddment> { $0.ratio == 0 })
    try line(#Predicate<Oddment> { $0.ratio == $0.ratio })
    try line(#Predicate<Oddment> { !($0.ratio < 1) })
    try line(#Predicate<Oddment> { $0.flag })
    try line(#Predicate<Oddment> { !$0.flag })
    try line(#Predicate<Oddment> { $0.flag == true })
    try line(#Predicate<Oddment> { $0.oflag == false })
    try line(#Predicate<Oddment> { $0.oflag != nil })
    try line(#Predicate<Oddment> { $0.oname == some })
    try line(#Predicate<Oddment> { $0.oname == nil }, isEither: false)
    try line(#Predicate<Oddment> { $0.oname != nil }, isEither: false)
    try line(#Predicate<Oddment> { $0.date > now })
    try line(#Predicate<Oddment> { $0.bytes == Data([1]) })
    let code = Oddment(4).code
    try line(#Predicate<Oddment> { $0.code == code })
    try line(#Predicate<Oddment> { $0.name < "b" })
    try line(#Predicate<Oddment> { $0.name == "á" })
  }

  @Test func dates() throws {
    let now = Date(timeIntervalSinceReferenceDate: 700)
    try line(#Predicate<Oddment> { $0.odate ?? now > now })
    try line(#Predicate<Oddment> { $0.odate != nil && $0.odate! > now })
    try line(#Predicate<Oddment> { $0.odate == nil || $0.odate! > now })
    try line(#Predicate<Oddment> { ($0.odate ?? .distantPast) < now })
    let (low, high) = (Date(timeIntervalSinceReferenceDate: 2000), Date(timeIntervalSinceReferenceDate: 9000))
    try line(#Predicate<Oddment> { $0.date >= low && $0.date < high })
    try line(#Predicate<Oddment> { (low..<high).contains($0.date) })
  }

  @Test func `captured lists`() throws {
    let (list, set, none) = ([1, 5, 5, 99], Set([2, 3]), [Int]())
    try line(#Predicate<Oddment> { list.contains($0.k) })
    try line(#Predicate<Oddment> { set.contains($0.k) })
    try line(#Predicate<Oddment> { !list.contains($0.k) })
    try line(#Predicate<Oddment> { none.contains($0.k) }, isEither: false)
    let (names, perhaps) = (["ann", "á"], ["note 1", nil])
    try line(#Predicate<Oddment> { names.contains($0.name) })
    try line(#Predicate<Oddment> { perhaps.contains($0.oname) })
    let kx = 4
    try line(#Predicate<Oddment> { [kx].contains($0.k) })
    try line(#Predicate<Oddment> { [kx, 7, 8].contains($0.k) })
    let codes = [Oddment(4).code, Oddment(6).code]
    try line(#Predicate<Oddment> { codes.contains($0.code) })
    let dates = [Oddment(4).date]
    try line(#Predicate<Oddment> { dates.contains($0.date) })
  }

  @Test func identifiers() throws {
    for place in places {
      let oddments = try place.context.fetch(FetchDescriptor<Oddment>(sortBy: [SortDescriptor(\.k)]))
      let (three, shed) = (oddments[3], try #require(oddments[3].shed))
      let (id, ids, shedID) = (
        three.persistentModelID, Set(oddments.prefix(4).map(\.persistentModelID)), shed.persistentModelID
      )
      func found(_ predicate: Predicate<Oddment>) throws -> [Int] {
        let found = try place.context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.k)]))
        #expect(try found == oddments.filter { try predicate.evaluate($0) }, "\(place.state)")
        return found.map(\.k)
      }
      #expect(try found(#Predicate { $0.id == id }) == [3])
      #expect(try found(#Predicate { $0.persistentModelID == id }) == [3])
      #expect(try found(#Predicate { $0.persistentModelID != id }).count == 15)
      #expect(try found(#Predicate { ids.contains($0.id) }) == [0, 1, 2, 3])
      #expect(try found(#Predicate { ids.contains($0.persistentModelID) && $0.k > 1 }) == [2, 3])
      let list = Array(ids)
      #expect(try found(#Predicate { list.contains($0.persistentModelID) }) == [0, 1, 2, 3])
      #expect(
        try found(#Predicate { $0.shed?.persistentModelID == shedID }) == oddments.filter { $0.shed === shed }.map(\.k))
      #expect(try found(#Predicate { $0.shed?.id == shedID && $0.k > 3 }).allSatisfy { $0 > 3 })
      #expect(try found(#Predicate { $0.kids.contains { $0.persistentModelID == id } }) == [])
    }
  }

  @Test func enums() throws {
    let (mood, some, raw) = (Humor.wild, Optional(Humor.wild), "lost")
    try line(#Predicate<Oddment> { $0.mood == mood })
    try line(#Predicate<Oddment> { $0.mood != mood })
    try line(#Predicate<Oddment> { $0.omood == some })
    try line(#Predicate<Oddment> { $0.omood == mood })
    try line(#Predicate<Oddment> { $0.omood == nil })
    try line(#Predicate<Oddment> { $0.mood.rawValue == raw })
    try line(#Predicate<Oddment> { $0.mood.rawValue == mood.rawValue })
    try line(#Predicate<Oddment> { $0.omood?.rawValue == raw })
    let moods = [Humor.calm, .lost]
    try line(#Predicate<Oddment> { moods.contains($0.mood) })
  }

  @Test func `parts of structs`() throws {
    let label = "w2"
    try line(#Predicate<Oddment> { $0.extent.width > 5 })
    try line(#Predicate<Oddment> { $0.extent.label == label })
    try line(#Predicate<Oddment> { $0.extent.depth.level == 3 })
    try line(#Predicate<Oddment> { $0.extent.depth.word == nil })
    try line(#Predicate<Oddment> { $0.extent.depth.word?.count == 4 })
    try line(#Predicate<Oddment> { $0.oextent?.width == -5 })
    try line(#Predicate<Oddment> { $0.oextent == nil })
    try line(#Predicate<Oddment> { $0.oextent?.depth.level ?? 0 > 7 })
    try line(#Predicate<Oddment> { $0.oextent != nil && $0.oextent!.width < -5 })
    let whole = Oddment(3).extent
    try line(#Predicate<Oddment> { $0.extent == whole }, isEither: false)
  }

  @Test func `stored lists`() throws {
    let (tag, x) = ("tag 1", "tag 2")
    try line(#Predicate<Oddment> { $0.tags.contains(tag) })
    try line(#Predicate<Oddment> { $0.otags?.contains(x) ?? false })
    try line(#Predicate<Oddment> { $0.otags?.contains(x) == true })
    try line(#Predicate<Oddment> { $0.otags?.isEmpty ?? true })
    try line(#Predicate<Oddment> { $0.tags.isEmpty })
    try line(#Predicate<Oddment> { !$0.tags.isEmpty })
    try line(#Predicate<Oddment> { $0.tags.isEmpty == false })
    try line(#Predicate<Oddment> { $0.tags.count > 1 })
    try line(#Predicate<Oddment> { $0.tags.filter { $0 > "tag 0" }.count == 2 })
    try line(#Predicate<Oddment> { $0.tags.contains { $0.hasSuffix("2") } })
    try line(#Predicate<Oddment> { $0.tags.allSatisfy { $0 == "tag 0" } })
    try line(#Predicate<Oddment> { $0.tags.first == "tag 0" })
    try line(#Predicate<Oddment> { $0.tags.first?.count == 5 })
    try line(#Predicate<Oddment> { $0.tags.count > 1 && $0.tags[1] == "tag 1" })
    try line(#Predicate<Oddment> { $0.numbers.contains(3) })
    try line(#Predicate<Oddment> { $0.numbers.count == 2 })
    try line(#Predicate<Oddment> { $0.numbers.max() == 3 })
    try line(#Predicate<Oddment> { ($0.numbers.min() ?? 7) == 7 })
    try line(#Predicate<Oddment> { $0.table["a"] == 2 })
    try line(#Predicate<Oddment> { $0.table["a"] == nil })
    try line(#Predicate<Oddment> { $0.table["a", default: 9] > 1 })
    try line(#Predicate<Oddment> { $0.table.isEmpty })
    try line(#Predicate<Oddment> { $0.table.count == 2 })
  }

  @Test func `to-many relationships`() throws {
    let n = 4
    try line(#Predicate<Oddment> { $0.kids.contains { $0.n == n } })
    try line(#Predicate<Oddment> { $0.kids.contains(where: { $0.n > n && $0.word != nil }) })
    try line(#Predicate<Oddment> { $0.okids?.contains { $0.n == 1 } ?? false })
    try line(#Predicate<Oddment> { $0.okids?.contains { $0.n == 1 } == true })
    try line(#Predicate<Oddment> { $0.okids.flatMap { $0.count } ?? 0 > 1 })
    try line(#Predicate<Oddment> { $0.okids.flatMap { $0.contains { $0.n == 1 } } == true })
    try line(#Predicate<Oddment> { $0.kids.isEmpty })
    try line(#Predicate<Oddment> { !$0.kids.isEmpty })
    try line(#Predicate<Oddment> { $0.kids.isEmpty == false })
    try line(#Predicate<Oddment> { $0.kids.count > 1 })
    try line(#Predicate<Oddment> { $0.kids.filter { $0.n % 2 == 0 }.count > 0 })
    try line(#Predicate<Oddment> { $0.kids.filter { $0.word != nil }.isEmpty })
    try line(#Predicate<Oddment> { $0.kids.allSatisfy { $0.n > 6 } })
    try line(#Predicate<Oddment> { $0.kids.first?.n == 7 })
    try line(#Predicate<Oddment> { oddment in oddment.kids.contains { $0.n > oddment.k } })
    try line(#Predicate<Shed> { $0.oddments.contains { $0.kids.contains { $0.n == 9 } } })
    try line(#Predicate<Shed> { $0.oddments.contains { $0.tags.contains("tag 2") && $0.flag } }, isEither: false)
  }

  @Test func `to-one relationships`() throws {
    let town = "Ulm"
    try line(#Predicate<Oddment> { $0.shed?.town == town })
    try line(#Predicate<Oddment> { $0.shed?.head?.town == "Bern" })
    try line(#Predicate<Oddment> { $0.shed == nil })
    try line(#Predicate<Oddment> { $0.shed != nil })
    try line(#Predicate<Oddment> { $0.shed?.opened == nil })
    try line(#Predicate<Oddment> { $0.shed?.head == nil })
    try line(#Predicate<Oddment> { $0.shed?.town.isEmpty ?? true })
    try line(#Predicate<Oddment> { $0.shed?.oddments.count ?? 0 > 4 }, isEither: false)
    try line(#Predicate<Oddment> { $0.shed.flatMap { $0.head }?.town == "Bern" })
    try line(#Predicate<Bit> { $0.oddment?.shed?.town == town })
    try line(#Predicate<Bit> { $0.oddment?.extent.depth.level == 1 })
  }

  @Test func texts() throws {
    let (part, word) = ("nn", "NOTE 1")
    try line(#Predicate<Oddment> { $0.name.contains(part) })
    try line(#Predicate<Oddment> { $0.name.contains("") }, isEither: false)
    try line(#Predicate<Oddment> { $0.name.starts(with: "a") })
    try line(#Predicate<Oddment> { $0.name.isEmpty })
    try line(#Predicate<Oddment> { $0.name.count == 3 })
    try line(#Predicate<Oddment> { $0.oname?.contains("1") ?? false })
    try line(#Predicate<Oddment> { $0.oname?.starts(with: "note 1") == true })
    try line(#Predicate<Oddment> { $0.name.contains(#/^a.n/#) })
    try line(#Predicate<Oddment> { $0.oname?.contains(#/1\d$/#) == true })
    try line(#Predicate<Oddment> { $0.name.localizedStandardContains("ELAN") })
    try line(#Predicate<Oddment> { $0.oname?.localizedStandardContains(word) ?? false })
    try line(#Predicate<Oddment> { $0.oname.flatMap { $0.contains("1") } == true })
  }

  @Test func `conditionals`() throws {
    try line(#Predicate<Oddment> { if let name = $0.oname { name.count > 6 } else { false } })
    try line(#Predicate<Oddment> { if let name = $0.oname { return name == "note 1" } else { return $0.k > 3 } })
    try line(#Predicate<Oddment> { if $0.flag { $0.k > 5 } else { $0.k < 5 } })
    try line(#Predicate<Oddment> { ($0.flag ? $0.k : 0) > 5 })
    try line(#Predicate<Oddment> { $0.flag ? $0.k > 5 : $0.tags.isEmpty })
    try line(#Predicate<Oddment> { ($0.oname ?? $0.name) == "new" || ($0.oname ?? "x") == "x" })
  }

  @Test func numbers() throws {
    try line(#Predicate<Oddment> { $0.k + 1 > 4 })
    try line(#Predicate<Oddment> { $0.k - 1 < $0.extent.depth.level * 2 })
    try line(#Predicate<Oddment> { $0.k * $0.k >= 49 })
    try line(#Predicate<Oddment> { $0.k / 3 == 2 })
    try line(#Predicate<Oddment> { $0.k % 3 == 2 })
    try line(#Predicate<Oddment> { -$0.k < -4 })
    try line(#Predicate<Oddment> { ($0.oratio ?? 0) / 2 > 1 })
    try line(#Predicate<Oddment> { (2...5).contains($0.k) })
    try line(#Predicate<Oddment> { (2..<5).contains($0.k) })
    let (closed, open, from) = (3...6, 3..<6, 7...)
    try line(#Predicate<Oddment> { closed.contains($0.k) })
    try line(#Predicate<Oddment> { open.contains($0.k) })
    try line(#Predicate<Oddment> { from.contains($0.k) })
  }

  @Test func classes() throws {
    try line(#Predicate<Oddment> { $0 is Gizmo })
    try line(#Predicate<Oddment> { !($0 is Gizmo) && $0.k > 4 })
    try line(#Predicate<Oddment> { ($0 as? Gizmo)?.hours == 3 })
    try line(#Predicate<Oddment> { if let gizmo = $0 as? Gizmo { gizmo.hours > 3 } else { $0.k == 0 } })
    try line(#Predicate<Bit> { ($0.oddment as? Gizmo)?.hours ?? 0 > 2 })
    try line(#Predicate<Gizmo> { $0.k > 8 && $0.hours < 6 })
  }

  @Test func everything() throws {
    try line(#Predicate<Oddment> { _ in true }, isEither: false)
    try line(#Predicate<Oddment> { _ in false }, isEither: false)
    try line(Predicate<Oddment>.true, isEither: false)
    try line(#Predicate<Oddment> { $0.double > 9 })
    try line(#Predicate<Oddment> { $0.double > 9 && $0.flag || $0.k == 1 })
  }

  // MARK: Refused by Foundation's macro

  @Test func `texts, with functions that Foundation lacks`() throws {
    try line(#Predicate<Oddment> { $0.name.localizedCompare("b") == .orderedAscending })
    try line(#Predicate<Oddment> { $0.name.caseInsensitiveCompare("BOB") == .orderedSame })
    try line(#Predicate<Oddment> { $0.name.hasPrefix("a") })
    try line(#Predicate<Oddment> { $0.oname?.hasSuffix("1") ?? false })
    try line(#Predicate<Oddment> { $0.name.lowercased() == "bob" || $0.name.uppercased().hasPrefix("BOB") })
    try line(#Predicate<Oddment> { $0.name.lowercased().contains("b") })
  }

  @Test func `nested predicates and expressions`() throws {
    let isBig = #Predicate<Oddment> { $0.k > 9 }
    let length = #Expression<Oddment, Int> { $0.name.count + 1 }
    try line(#Predicate<Oddment> { isBig.evaluate($0) })
    try line(#Predicate<Oddment> { isBig.evaluate($0) && $0.flag || !isBig.evaluate($0) && $0.k < 3 })
    try line(#Predicate<Shed> { $0.oddments.contains { isBig.evaluate($0) && $0.k < 12 } })
    try line(#Predicate<Oddment> { length.evaluate($0) == 4 })
  }

  @Test func `cases, constants and members by name`() throws {
    struct Wish { var k = 4, name = "ann" }
    let wish = Wish()
    try line(#Predicate<Oddment> { $0.mood == .lost })
    try line(#Predicate<Oddment> { $0.omood == .some(.wild) })
    try line(#Predicate<Oddment> { $0.mood == Humor.wild })
    try line(#Predicate<Oddment> { $0.k < Int.max && $0.k > Int(Int8.min) && $0.flag })
    try line(#Predicate<Oddment> { $0.date < Date.now && $0.k != 4 })
    try line(#Predicate<Oddment> { $0.k == wish.k || $0.name == wish.name })
    try line(#Predicate<Oddment> { $0.k == wish.name.count })
  }

  @Test func `statements`() throws {
    try line(
      #Predicate<Oddment> {
        let name = $0.name
        let least = 2 + 1
        return name.count > least
      })
    try line(
      #Predicate<Oddment> {
        guard let name = $0.oname else { return $0.k > 9 }
        return name.hasSuffix("1")
      })
    let wanted = true
    try line(#Predicate<Oddment> { wanted && $0.flag })
    try line(#Predicate<Oddment> { _ in wanted }, isEither: false)
    try line(#Predicate<Oddment> { $0.flag && true })
  }

  @Test func `deep chains`() throws {
    try line(
      #Predicate<Oddment> { (oddment: Oddment) in
        oddment.k == 1 || oddment.k == 2 && oddment.flag || oddment.oname == "note 4" || oddment.mood == .lost
          || oddment.omood == .wild && oddment.oname != nil || oddment.shed?.town == "Ulm" && oddment.k > 4
          || oddment.odate != nil && oddment.k < 2 || oddment.tags.count == 3 && oddment.ratio > 1
          || oddment.oratio ?? 0 > 6 && oddment.flag || oddment.extent.width == 9
          || oddment.oextent?.depth.level == 8 || oddment.kids.isEmpty && !oddment.flag
      })
  }
}
