import Foundation
import SwiftData
import Testing

enum Price: Codable, Equatable { case free, fixed(Int), range(low: Int, high: Int) }

enum Admission: String, Codable { case planned, open, over }

struct Venue: Codable, Hashable {
  var city: String
  var street: String?
}

@Model final class Festival {
  @Attribute(.unique) var name: String
  var admission = Admission.planned
  var price = Price.free
  var venue: Venue?
  var genres: [String] = []
  @Attribute(.externalStorage) var poster: Data?
  @Transient var isSelected = false
  var isOpen: Bool { admission == .open }
  @Relationship(deleteRule: .cascade, inverse: \Stage.festival) var stages: [Stage] = []

  init(_ name: String) { self.name = name }
}

@Model final class Stage {
  var name: String
  var festival: Festival?
  @Relationship(deleteRule: .deny, inverse: \Act.stage) var acts: [Act] = []
  @Relationship(inverse: \Volunteer.stages) var volunteers: [Volunteer] = []

  init(_ name: String) { self.name = name }
}

@Model final class Volunteer {
  var name: String
  var stages: [Stage] = []
  var lead: Volunteer?
  @Relationship(inverse: \Volunteer.lead) var team: [Volunteer] = []
  @Relationship(.mutual) var friends: [Volunteer] = []

  init(_ name: String) { self.name = name }
}

@Model final class Crew {
  @Relationship(minimumModelCount: 1, maximumModelCount: 3) var members: [Volunteer] = []

  init() {}
}

@Model class Act {
  var name: String
  var stage: Stage?

  init(_ name: String) { self.name = name }
}

@Model final class Talk: Act {
  var topic: String

  init(_ name: String, topic: String) {
    self.topic = topic
    super.init(name)
  }
}

enum LoosePairs {
  @Model final class Parcel {
    var sender: Resident?
    var receiver: Resident?
    var depot: Depot

    init(depot: Depot) { self.depot = depot }
  }

  @Model final class Resident {
    var sent: [Parcel] = []
    var received: [Parcel] = []

    init() {}
  }

  @Model final class Depot {
    var crates: [Crate] = []

    init() {}
  }

  @Model final class Crate {
    var depot: Depot

    init(depot: Depot) { self.depot = depot }
  }
}

/// The code of the guide to models and relationships.
@Suite struct ModelsAndRelationshipsGuideTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")

  @Test func `one side is set, rules are kept, and subclasses are found`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "festival.roost")
    let container = try ModelContainer(
      for: Festival.self, Talk.self, Crew.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    var printed: [String] = []
    func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

    let rhine = Festival("Rhine")
    rhine.venue = Venue(city: "Bonn")
    rhine.stages = [Stage("Main"), Stage("Tent")]
    context.insert(rhine)
    try context.save()
    print(rhine.stages[0].festival?.name ?? "none")
    #expect(printed == ["Rhine"])

    let (ada, bob) = (Volunteer("Ada"), Volunteer("Bob"))
    ada.team = [bob]
    ada.friends = [bob]
    rhine.stages[0].volunteers = [ada, bob]
    print(bob.lead?.name ?? "none", bob.friends.map(\.name), bob.stages.map(\.name))
    #expect(printed.last == #"Ada ["Ada"] ["Main"]"#)
    try context.save()

    rhine.stages[0].acts = [Act("Kraan")]
    context.delete(rhine)
    do {
      try context.save()
    } catch let error as RoostError where error.code == .denied {
      print(error)
      context.rollback()
    }
    #expect(!rhine.isDeleted && rhine.stages.count == 2)
    let message = try #require(printed.last)
    #expect(message.hasPrefix("denied: Stage 1.acts: it cannot be deleted while it references Act"))
    #expect(message.hasSuffix(": delete that too, or remove it from the relationship first"))

    rhine.stages[1].acts = [Act("Kraan"), Talk("Ann", topic: "noise")]
    let acts = try context.fetch(FetchDescriptor<Act>(sortBy: [SortDescriptor(\.name)]))
    let talks = try context.fetch(FetchDescriptor<Act>(predicate: #Predicate { ($0 as? Talk)?.topic == "noise" }))
    #expect(acts.map(\.name) == ["Ann", "Kraan"] && talks.map(\.name) == ["Ann"])

    context.insert(Crew())
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .count)
    context.rollback()
  }

  @Test func `values are stored as the table says`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try ModelContainer(
      for: Festival.self, configurations: ModelConfiguration(url: folder.appending(path: "values.roost")))
    let context = ModelContext(container)
    let rhine = Festival("Rhine")
    (rhine.venue, rhine.price, rhine.genres) = (Venue(city: "Bonn"), .range(low: 1, high: 4), ["rock"])
    rhine.poster = Data(repeating: 7, count: 100_000)
    rhine.isSelected = true
    context.insert(rhine)
    try context.save()

    let fresh = ModelContext(container)
    let price = Price.range(low: 1, high: 4)
    let inStore: [Predicate<Festival>] = [
      #Predicate { $0.venue?.city == "Bonn" }, #Predicate { $0.admission == .planned },
      #Predicate { $0.genres.contains("rock") },
    ]
    for predicate in inStore {
      let descriptor = FetchDescriptor<Festival>(predicate: predicate)
      #expect(try fresh.fetchCount(descriptor) == 1)
      #expect(try !"\(fresh.explain(descriptor))".contains("in memory"))
    }
    let inMemory: [Predicate<Festival>] = [#Predicate { $0.price == price }, #Predicate { !$0.isOpen }]
    for predicate in inMemory {
      let descriptor = FetchDescriptor<Festival>(predicate: predicate)
      #expect(try fresh.fetchCount(descriptor) == 1)
      #expect(try "\(fresh.explain(descriptor))".contains("in memory"))
    }
    let found = try #require(try fresh.fetch(FetchDescriptor<Festival>()).first)
    #expect(found.poster == rhine.poster && !found.isSelected)
    try container.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["values.roost"])
  }

  @Test func `subclasses, pairs and required references work as the page says`() throws {
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    let unnamed = ModelContext(try ModelContainer(for: Stage.self, configurations: memory))
    let stage = Stage("Main")
    unnamed.insert(stage)
    stage.acts = [Talk("Ann", topic: "noise")]
    let unknown = #expect(throws: RoostError.self) { try unnamed.save() }
    #expect(unknown?.code == .unknownModel)

    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: LoosePairs.Parcel.self, configurations: memory)
    }

    let required = ModelContext(try ModelContainer(for: LoosePairs.Depot.self, configurations: memory))
    let depot = LoosePairs.Depot()
    required.insert(depot)
    let crate = LoosePairs.Crate(depot: depot)
    #expect(crate.modelContext === required && depot.crates.count == 1)
    try required.save()
    required.delete(depot)
    let denied = #expect(throws: RoostError.self) { try required.save() }
    #expect(denied?.code == .denied)
  }
}
