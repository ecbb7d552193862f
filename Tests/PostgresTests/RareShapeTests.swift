#if Postgres
  import Foundation
  import SwiftData
  import Testing

  import RoostPostgres

  /// A node with references in both directions and a child table.
  private enum Graph {
    @Model final class Node {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Node.parent) var children: [Node] = []
      var parent: Node?
      init(_ name: String) { self.name = name }
    }
  }
  private enum GraphNeeded {
    @Model final class Node {
      var name: String
      var weight: Int = 3
      var note: String?
      @Relationship(deleteRule: .cascade, inverse: \Node.parent) var children: [Node] = []
      var parent: Node?
      init(_ name: String) { self.name = name }
    }
  }
  private enum GraphTight {
    @Model final class Node {
      var name: String
      var weight: Int = 3
      var note: String = "some"
      @Relationship(deleteRule: .nullify, inverse: \Node.parent) var children: [Node] = []
      var parent: Node?
      init(_ name: String) { self.name = name }
    }
  }

  /// One to one. The first side in the order of names stores it.
  private enum Couple {
    @Model final class Husband {
      var name: String
      var wife: Wife?
      init(_ name: String) { self.name = name }
    }
    @Model final class Wife {
      var name: String
      @Relationship(inverse: \Husband.wife) var husband: Husband?
      init(_ name: String) { self.name = name }
    }
  }
  /// One to one. The other side stores it, because it requires a partner.
  private enum Bound {
    @Model final class Husband {
      var name: String
      var wife: Wife?
      init(_ name: String) { self.name = name }
    }
    @Model final class Wife {
      var name: String
      @Relationship(inverse: \Husband.wife) var husband: Husband
      init(_ name: String, _ husband: Husband) { (self.name, self.husband) = (name, husband) }
    }
  }

  /// The list has no inverse, because the reference is that of another list.
  private enum Apart {
    @Model final class Team {
      var name: String
      var people: [Person] = []
      @Relationship(inverse: \Person.team) var more: [Person] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Person {
      var name: String
      var team: Team?
      init(_ name: String) { self.name = name }
    }
  }
  private enum Joined {
    @Model final class Team {
      var name: String
      @Relationship(inverse: \Person.team) var people: [Person] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Person {
      var name: String
      var team: Team?
      init(_ name: String) { self.name = name }
    }
  }

  private enum Flat {
    @Model final class Dog {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }
  @available(macOS 26, *) private enum Deep {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Dog: Animal {
      var age: Int = 1
      override init(_ name: String) { super.init(name) }
    }
  }

  private enum Free {
    @Model final class Item {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }
  private enum Coded {
    @Model final class Item {
      var name: String
      @Attribute(.unique) var code: Int = 0
      init(_ name: String) { self.name = name }
    }
  }
  private enum Noted {
    @Model final class Item {
      var name: String
      var note: String?
      init(_ name: String) { self.name = name }
    }
  }

  @Model private final class URLItem {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model private final class UrlItem {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model private final class RoostStore {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Suite(.server) struct RareShapeTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    @Test func `rows with references get values, and their table becomes stricter, in one transaction`() throws {
      let context = try ground.open(Graph.Node.self)
      let root = Graph.Node("root")
      context.insert(root)
      root.children = ["b", "a"].map { Graph.Node($0) }
      try context.save()
      _ = try ground.open(GraphNeeded.Node.self)
      let tight = try ground.open(GraphTight.Node.self)
      let nodes = try tight.fetch(FetchDescriptor<GraphTight.Node>(sortBy: [.init(\.name)]))
      #expect(nodes.map(\.note) == ["some", "some", "some"])
      #expect(nodes.map(\.weight) == [3, 3, 3])
      #expect(nodes[2].children.map(\.name) == ["b", "a"])
      // A program that keeps running has old rows.
      root.name = "changed"
      try context.save()
      let changed = try ground.open(GraphTight.Node.self).fetch(FetchDescriptor<GraphTight.Node>())
      #expect(changed.first { $0.name == "changed" }?.weight == 3)
    }

    @Test func `a relationship between one and one moves to its other side`() throws {
      let context = try ground.open(Couple.Husband.self, Couple.Wife.self)
      for name in ["a", "b"] {
        let husband = Couple.Husband(name)
        context.insert(husband)
        husband.wife = Couple.Wife(name + "'s")
      }
      try context.save()
      #expect(try ground.type("husband", "wife") == "uuid")
      let bound = try ground.open(Bound.Husband.self, Bound.Wife.self)
      let wives = try bound.fetch(FetchDescriptor<Bound.Wife>(sortBy: [.init(\.name)]))
      #expect(wives.map(\.husband.name) == ["a", "b"])
      #expect(wives.allSatisfy { $0.husband.wife === $0 })
      #expect(try ground.type("husband", "wife") == nil)
      #expect(try ground.isNullable("wife", "husband") == false)
    }

    @Test func `a relationship does not move to its other side while rows there have none`() throws {
      let context = try ground.open(Couple.Husband.self, Couple.Wife.self)
      context.insert(Couple.Wife("alone"))
      try context.save()
      let error = refusal { _ = try ground.open(Bound.Husband.self, Bound.Wife.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("Wife.husband") == true)
      #expect(try ground.type("husband", "wife") == "uuid")
    }

    @Test func `a chain of one class changes its side when the name of its holder changes`() throws {
      let context = try ground.open(Chain.Link.self)
      let links = ["a", "b", "c"].map { Chain.Link($0) }
      for link in links { context.insert(link) }
      (links[0].next, links[1].next) = (links[1], links[2])
      try context.save()
      let turned = try ground.open(ChainTurned.Link.self)
      let found = try turned.fetch(FetchDescriptor<ChainTurned.Link>(sortBy: [.init(\.name)]))
      #expect(found.map { $0.successor?.name } == ["b", "c", nil])
      #expect(found.map { $0.previous?.name } == [nil, "a", "b"])
      #expect(try ground.type("link", "next") == nil)
      #expect(refusal { _ = try ground.open(Chain.Link.self) }?.code == .newerModels)
    }

    @available(macOS 26, *)
    @Test func `a relationship to a subclass needs objects of it`() throws {
      let context = try ground.open(Kennel.Animal.self, Kennel.Dog.self, Kennel.Owner.self)
      for pet in [Kennel.Animal("cat"), Kennel.Dog("dog")] {
        let owner = Kennel.Owner(pet.name)
        context.insert(owner)
        owner.pet = pet
      }
      try context.save()
      func open() throws -> ModelContext {
        try ground.open(DogKennel.Animal.self, DogKennel.Dog.self, DogKennel.Owner.self)
      }
      let error = refusal { _ = try open() }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("Owner.pet") == true)
      #expect(error?.detail.contains("1 row") == true)
      try ground.sql("UPDATE @.owner SET pet = NULL WHERE name = 'cat'")
      let dogs = try open()
      let owners = try dogs.fetch(FetchDescriptor<DogKennel.Owner>(sortBy: [.init(\.name)]))
      #expect(owners.map { $0.pet?.name } == [nil, "dog"])
    }

    @Test func `two relationships do not become one`() throws {
      _ = try ground.open(Apart.Team.self, Apart.Person.self)
      let error = refusal { _ = try ground.open(Joined.Team.self, Joined.Person.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("two relationships") == true)
    }

    @Test func `one relationship becomes two with the same members`() throws {
      let context = try ground.open(Joined.Team.self, Joined.Person.self)
      let team = Joined.Team("t")
      context.insert(team)
      team.people = ["b", "a"].map { Joined.Person($0) }
      try context.save()
      let apart = try ground.open(Apart.Team.self, Apart.Person.self)
      let found = try #require(try apart.fetch(FetchDescriptor<Apart.Team>()).first)
      #expect(found.people.map(\.name) == ["b", "a"])
      #expect(found.people.allSatisfy { $0.team === found })
    }

    @available(macOS 26, *)
    @Test func `a class with rows does not get a superclass, nor lose it`() throws {
      try ground.save(ground.open(Flat.Dog.self), [Flat.Dog("a")])
      let error = refusal { _ = try ground.open(Deep.Animal.self, Deep.Dog.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("Dog") == true)
      let other = try Ground()
      try other.save(other.open(Deep.Animal.self, Deep.Dog.self), [Deep.Dog("b")])
      let second = refusal { _ = try other.open(Flat.Dog.self) }
      #expect(second?.code == .needsMigration)
      #expect(second?.detail.contains("1 row") == true)
      try other.sql("ALTER TABLE @.animal DROP COLUMN class")
      #expect(refusal { _ = try other.open(Deep.Animal.self, Deep.Dog.self) }?.code == .changedTables)
    }

    @Test func `a new unique property whose default several rows would have is refused`() throws {
      try ground.save(ground.open(Free.Item.self), [Free.Item("a"), Free.Item("b")])
      let error = refusal { _ = try ground.open(Coded.Item.self) }
      #expect(error?.code == .needsMigration)
      #expect(error?.detail.contains("Item.code") == true)
      #expect(error?.detail.contains("\"0\" in 2 rows") == true)
    }

    @Test func `a left column that another program changed is not used again`() throws {
      _ = try ground.open(Noted.Item.self)
      _ = try ground.open(Free.Item.self)
      try ground.sql("ALTER TABLE @.item ALTER COLUMN note TYPE bytea USING NULL")
      #expect(refusal { _ = try ground.open(Free.Item.self) } == nil)
      let error = refusal { _ = try ground.open(Noted.Item.self) }
      #expect(error?.code == .newerModels || error?.code == .foreignTables)
    }

    @Test func `a left column that another program dropped is made again`() throws {
      _ = try ground.open(Noted.Item.self)
      _ = try ground.open(Free.Item.self)
      try ground.sql("ALTER TABLE @.item DROP COLUMN note")
      _ = try ground.open(Coded.Item.self)
      #expect(refusal { _ = try ground.open(Noted.Item.self) }?.code == .newerModels)
    }

    @Test func `classes with similar names in SQL have separate tables`() throws {
      try ground.save(ground.open(URLItem.self), [URLItem("a")])
      try ground.save(ground.open(UrlItem.self), [UrlItem("b")])
      let both = try ground.open(UrlItem.self, URLItem.self)
      #expect(try both.fetch(FetchDescriptor<URLItem>()).map(\.name) == ["a"])
      #expect(try both.fetch(FetchDescriptor<UrlItem>()).map(\.name) == ["b"])
    }

    @Test func `models may have the names of the store's own tables`() throws {
      try ground.save(ground.open(RoostStore.self), [RoostStore("a")])
      #expect(try ground.open(RoostStore.self).fetch(FetchDescriptor<RoostStore>()).map(\.name) == ["a"])
    }

    @Test func `erasing removes links that no model uses`() throws {
      let context = try ground.open(Apart.Team.self, Apart.Person.self)
      let team = Apart.Team("t")
      context.insert(team)
      team.people = [Apart.Person("a")]
      try context.save()
      let store = try PostgresStore(
        PostgresConfiguration(
          ground.address, schema: Schema([Bare.Team.self, Bare.Person.self]), namespace: ground.namespace),
        migrationPlan: nil)
      try store.erase()
      #expect(try ground.value("SELECT count(*)::text FROM @.team_people") == "0")
      #expect(try ground.value("SELECT count(*)::text FROM @.team") == "0")
    }
  }

  private enum Chain {
    @Model final class Link {
      var name: String
      var next: Link?
      @Relationship(inverse: \Link.next) var previous: Link?
      init(_ name: String) { self.name = name }
    }
  }
  /// The side with the reference has the later name now.
  private enum ChainTurned {
    @Model final class Link {
      var name: String
      @Relationship(originalName: "next") var successor: Link?
      @Relationship(inverse: \Link.successor) var previous: Link?
      init(_ name: String) { self.name = name }
    }
  }

  @available(macOS 26, *) private enum Kennel {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Dog: Animal {
      var age: Int = 1
      override init(_ name: String) { super.init(name) }
    }
    @Model final class Owner {
      var name: String
      var pet: Animal?
      init(_ name: String) { self.name = name }
    }
  }
  @available(macOS 26, *) private enum DogKennel {
    @Model class Animal {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Dog: Animal {
      var age: Int = 1
      override init(_ name: String) { super.init(name) }
    }
    @Model final class Owner {
      var name: String
      var pet: Dog?
      init(_ name: String) { self.name = name }
    }
  }

  private enum Bare {
    @Model final class Team {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Person {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }
#endif
