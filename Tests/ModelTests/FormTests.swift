import RoostGraph
import RoostRecords
import SwiftData
import Testing

/// Models in all the forms that programs write.
@Suite struct FormTests {
  @Test @MainActor func `a model of the main actor`() throws {
    let one = OnMain(title: "a")
    one.kids.append(OnMain(title: "b"))
    #expect(one.kids.map(\.title) == ["b"])
    #expect(OnMain.schemaMetadata.map(\.customMirror.children.first?.value) as? [String] == ["title", "kids", "when"])
  }

  @Test func `public, private and open`() {
    let shown = Shown(name: "s")
    shown.add()
    shown.add()
    #expect(shown.count == 2 && shown.hidden == ["x", "x"])
    let three = OpenThree(evenMore: "e")
    three.other = shown
    #expect(three.name == "n" && three.more == 4 && three.evenMore == "e" && three.other === shown)
  }

  @Test func `three classes, each a subclass of the one before`() throws {
    let type = OpenThree._$type
    #expect(type.properties.map(\.name) == ["name", "other", "more", "evenMore"])
    #expect(OpenThree.schemaMetadata.count == 1)
    let three = OpenThree(evenMore: "e")
    three.more = 9
    let again = try Rows(of: OpenThree.self).again(three)
    #expect(again.name == "n" && again.more == 9 && again.evenMore == "e")
  }

  @Test func `types of its own with well-known names`() throws {
    let envelope = Envelope<String>(payload: .init(bytes: [1]), when: "today")
    envelope.more = [.init(bytes: [2, 3])]
    envelope.place = .init(path: "/a")
    let again = try Rows(of: Envelope<String>.self).again(envelope)
    #expect(again.payload.bytes == [1] && again.more == [.init(bytes: [2, 3])] && again.place?.path == "/a")
    #expect(again.when == "today" && again.real == Data([1, 2]))
  }

  @Test func `nested`() throws {
    #expect(Outer.Inner._$type.name == "Inner" && SchemaV1.Thing._$type.name == "Thing")
    let inner = Outer.Inner(name: "n", kind: .b)
    #expect(try Rows(of: Outer.Inner.self).again(inner).kind == .b)
  }

  @Test func `generic`() throws {
    let numbers = Pair(value: 3)
    numbers.list.append(4)
    let texts = Pair(value: Money(amount: 1, currency: .usd))
    let number = try Rows(of: Pair<Int>.self).again(numbers)
    #expect(number.value == 3 && number.other == nil && number.list == [4])
    let rows = try Rows(of: Pair<Money>.self)
    #expect(rows.entity.field("value.amount") != nil)
    #expect(try rows.again(texts).value == texts.value)
    #expect(Pair<Int>._$type === Pair<Int>._$type && Pair<Int>._$type !== Pair<Money>._$type)
  }

  @Test func `Codable by the user`() throws {
    let coded = Coded(name: "c")
    coded.n = 4
    let again = try JSONDecoder().decode(Coded.self, from: JSONEncoder().encode(coded))
    #expect(again.name == "c" && again.n == 4)
    let holder = Holder()
    holder.coded = coded
    holder.list = [coded, again]
    #expect(holder.coded === coded && holder.list.count == 2)
  }

  @Test func `under a condition`() throws {
    #if os(Linux)
      #expect(Subscriber._$type.properties.map(\.name).contains("onLinux"))
      let subscriber = Subscriber()
      subscriber.onLinux = 7
      #expect(try Rows(of: Subscriber.self).again(subscriber).onLinux == 7)
    #endif
  }

  @Test func `what is not stored`() {
    let names = Everything._$type.properties.map(\.name)
    for name in ["note", "cache", "maybe", "lazyOne", "shared", "constant", "delegate", "computed", "computedSet"] {
      #expect(!names.contains(name))
    }
    let one = Everything()
    one.note = "m"
    one.computedSet = 8
    #expect(one.note == "m" && one.lazyOne == 4 && one.list == [8] && one.constant == 4 && one.implicit == nil)
  }

  @Test func `compared and hashed by identity`() {
    let (one, other) = (Shown(name: "a"), Shown(name: "a"))
    #expect(one == one && one != other && Set([one, other, one]).count == 2)
    #expect(one.persistentModelID == one.persistentModelID && one.persistentModelID != other.persistentModelID)
    #expect(one.id == one.persistentModelID)
  }
}
