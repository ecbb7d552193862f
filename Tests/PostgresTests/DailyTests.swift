#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  private enum Daily {
    @Model final class Owner {
      @Attribute(.unique) var n: String
      var pass: Pass?
      @Relationship(deleteRule: .cascade, inverse: \Child.owner) var children: [Child] = []
      @Relationship(inverse: \Tag.owners) var tags: [Tag] = []
      init(_ n: String) { self.n = n }
    }

    @Model final class Pass {
      var number: Int
      @Relationship(inverse: \Owner.pass) var owner: Owner?
      init(_ number: Int) { self.number = number }
    }

    @Model final class Child {
      #Unique<Child>([\.owner, \.name])
      var name: String
      var owner: Owner?
      init(_ name: String) { self.name = name }
    }

    @Model final class Tag {
      @Attribute(.unique) var title: String
      var owners: [Owner] = []
      init(_ title: String) { self.title = title }
    }
  }

  /// Everyday operations of programs.
  @Suite(.server) struct DailyTests {
    fileprivate typealias Owner = Daily.Owner
    fileprivate typealias Child = Daily.Child
    fileprivate typealias Tag = Daily.Tag
    private let ground: Ground

    init() throws { ground = try Ground() }

    private func open() throws -> ModelContext {
      ModelContext(try ground.container(Schema([Owner.self, Daily.Pass.self, Child.self, Tag.self])))
    }

    /// An owner with three children, in a context that fetched only the owner.
    private func unread() throws -> (ModelContext, Owner) {
      let filling = try open()
      let owner = Owner("a")
      filling.insert(owner)
      owner.children = ["1", "2", "3"].map { Child($0) }
      owner.pass = Daily.Pass(7)
      try filling.save()
      let context = try open()
      return (context, try #require(try context.fetch(FetchDescriptor<Owner>()).first))
    }

    private func names() throws -> [[String]] {
      let context = try open()
      return try context.fetch(FetchDescriptor<Owner>(sortBy: [SortDescriptor(\.n)])).map { $0.children.map(\.name) }
    }

    @Test func `an unloaded object can be deleted`() throws {
      let (context, owner) = try unread()
      context.delete(owner.children[1])
      try context.save()
      #expect(try names() == [["1", "3"]])
      #expect(try open().fetchCount(FetchDescriptor<Child>()) == 2)
    }

    @Test func `unloaded objects leave a list, and join another one`() throws {
      let (context, owner) = try unread()
      owner.children.remove(at: 0)
      try context.save()
      #expect(try names() == [["2", "3"]])
      let second = try open()
      let again = try #require(try second.fetch(FetchDescriptor<Owner>()).first)
      let other = Owner("b")
      second.insert(other)
      // A loaded object can move to another list at once.
      let moved = again.children[1]
      #expect(moved.name == "3")
      other.children.append(moved)
      try second.save()
      #expect(try names() == [["2"], ["3"]])
      let third = try open()
      for owner in try third.fetch(FetchDescriptor<Owner>()) { owner.children.removeAll() }
      try third.save()
      #expect(try names() == [[], []])
      #expect(try open().fetchCount(FetchDescriptor<Child>()) == 3)
    }

    @Test func `a new object that is merged into a stored one keeps that one's relationships`() throws {
      _ = try unread()
      let context = try open()
      context.insert(Owner("a"))
      try context.save()
      let seen = try open()
      let owner = try #require(try seen.fetch(FetchDescriptor<Owner>()).first)
      #expect(owner.pass?.number == 7)
      #expect(owner.children.map(\.name) == ["1", "2", "3"])
      #expect(try seen.fetchCount(FetchDescriptor<Owner>()) == 1)
    }

    @Test func `new objects with the same unique value are merged`() throws {
      let context = try open()
      let owner = Owner("a")
      let child = Child("1")
      child.owner = owner
      context.insert(child)
      try context.save()
      #expect(try names() == [["1"]])
      // Two new objects with a stored unique value, both referenced.
      let before = Tag("x")
      context.insert(before)
      try context.save()
      let second = try open()
      let (b, c) = (Owner("b"), Owner("c"))
      second.insert(b)
      second.insert(c)
      b.tags = [Tag("x")]
      c.tags = [Tag("x")]
      try second.save()
      let seen = try open()
      #expect(try seen.fetchCount(FetchDescriptor<Tag>()) == 1)
      #expect(try seen.fetch(FetchDescriptor<Tag>())[0].owners.count == 2)
    }

    @Test func `a place in a list does not restore a link that another program removed`() throws {
      let filling = try open()
      let owner = Owner("a")
      filling.insert(owner)
      owner.tags = ["1", "2", "3"].map { Tag($0) }
      try filling.save()
      var configuration = PostgresConfiguration(ground.address, namespace: ground.namespace)
      configuration.followsOthers = false
      let other = ModelContext(
        try ModelContainer(for: Owner.self, Daily.Pass.self, Child.self, Tag.self, configurations: configuration))
      let known = try #require(try other.fetch(FetchDescriptor<Owner>()).first)
      #expect(known.tags.map(\.title) == ["1", "2", "3"])
      owner.tags.removeLast()
      try filling.save()
      known.tags.swapAt(0, 2)
      try other.save()
      let seen = try open()
      let titles = try #require(try seen.fetch(FetchDescriptor<Owner>()).first).tags.map(\.title)
      #expect(Set(titles) == ["1", "2"])
    }

    @Test func `a child of an owner that another program deleted is refused with a remedy`() throws {
      let (context, owner) = try unread()
      let other = try open()
      other.delete(try #require(try other.fetch(FetchDescriptor<Owner>()).first))
      try other.save()
      owner.children.append(Child("late"))
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(error?.code == .deleted || error?.code == .conflict, "\(String(describing: error))")
      context.rollback()
      #expect(try context.fetch(FetchDescriptor<Owner>()).isEmpty)
    }

    @Test func `a tag that another program deleted meanwhile leaves the list, as in a file`() throws {
      let filling = try open()
      let (owner, tag) = (Owner("a"), Tag("x"))
      filling.insert(owner)
      filling.insert(tag)
      try filling.save()
      var configuration = PostgresConfiguration(ground.address, namespace: ground.namespace)
      configuration.followsOthers = false
      let other = ModelContext(
        try ModelContainer(for: Owner.self, Daily.Pass.self, Child.self, Tag.self, configurations: configuration))
      let known = try #require(try other.fetch(FetchDescriptor<Owner>()).first)
      let old = try #require(try other.fetch(FetchDescriptor<Tag>()).first)
      #expect(old.title == "x" && known.tags.isEmpty)
      filling.delete(tag)
      try filling.save()
      known.tags.append(old)
      known.tags.append(Tag("y"))
      try other.save()
      #expect(known.tags.map(\.title) == ["y"])
      #expect(
        try ground.sql("SELECT t.title FROM @.owner_tags AS l JOIN @.tag AS t ON t.zone = l.zone AND t.pk = l.member")
          == [["y"]])
    }

    @Test func `a new object can reference unloaded objects`() throws {
      _ = try unread()
      let context = try open()
      let child = try #require(try context.fetch(FetchDescriptor<Child>(sortBy: [SortDescriptor(\.name)])).first)
      let late = Child("late")
      // The owner is not loaded.
      late.owner = child.owner
      context.insert(late)
      try context.save()
      #expect(try names() == [["1", "2", "3", "late"]])
      let other = try open()
      let owner = try #require(try other.fetch(FetchDescriptor<Owner>()).first)
      let second = Owner("b")
      // The children are not loaded either.
      second.children = owner.children
      other.insert(second)
      try other.save()
      #expect(try names() == [[], ["1", "2", "3", "late"]])
    }

    @Test func `a fetch survives a connection that the server ended`() throws {
      let (context, _) = try unread()
      _ = try ground.sql(
        "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
          + "AND query LIKE '%\(ground.namespace)%'")
      #expect(try context.fetch(FetchDescriptor<Owner>()).count == 1)
      #expect(try context.fetchCount(FetchDescriptor<Child>()) == 3)
    }

    @Test func `a namespace that the server would truncate is refused at once`() {
      #expect(throws: RoostError.self) {
        try ModelContainer(
          for: Tag.self, Owner.self, Child.self, Daily.Pass.self,
          configurations: PostgresConfiguration(ground.address, namespace: String(repeating: "n", count: 60)))
      }
      #expect(throws: RoostError.self) { try PostgresConfiguration(ground.address, namespace: "").validate() }
    }
  }
#endif
