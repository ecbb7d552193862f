import RoostGraph
import SwiftData
import Testing

indirect enum Nest: Codable, Hashable {
  case leaf(Int)
  case node([Nest])
}

/// Encodes itself as its only value, so that nesting adds no level to the stored value.
final class Shell: Codable {
  struct Empty: Error {}

  let inner: Shell?
  let number: Int

  init(_ inner: Shell?, _ number: Int) {
    self.inner = inner
    self.number = number
  }

  init(from decoder: any Decoder) throws {
    // Made-up values are refused, so the type is stored as one self-describing value.
    guard let first = try decoder.singleValueContainer().decode([Int].self).first else { throw Empty() }
    inner = nil
    number = first
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.singleValueContainer()
    if let inner { try values.encode(inner) } else { try values.encode([number]) }
  }
}

/// Traps at an empty text.
struct Letter: Codable, Equatable {
  var character: Character

  init(_ character: Character) { self.character = character }
  init(from decoder: any Decoder) throws {
    character = Character(try decoder.singleValueContainer().decode(String.self))
  }
  func encode(to encoder: any Encoder) throws {
    var values = encoder.singleValueContainer()
    try values.encode(String(character))
  }
}

/// A struct with a part that traps at an empty text.
struct Cover: Codable, Equatable {
  var letter: Letter
  var size: Int
}

/// Stored as its parts.
struct DeepPart: Codable, Hashable {
  var number = 1
  var nest: Nest?
}

/// Encodes itself as lists within lists, in a loop.
struct Burrow: Codable {
  struct Empty: Error {}

  var depth: Int

  init(_ depth: Int) { self.depth = depth }

  init(from decoder: any Decoder) throws {
    guard try decoder.singleValueContainer().decode([Int].self).first != nil else { throw Empty() }
    depth = 0
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.unkeyedContainer()
    for _ in 0..<depth { values = values.nestedUnkeyedContainer() }
    try values.encode(1)
  }
}

/// Refuses to encode itself.
struct Unlucky: Codable, Hashable {
  struct Refusal: Error {}

  var number: Int

  init(_ number: Int) { self.number = number }

  func encode(to encoder: any Encoder) throws {
    if number == 13 { throw Refusal() }
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(number, forKey: .number)
  }
}

@Model final class DeepOne {
  var name: String
  var nest = Nest.leaf(0)
  var nests: [Nest] = []
  var shell: Shell?
  var letter = Letter("a")
  var cover = Cover(letter: Letter("b"), size: 3)
  var parts: [DeepPart] = []
  var unlucky: [Unlucky] = []
  var burrow: Burrow?

  init(_ name: String) { self.name = name }
}

/// Regression: a Codable value nested 7,000 deep overflowed the stack in `save()`; JSONEncoder does
/// so too, at 10,000. A type whose decoder traps at an empty text stopped the program when the
/// container was made.
@Suite struct DeepValueTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(for: DeepOne.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  private func nest(_ depth: Int) -> Nest {
    var nest = Nest.leaf(1)
    for _ in 0..<depth { nest = .node([nest]) }
    return nest
  }

  private func shell(_ depth: Int) -> Shell {
    var shell = Shell(nil, 7)
    for _ in 0..<depth { shell = Shell(shell, 0) }
    return shell
  }

  private func refused(_ property: String) {
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.faults.map(\.property) == [property] && error?.faults.first?.code == .badValue)
    #expect(error?.description.contains("nested deeper") == true, "\(error?.description ?? "")")
    context.rollback()
  }

  @Test(arguments: [100, 7000]) func `a value that is nested too deep is refused, in a list too`(depth: Int) throws {
    let one = DeepOne("a")
    one.nest = nest(depth)
    context.insert(one)
    refused("nest")
    one.nest = nest(5)
    one.nests = [.leaf(1), nest(depth)]
    context.insert(one)
    refused("nests")
    one.nests = [.leaf(1), nest(6)]
    one.shell = shell(depth * 3)
    context.insert(one)
    refused("shell")
    one.shell = shell(0)
    context.insert(one)
    try context.save()
    let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<DeepOne>()).first)
    #expect(stored.nest == nest(5) && stored.nests == [.leaf(1), nest(6)] && stored.shell?.number == 7)
  }

  @Test func `containers that are nested too deep in a loop are refused`() throws {
    let one = DeepOne("a")
    one.burrow = Burrow(200_000)
    context.insert(one)
    refused("burrow")
    one.burrow = Burrow(0)
    context.insert(one)
    try context.save()
  }

  /// In a list a struct is written separately, and a refused part must not be stored as something
  /// else.
  @Test func `a struct in a list with a part that cannot be written is refused`() throws {
    let one = DeepOne("a")
    one.parts = [DeepPart(nest: .leaf(1)), DeepPart(nest: nest(7000))]
    context.insert(one)
    refused("parts")
    one.parts = [DeepPart(nest: nest(5))]
    one.unlucky = [Unlucky(12), Unlucky(13)]
    context.insert(one)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.faults.map(\.property) == ["unlucky"] && error?.faults.first?.code == .badValue)
    one.unlucky = [Unlucky(12)]
    try context.save()
    let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<DeepOne>()).first)
    #expect(stored.parts == [DeepPart(nest: nest(5))] && stored.unlucky == [Unlucky(12)])
  }

  @Test func `a decoder that traps at an empty text does not get one`() throws {
    let one = DeepOne("a")
    one.letter = Letter("é")
    one.cover.letter = Letter("ü")
    context.insert(one)
    try context.save()
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<DeepOne>(predicate: #Predicate { $0.cover.size == 3 }))
    #expect(stored.map(\.letter) == [Letter("é")] && stored.map(\.cover.letter) == [Letter("ü")])
    // If a getter must return a default, the decoder gets the same values as before.
    #expect(try CoderShelf.shared.coder(of: Letter.self).anyValue as? Letter == Letter("0"))
    #expect(try CoderShelf.shared.coder(of: Cover.self).anyValue as? Cover == Cover(letter: Letter("0"), size: 0))
  }
}
