#if Postgres
  import Foundation
  import RoostPostgres
  import SwiftData
  import Synchronization
  import Testing

  private enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Other.self] }
    @Model final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Other {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }
  private enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, First.Other.self] }
    @Model final class Item {
      var name: String
      var count = 1
      init(_ name: String) { self.name = name }
    }
  }
  private enum Third: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [First.Item.self, First.Other.self] }
  }
  private enum Optional {
    @Model final class Item {
      var name: String
      var note: String?
      init(_ name: String) { self.name = name }
    }
  }
  private enum Wider {
    @Model final class Item {
      var name: String
      var first: Int8 = 1
      init(_ name: String) { self.name = name }
    }
  }
  private enum Family {
    @Model class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @available(macOS 26, *) @Model final class Special: Item {
      var extra: Int
      var note: String = "none"
      init(_ name: String, _ extra: Int) {
        self.extra = extra
        super.init(name)
      }
    }
  }
  private enum Moved {
    @Model class Item {
      var name: String
      var extra: Int?
      init(_ name: String) { self.name = name }
    }
    @available(macOS 26, *) @Model final class Special: Item {
      var note: String = "none"
      override init(_ name: String) { super.init(name) }
    }
  }

  @Suite(.server) struct VersionShapeTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    @Test func `models of an older version are refused, unless their tables are the same`() throws {
      try ground.save(ground.open(First.self), [First.Item("a")])
      let second = try ground.open(Second.self)
      #expect(try second.fetch(FetchDescriptor<Second.Item>()).map(\.count) == [1])
      let error = refusal { _ = try ground.open(First.self) }
      #expect(error?.code == .newerModels)
      #expect(error?.detail.contains("2.0.0") == true)
      // Models without a version count as the first one.
      #expect(refusal { _ = try ground.open(First.Item.self) }?.code == .newerModels)
      #expect(refusal { _ = try ground.open(First.Other.self) } == nil)
      // A later version may equal the first one.
      let third = try ground.open(Third.self)
      #expect(try third.fetchCount(FetchDescriptor<First.Item>()) == 1)
      try ground.save(third, [First.Item("b")])
      #expect(refusal { _ = try ground.open(Second.self) }?.code == .newerModels)
    }

    @Test func `models without a version are refused if they lack a required property`() throws {
      try ground.save(ground.open(First.Item.self), [First.Item("a")])
      let newer = try ground.open(Second.Item.self)
      let error = refusal { _ = try ground.open(First.Item.self) }
      #expect(error?.code == .newerModels)
      #expect(error?.detail.contains("Item.count") == true)
      try ground.save(newer, [Second.Item("b")])
    }

    @Test func `models without a version work side by side if they can`() throws {
      let older = try ground.open(First.Item.self)
      try ground.save(older, [First.Item("a")])
      let newer = try ground.open(Optional.Item.self)
      try ground.save(newer, [Optional.Item("b")])
      let again = try ground.open(First.Item.self)
      try ground.save(again, [First.Item("c")])
      try ground.save(older, [First.Item("d")])
      #expect(Set(try newer.fetch(FetchDescriptor<Optional.Item>()).map(\.name)) == ["a", "b", "c", "d"])
      // The older program did not mark the column as left.
      #expect(try ground.value("SELECT (shape #>> '{tables,0,columns,1,isLeft}') FROM @.roost_store") == "false")
    }

    @Test func `tables that other models made are left alone`() throws {
      _ = try ground.open(First.Other.self)
      _ = try ground.open(Second.Item.self)
      try ground.save(ground.open(First.Other.self), [First.Other("a")])
      #expect(try ground.open(First.Other.self, Second.Item.self).fetchCount(FetchDescriptor<First.Other>()) == 1)
    }

    @available(macOS 26, *)
    @Test func `subclasses come later`() throws {
      try ground.save(ground.open(First.Item.self), [First.Item("a")])
      let context = try ground.open(Family.Item.self, Family.Special.self)
      try ground.save(context, [Family.Special("b", 3)])
      #expect(try context.fetchCount(FetchDescriptor<Family.Item>()) == 2)
      #expect(try context.fetch(FetchDescriptor<Family.Special>()).map(\.extra) == [3])
      #expect(
        try ground.sql("SELECT class, special_note FROM @.item ORDER BY name") == [
          ["Item", nil], ["Special", "none"],
        ])
    }

    @available(macOS 26, *)
    @Test func `a property moves to the superclass`() throws {
      try ground.save(ground.open(Family.Item.self, Family.Special.self), [Family.Special("b", 3), Family.Item("c")])
      let context = try ground.open(Moved.Item.self, Moved.Special.self)
      let items = try context.fetch(FetchDescriptor<Moved.Item>(sortBy: [.init(\.name)]))
      #expect(items.map(\.extra) == [3, nil])
    }

    @Test func `many programs that start at once make the tables once`() throws {
      let ground = ground
      let failures = Mutex<[String]>([])
      let types: [[any PersistentModel.Type]] = [
        [First.Item.self, First.Other.self], [Optional.Item.self], [First.Other.self], [Wider.Item.self],
      ]
      DispatchQueue.concurrentPerform(iterations: 16) { number in
        do {
          let context = ModelContext(try ground.container(Schema(types[number % 4])))
          if number % 4 == 1 { try ground.save(context, [Optional.Item("\(number)")]) }
        } catch { failures.withLock { $0.append("\(number): \(error)") } }
      }
      let found = failures.withLock { $0 }
      // The models without `first` come too late: the table requires it.
      #expect(found.allSatisfy { $0.contains("newerModels") }, "\(found)")
      #expect(try ground.value("SELECT count(*)::text FROM @.roost_store") == "1")
    }

    @Test func `many programs with the same models start at once`() throws {
      let ground = ground
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 8) { number in
        do { try ground.save(ground.open(Second.self), [Second.Item("\(number)")]) } catch {
          failures.withLock { $0.append("\(number): \(error)") }
        }
      }
      #expect(failures.withLock { $0 } == [])
      #expect(try ground.open(Second.self).fetchCount(FetchDescriptor<Second.Item>()) == 8)
    }

    @Test func `a second start writes nothing`() throws {
      _ = try ground.open(Second.self)
      let before = try ground.value("SELECT xmin::text FROM @.roost_store")
      _ = try ground.open(Second.self)
      #expect(try ground.value("SELECT xmin::text FROM @.roost_store") == before)
    }

    @Test func `names of rules that are too long are truncated`() throws {
      _ = try ground.open(
        AVeryLongClassNameOfAModelThatIsUnwieldy.self, AnotherVeryLongClassNameThatIsReferenced.self)
      let rules = try ground.rules("a_very_long_class_name_of_a_model_that_is_unwieldy")
      #expect(rules.count == 4)
      #expect(rules.allSatisfy { $0.utf8.count <= 63 })
      #expect(rules.contains { $0.hasSuffix("_fkey") })
      #expect(rules.contains { $0.hasSuffix("_key") })
      #expect(rules.contains { $0.hasSuffix("_idx") })
    }
  }

  @Model private final class AVeryLongClassNameOfAModelThatIsUnwieldy {
    @Attribute(.unique) var aPropertyWithALongName: String
    var anotherPropertyWithALongName: AnotherVeryLongClassNameThatIsReferenced?
    init() { aPropertyWithALongName = "" }
  }
  @Model private final class AnotherVeryLongClassNameThatIsReferenced {
    var name: String
    init() { name = "" }
  }
#endif
