import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// A text whose equality ignores case.
struct Email: RawRepresentable, Codable, Hashable {
  var rawValue: String

  static func == (one: Email, other: Email) -> Bool { one.rawValue.lowercased() == other.rawValue.lowercased() }
  func hash(into hasher: inout Hasher) { hasher.combine(rawValue.lowercased()) }
}

/// Equal values may have different stored forms.
enum Mark: Codable, Hashable { case level(Double), tags(Set<String>) }

@Model final class Member {
  var number: Int
  var email: Email
  var other: Email?
  var mark: Mark
  #Index<Member>([\.email], [\.number])

  init(_ number: Int, _ email: String, mark: Mark = .level(0)) {
    self.number = number
    self.email = Email(rawValue: email)
    self.mark = mark
  }
}

@Model final class Ticket {
  var number: Int
  var price: Decimal
  var old: Decimal?
  var plain: Decimal
  #Index<Ticket>([\.price], [\.old])

  init(_ number: Int, _ price: Decimal, _ old: Decimal? = nil) {
    self.number = number
    self.price = price
    self.old = old
    plain = price
  }
}

/// Types with their own equality, and decimals that are NaN.
@Suite struct OwnEqualityTests {
  private func context() throws -> ModelContext {
    let container = try ModelContainer(
      for: Member.self, Ticket.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    return ModelContext(container)
  }

  // MARK: Raw values

  @Test func `a struct is compared by its own equality, saved or not`() throws {
    let context = try context()
    for (number, email) in ["A@x", "a@x", "b@x", "B@X"].enumerated() { context.insert(Member(number, email)) }
    let wanted = Email(rawValue: "a@X")
    let some = [wanted, Email(rawValue: "none")]
    let equal = #Predicate<Member> { $0.email == wanted }
    let different = #Predicate<Member> { $0.email != wanted }
    let member = #Predicate<Member> { some.contains($0.email) }
    let maybe = #Predicate<Member> { $0.other == wanted }
    func look() throws {
      func numbers(_ predicate: Predicate<Member>) throws -> [Int] {
        let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)]))
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == found.count)
        #expect(try found.allSatisfy { try predicate.evaluate($0) })
        return found.map(\.number)
      }
      #expect(try numbers(equal) == [0, 1])
      #expect(try numbers(different) == [2, 3])
      #expect(try numbers(member) == [0, 1])
      #expect(try numbers(maybe) == [])
      #expect(try numbers(#Predicate { $0.other == nil }) == [0, 1, 2, 3])
      #expect(try numbers(#Predicate { $0.email.rawValue == "A@x" }) == [0])
    }
    try look()
    try context.save()
    try look()
    try context.fetch(FetchDescriptor<Member>())[2].other = Email(rawValue: "A@X")
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor(predicate: maybe)) == 1)
  }

  @Test func `an index finds a struct's raw value`() throws {
    let context = try context()
    for number in 0..<300 { context.insert(Member(number, "m\(number)")) }
    try context.save()
    let found = try context.explain(FetchDescriptor<Member>(predicate: #Predicate { $0.email.rawValue == "m7" }))
    #expect(found.found == 1 && found.indexes.count == 1 && found.rowsRead <= 1, "\(found)")
    let wanted = Email(rawValue: "m7")
    let compared = try context.explain(FetchDescriptor<Member>(predicate: #Predicate { $0.email == wanted }))
    #expect(compared.found == 1 && compared.testedInMemory.count == 1, "\(compared)")
    let sorted = FetchDescriptor<Member>(sortBy: [SortDescriptor(\.email.rawValue, order: .reverse)])
    #expect(try context.explain(sorted).sorting == .index)
    #expect(try context.fetch(sorted).first?.email.rawValue == "m99")
  }

  @Test func `groups follow the equality of their keys`() throws {
    let context = try context()
    let marks: [Mark] = [.level(0.0), .level(-0.0), .tags(["a", "b", "c"]), .tags(["c", "b", "a"]), .level(1)]
    for (number, mark) in marks.enumerated() {
      context.insert(Member(number, ["A", "a", "b", "B", "c"][number], mark: mark))
    }
    func look() throws {
      let byMark = try context.aggregate(Member.self, .count, by: \.mark)
      #expect(byMark.map(\.values).sorted() == [1, 2, 2])
      #expect(byMark.first { $0.key == .level(0) }?.values == 2)
      let byEmail = try context.aggregate(Member.self, .count, by: \.email)
      #expect(byEmail.map(\.values).sorted() == [1, 2, 2])
      #expect(try context.aggregate(Member.self, .count, by: \.email.rawValue).map(\.values) == [1, 1, 1, 1, 1])
    }
    try look()
    try context.save()
    try look()
    context.insert(Member(9, "C", mark: .level(1)))
    #expect(try context.aggregate(Member.self, .count, by: \.email).map(\.values) == [2, 2, 2])
  }

  // MARK: Decimals

  @Test func `a NaN decimal is less than all others, as in Foundation`() throws {
    let context = try context()
    let prices: [Decimal] = [1, .nan, -7, 0, .nan, 5, 1000]
    for (number, price) in prices.enumerated() {
      context.insert(Ticket(number, price, number == 3 ? nil : price))
    }
    let five: Decimal = 5
    let none = Decimal.nan
    let predicates: [Predicate<Ticket>] = [
      #Predicate { $0.price < five }, #Predicate { $0.price > five }, #Predicate { $0.price <= five },
      #Predicate { $0.price >= five }, #Predicate { $0.price == none }, #Predicate { $0.price != none },
      #Predicate { $0.price > none }, #Predicate { $0.price <= none }, #Predicate { $0.plain < five },
      #Predicate { $0.plain == none }, #Predicate { ($0.old ?? five) < five }, #Predicate { $0.old == none },
      #Predicate { $0.price < five && $0.plain > none },
    ]
    func look() throws {
      let all = try context.fetch(FetchDescriptor<Ticket>())
      for predicate in predicates {
        let expected = try all.filter { try predicate.evaluate($0) }.map(\.number).sorted()
        let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted()
        #expect(found == expected)
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected.count)
      }
      let order = all.sorted { ($0.price, $0.number) < ($1.price, $1.number) }.map(\.number)
      let up = [SortDescriptor(\Ticket.price), SortDescriptor(\Ticket.number)]
      #expect(try context.fetch(FetchDescriptor(sortBy: up)).map(\.number) == order)
      let plain = [SortDescriptor(\Ticket.plain), SortDescriptor(\Ticket.number)]
      #expect(try context.fetch(FetchDescriptor(sortBy: plain)).map(\.number) == order)
      var paged = FetchDescriptor<Ticket>(sortBy: up)
      paged.fetchLimit = 2
      var (walked, cursor): ([Int], FetchCursor?) = ([], nil)
      repeat {
        let page = try context.fetchPage(paged, after: cursor)
        walked += page.models.map(\.number)
        cursor = page.next
      } while cursor != nil && walked.count < 20
      #expect(walked == order)
      // Minimum and maximum ignore NaN.
      #expect(try context.minimum(of: \Ticket.price) == -7 && context.maximum(of: \Ticket.price) == 1000)
      #expect(try context.minimum(of: \Ticket.plain) == -7 && context.maximum(of: \Ticket.plain) == 1000)
      #expect(try context.minimum(of: \Ticket.old) == -7 && context.maximum(of: \Ticket.old) == 1000)
      #expect(try context.minimum(of: \Ticket.price, where: #Predicate { $0.price <= none })?.isNaN == true)
      let groups = try context.aggregate(Ticket.self, .count, by: \.price)
      #expect(groups.map(\.values).first == 2 && groups.first?.key.isNaN == true && groups.count == 6)
    }
    try look()
    // An unsaved one among saved ones.
    try context.save()
    try look()
    context.insert(Ticket(20, 2))
    context.insert(Ticket(21, .nan))
    #expect(try context.fetch(FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.price)])).first?.price.isNaN == true)
    #expect(try context.minimum(of: \Ticket.price) == -7)
    context.rollback()
    try look()
  }
}
