import SwiftData

enum Humor: String, Codable, CaseIterable { case calm, wild, lost }

struct Depth: Codable, Hashable {
  var level: Int
  var word: String?
}

struct Extent: Codable, Hashable {
  var width: Int
  var label: String
  var depth: Depth
}

/// A property of every type that a predicate may use.
@Model class Oddment {
  var code: UUID
  var k: Int
  var name: String
  var oname: String?
  var date: Date
  var odate: Date?
  var ratio: Double
  var oratio: Double?
  var flag: Bool
  var oflag: Bool?
  var mood: Humor
  var omood: Humor?
  var extent: Extent
  var oextent: Extent?
  var bytes: Data
  var tags: [String]
  var otags: [String]?
  var numbers: Set<Int>
  var table: [String: Int]
  @Relationship(deleteRule: .cascade, inverse: \Bit.oddment) var kids: [Bit] = []
  @Relationship(deleteRule: .cascade, inverse: \Bit.other) var okids: [Bit]?
  var shed: Shed?
  #Index<Oddment>([\.k], [\.name], [\.date])

  init(_ k: Int) {
    self.k = k
    code = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(k)))
    name = ["ann", "Bob", "élan", "a\u{301}", "", "👩‍👧 x", "ann b", "zoë"][k % 8]
    oname = k % 3 == 0 ? nil : "note \(k)"
    date = Date(timeIntervalSinceReferenceDate: Double(k) * 1000)
    odate = k % 4 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(k) * 100)
    ratio = [0.5, -0.0, .nan, .infinity, 2][k % 5]
    oratio = k % 2 == 0 ? nil : Double(k) / 2
    flag = k % 2 == 0
    oflag = [nil, true, false][k % 3]
    mood = Humor.allCases[k % 3]
    omood = k % 4 == 0 ? nil : Humor.allCases[k % 3]
    extent = Extent(width: k, label: "w\(k % 4)", depth: Depth(level: k % 5, word: k % 2 == 0 ? nil : "deep"))
    oextent = k % 3 == 1 ? nil : Extent(width: -k, label: "o", depth: Depth(level: k, word: nil))
    bytes = Data([UInt8(k % 3)])
    tags = (0..<k % 4).map { "tag \($0)" }
    otags = k % 3 == 0 ? nil : ["tag \(k % 4)"]
    numbers = Set(0..<k % 5)
    table = k % 4 == 0 ? [:] : ["a": k % 3, "b": 1]
  }

  /// Not stored.
  var double: Int { k * 2 }
}

@Model final class Gizmo: Oddment {
  var hours: Int

  init(_ k: Int, hours: Int) {
    self.hours = hours
    super.init(k)
  }
}

@Model final class Bit {
  var n: Int
  var word: String?
  var oddment: Oddment?
  var other: Oddment?

  init(_ n: Int) {
    self.n = n
    word = n % 2 == 0 ? nil : "w\(n)"
  }
}

@Model final class Shed {
  var town: String
  var opened: Date?
  var head: Shed?
  @Relationship(inverse: \Oddment.shed) var oddments: [Oddment] = []

  init(_ town: String) { self.town = town }
}

/// A context with oddments, some or all of which are unsaved.
struct OddPlace {
  enum State: CaseIterable { case saved, pending, half }

  let state: State
  let context: ModelContext

  static func all() throws -> [OddPlace] { try State.allCases.map { try OddPlace($0) } }

  init(_ state: State) throws {
    self.state = state
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Oddment.self, Gizmo.self, configurations: configuration)
    context = ModelContext(container)
    context.autosaveEnabled = false
    let sheds = ["Bern", "Ulm", ""].map { Shed($0) }
    sheds[1].head = sheds[0]
    sheds[0].opened = Date(timeIntervalSinceReferenceDate: 5)
    for number in 0..<16 {
      let oddment = number % 4 == 3 ? Gizmo(number, hours: number % 7) : Oddment(number)
      context.insert(oddment)
      oddment.shed = number % 5 == 0 ? nil : sheds[number % 3]
      oddment.kids = (0..<number % 4).map { Bit($0 + number) }
      oddment.okids = (0..<(number + 1) % 3).map { Bit($0) }
      if state == .half, number == 9 { try context.save() }
    }
    if state != .pending { try context.save() }
    guard state == .half else { return }
    for oddment in try context.fetch(FetchDescriptor<Oddment>()) where oddment.k % 3 == 0 {
      oddment.name += "!"
      oddment.oname = oddment.oname == nil ? "new" : nil
      oddment.extent.width += 1
      oddment.kids.append(Bit(50))
      oddment.tags.append("late")
    }
  }
}
