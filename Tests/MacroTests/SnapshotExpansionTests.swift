import Foundation
import Testing

@Suite struct SnapshotExpansionTests {
  @Test func `a struct with a field for each property`() {
    let expansion = Expansion(
      """
      @Model @Snapshots(.codable) public final class Item {
        public var id: UUID
        private var kind = Kind.one
        var tag: Tag?
        @Transient var shown = false
        init() {}
      }
      """)
    #expect(expansion.complaints.isEmpty)
    let lines = [
      "public struct Snapshot: TypedSnapshot, Hashable, Codable {",
      "public typealias SnapshotModel = Item",
      "public let persistentModelID: PersistentIdentifier",
      "public var id: UUID",
      "@_SnapshotField(like: Kind.one) private var kind",
      "@_SnapshotField((Tag?).self) var tag",
      "public init(_ snapshot: ModelSnapshot<Item>) {",
      "self.persistentModelID = snapshot.persistentModelID",
      "self.id = snapshot._known(0)",
      "self._kind = snapshot._field(1)",
      "self._tag = snapshot._field(2)",
      "public func _$put(into values: inout _SnapshotSink) {",
      "values._put(self.id, 0)",
      "values._put(self.kind, 1)",
      "values._put(self.tag, 2)",
      "nonisolated public var typedSnapshot: Snapshot { Snapshot(Roost::ModelSnapshot(self)) }",
    ]
    var rest = expansion.text[...]
    for line in lines {
      let place = rest.range(of: line)
      #expect(place != nil, "\(line)")
      if let place { rest = rest[place.upperBound...] }
    }
  }

  @Test func `a subclass counts after its superclass, and keeps inherited fields`() {
    let text = Expansion("@Model @Snapshots class Sub: Base {\nvar n: Int\n}", conformances: []).text
    for line in [
      "@dynamicMemberLookup struct Snapshot: InheritingSnapshot, Hashable, Identifiable {",
      "var inherited: ModelSnapshot<Base>", "var id: PersistentIdentifier { persistentModelID }",
      "self.n = snapshot._known(Sub._$first._$plus(0))", "values._inherit(self.inherited)",
    ] {
      #expect(text.contains(line), "\(line)")
    }
    #expect(!text.contains("typedSnapshot"))
  }

  @Test func `a protocol is not a superclass`() {
    let text = Expansion("@Model @Snapshots class Item: Named {\nvar n: Int\n}").text
    #expect(text.contains("self.n = snapshot._known(0)") && !text.contains("inherited"))
  }

  @Test func `without the macro there is no struct`() {
    #expect(!Expansion("@Model final class Item {\nvar n: Int\n}").text.contains("struct Snapshot"))
  }

  @Test(arguments: [
    (
      "@Snapshots @Model final class Item {\nstruct Snapshot {}\ninit() {}\n}",
      "2: error: 'Item' already has a type 'Snapshot', the name that '@Snapshots' uses: rename it, or remove '@Snapshots' "
        + "and use 'ModelSnapshot<Item>'"
    ),
    ("@Snapshots class Item {}", "1: error: '@Snapshots' can only be attached to a class with '@Model'"),
    ("@Snapshots struct Item {}", "1: error: '@Snapshots' can only be attached to a class with '@Model'"),
  ])
  func `declarations that it cannot be attached to`(source: String, expected: String) {
    #expect(Expansion(source).complaints == [expected])
  }
}
