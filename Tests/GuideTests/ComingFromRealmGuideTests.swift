import Foundation
import RoostImport
import SwiftData
import Testing

@Model final class Dog {
  @Attribute(.unique) var chip: Int
  var name: String
  var born: Date?
  var owners: [Owner] = []

  init(chip: Int, name: String) {
    self.chip = chip
    self.name = name
  }
}

@Model final class Owner {
  var name: String
  @Relationship(inverse: \Dog.owners) var dogs: [Dog] = []

  init(name: String) { self.name = name }
}

@Suite struct ComingFromRealmGuideTests {
  /// A file as Realm Studio writes it: two spaces for each level, dates as JavaScript prints them,
  /// and nested objects.
  private static func studio(_ count: Int) -> String {
    func dog(_ number: Int, _ blanks: String) -> String {
      let born = number % 3 == 0 ? "null" : "\"2020-05-01T12:30:00.\(100 + number % 900)Z\""
      return """
        \(blanks){
        \(blanks)  "chip": \(number),
        \(blanks)  "name": "dog \(number) \\"ü\\"\\n",
        \(blanks)  "born": \(born)
        \(blanks)}
        """
    }
    func owner(_ number: Int) -> String {
      let dogs = (0..<number % 4).map { dog(number + $0, "        ") }
      let list = dogs.isEmpty ? "[]" : "[\n\(dogs.joined(separator: ",\n"))\n      ]"
      return "    {\n      \"name\": \"owner \(number)\",\n      \"dogs\": \(list)\n    }"
    }
    let dogs = (0..<count + 3).map { dog($0, "    ") }.joined(separator: ",\n")
    let owners = (0..<count).map(owner).joined(separator: ",\n")
    return "{\n  \"Dog\": [\n\(dogs)\n  ],\n  \"Owner\": [\n\(owners)\n  ]\n}"
  }

  private func moved(_ json: String) throws -> (ModelContext, ImportReport) {
    let folder = try PageCommands.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(json.utf8).write(to: folder.appending(path: "old.json"))
    let container = try ModelContainer(for: Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let text = try Data(contentsOf: folder.appending(path: "old.json"))
    let classes = try JSONSerialization.jsonObject(with: text) as? [String: [[String: Any]]] ?? [:]
    let dogs = classes["Dog"] ?? []
    let owners = (classes["Owner"] ?? []).map { owner in
      var owner = owner
      owner["dogs"] = (owner["dogs"] as? [[String: Any]])?.map { $0["chip"] ?? NSNull() }
      return owner
    }
    try container.importer(for: Dog.self).run(.data(JSONSerialization.data(withJSONObject: dogs), .json))
    let report = try container.importer(for: Owner.self).run(
      .data(JSONSerialization.data(withJSONObject: owners), .json))
    return (ModelContext(container), report)
  }

  @Test func `a file of Realm Studio is moved to the last object`() throws {
    let (context, report) = try moved(Self.studio(500))
    #expect(report.progress.inserted == 500 && report.faults.isEmpty && report.unresolvedCount == 0)
    let dogs = try context.fetch(FetchDescriptor<Dog>(sortBy: [SortDescriptor(\.chip)]))
    #expect(dogs.count == 503)
    for (number, dog) in dogs.enumerated() {
      #expect(dog.chip == number && dog.name == "dog \(number) \"ü\"\n")
      let born = Date(timeIntervalSince1970: 1_588_336_200 + Double(100 + number % 900) / 1000)
      #expect(number % 3 == 0 ? dog.born == nil : abs(dog.born?.timeIntervalSince(born) ?? 1) < 0.000_001)
    }
    for owner in try context.fetch(FetchDescriptor<Owner>()) {
      let number = try #require(Int(owner.name.split(separator: " ")[1]))
      #expect(owner.dogs.map(\.chip) == (0..<number % 4).map { number + $0 })
    }
  }

  @Test func `the file of the page is imported`() throws {
    let page = try PageCommands.page("ComingFromRealm")
    let block = page.components(separatedBy: "```").first { $0.contains("\"Owner\": [") }
    let (context, _) = try moved(try #require(block))
    #expect(try context.fetch(FetchDescriptor<Owner>()).map { $0.dogs.map(\.name) } == [["Rex"]])
  }

  @Test func `dogs are written, found and sent`() async throws {
    let container = try ModelContainer(for: Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let owner = Owner(name: "Ada")
    let rex = Dog(chip: 7, name: "Rex")
    owner.dogs.append(rex)
    context.insert(owner)
    try context.save()
    #expect(rex.owners.map(\.name) == ["Ada"])

    let dogs = try context.fetch(
      FetchDescriptor<Dog>(predicate: #Predicate { $0.name.starts(with: "R") }, sortBy: [SortDescriptor(\.name)]))
    #expect(dogs.map(\.chip) == [7])

    let identifier = rex.persistentModelID
    let name = try await Task.detached { try container.snapshot(for: identifier, as: Dog.self)?.name }.value
    #expect(name == "Rex")
  }
}
