import Foundation
import RoostTestSupport
import Testing

@testable import RoostTool

/// The tool on rows of a subclass, and on parts of stored structs.
@Suite struct SubclassCommandTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("zoo.roost")
    try ZooFixture.make(path)
  }

  private func csv(_ entity: String, _ words: String...) -> String {
    let found = Transcript.run(["query", path, entity, "--format", "csv"] + words)
    return found.ending == .good ? found.output : found.errors
  }

  private func count(_ entity: String) -> String { Transcript.of("query", path, entity, "--count").output }

  // MARK: Rows of a subclass

  @Test func `verify and info count the objects of each class`() {
    for command in ["verify", "info"] {
      let text = Transcript.of(command, path).output
      for line in ["ZooAnimal: 6 rows", "ZooDog: 3 rows", "ZooPuppy: 1 row", "ZooCat: 2 rows"] {
        #expect(text.contains(line), "\(command): \(text)")
      }
    }
  }

  @Test func `a class lists its own rows and those of its subclasses`() {
    #expect(csv("ZooAnimal", "--columns", "name") == "name\nWorm\nRex\nBit\nTom\nTripod\nIna\n")
    #expect(
      csv("ZooDog", "--columns", "name,tricks,@class") == """
        name,tricks,@class
        Rex,3,ZooDog
        Bit,1,ZooPuppy
        Tripod,5,ZooDog

        """)
    #expect(
      csv("ZooPuppy", "--columns", "name,tricks,weeks,keeper.name") == "name,tricks,weeks,keeper.name\nBit,1,9,Bob\n")
    // A class without its own properties.
    #expect(csv("ZooCat", "--columns", "#,name") == "#,name\n#4,Tom\n#6,Ina\n")
    #expect(["ZooAnimal", "ZooDog", "ZooPuppy", "ZooCat"].map(count) == ["6\n", "3\n", "1\n", "2\n"])
  }

  @Test func `the columns are those of the class`() {
    let dog = csv("ZooDog", "--sort", "name", "--limit", "1")
    let names: Set<Substring> = ["@class", "legs", "name", "keeper", "note", "tricks", "ZooPuppy/weeks"]
    #expect(dog.split(separator: "\n").first.map { Set($0.split(separator: ",")) } == names, "\(dog)")
    let cat = csv("ZooCat", "--limit", "1")
    #expect(
      cat.split(separator: "\n").first.map { Set($0.split(separator: ",")) } == ["@class", "legs", "name"], "\(cat)")
  }

  @Test func `conditions, orders and groups know the class's own properties`() {
    #expect(csv("ZooDog", "tricks > 1 && legs == 4", "--columns", "name") == "name\nRex\n")
    #expect(csv("ZooDog", "--sort", "-tricks", "--columns", "name", "--limit", "2") == "name\nTripod\nRex\n")
    #expect(csv("ZooDog", "keeper.name == \"Ann\"", "--sort", "name", "--columns", "name") == "name\nRex\nTripod\n")
    #expect(
      csv("ZooDog", "--group-by", "keeper.name", "--count", "--sum", "tricks")
        == "keeper.name,count,sum(tricks)\nAnn,2,8\nBob,1,1\n")
    #expect(csv("ZooPuppy", "weeks == 9", "--columns", "weeks * 7") == "weeks * 7\n63\n")
    let classes = csv("ZooAnimal", "--group-by", "@class", "--count")
    #expect(classes.contains("ZooDog,") && classes.contains("ZooPuppy,1\n"), "\(classes)")
    #expect(classes.split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix("Zoo") }, "\(classes)")
  }

  @Test func `an error about a subclass's property names the subclass`() {
    let found = Transcript.of("query", path, "ZooAnimal", "tricks > 1")
    #expect(
      found.ending == .usage && found.errors.contains("its subclass ZooDog has: ask for the rows of ZooDog"), "\(found)"
    )
    let cat = Transcript.of("query", path, "ZooCat", "trick > 1")
    #expect(cat.ending == .usage && cat.errors.contains("ZooCat has no 'trick'"), "\(cat)")
    #expect(!cat.errors.contains("ZooDog/"), "\(cat)")
  }

  @Test func `one row is printed if it is of the class`() {
    let rex = Transcript.of("get", path, "ZooDog", "Rex")
    #expect(
      rex.output.contains("ZooDog #2") && rex.output.contains("tricks          3") && rex.output.contains("keeper → "),
      "\(rex)")
    #expect(Transcript.of("get", path, "ZooDog", "#4").errors.contains("there is no ZooDog '#4'"))
    #expect(Transcript.of("get", path, "ZooCat", "Rex").ending == .failed)
  }

  @Test func `rows of a subclass are changed and deleted`() throws {
    let set = Transcript.of("set", path, "ZooDog", "tricks = tricks + 1, legs = 4", "name != \"Bit\"", "--yes")
    #expect(set.output == "Done: Change 2 rows of ZooDog\n", "\(set)")
    #expect(csv("ZooDog", "--columns", "name,legs,tricks") == "name,legs,tricks\nRex,4,4\nBit,4,1\nTripod,4,6\n")
    let all = Transcript.of("set", path, "ZooAnimal", "legs = 9", "--all", "--yes")
    #expect(all.output == "Done: Change 6 rows of ZooAnimal\n")
    let wrong = Transcript.of("set", path, "ZooDog", "tricks = nil", "--all", "--yes")
    #expect(wrong.ending == .usage && wrong.errors.contains("'tricks' must have a value in ZooDog"), "\(wrong)")
    let gone = Transcript.of("delete", path, "ZooPuppy", "--all", "--yes")
    #expect(gone.output == "Done: Delete 1 row of ZooAnimal\n", "\(gone)")
    #expect(count("ZooAnimal") == "5\n")
    #expect(Transcript.of("verify", path).ending == .good)
  }

  @Test func `a deletion does not remove a required reference of a subclass`() {
    let gone = Transcript.of("delete", path, "ZooKeeper", "name == \"Ann\"", "--yes")
    #expect(gone.ending == .failed && gone.errors.contains("keeper of ZooAnimal #2 must have a value"), "\(gone)")
    #expect(count("ZooKeeper") == "2\n")
    let insert = Transcript.of("insert", path, "ZooDog", "name = \"X\"", "--yes")
    #expect(insert.ending == .failed && insert.errors.contains("by an import into ZooAnimal"), "\(insert)")
  }

  @Test func `the error of an import into a subclass names the class to import into`() throws {
    let table = folder.file("t.csv")
    try Data("name,legs\nMax,4\n".utf8).write(to: URL(filePath: table))
    let refused = Transcript.of("import", path, "ZooDog", table)
    #expect(
      refused.ending == .failed && refused.errors.contains("import into ZooAnimal with a column '@class'"), "\(refused)"
    )
    #expect(refused.errors.contains("'ZooDog/name'"))
    let cats = folder.file("cats.csv")
    try Data("name,legs,@class\nKit,4,ZooCat\n".utf8).write(to: URL(filePath: cats))
    #expect(Transcript.of("import", path, "ZooAnimal", cats).ending == .good)
    #expect(count("ZooCat") == "3\n")
    let unknown = Transcript.of("query", path, "ZooCta")
    #expect(unknown.errors.contains("no 'ZooCta'. Did you mean 'ZooCat'? It has 'ZooAnimal'"), "\(unknown)")
  }

  @Test func `an export of a subclass has its rows`() throws {
    let text = Transcript.of("export", path, "ZooDog", "tricks < 4", "--format", "jsonl")
    #expect(text.output.split(separator: "\n").count == 2 && text.output.contains("\"tricks\": 3"), "\(text)")
    #expect(!text.output.contains("ZooDog/"))
  }

  @Test func `two stores are compared by a subclass`() throws {
    let copy = folder.file("copy.roost")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    _ = Transcript.of("set", copy, "ZooDog", "tricks = 8", "name == \"Rex\"", "--yes")
    _ = Transcript.of("delete", copy, "ZooCat", "name == \"Tom\"", "--yes")
    let dogs = Transcript.of("diff", path, copy, "--entity", "ZooDog")
    #expect(dogs.output.hasSuffix("ZooDog: 0 added, 0 removed, 1 changed\n") && !dogs.output.contains("#4"), "\(dogs)")
    let all = Transcript.of("diff", path, copy)
    #expect(all.output.hasSuffix("ZooAnimal: 0 added, 1 removed, 1 changed\n"), "\(all)")
    #expect(Transcript.of("diff", path, copy, "--entity", "ZooPuppy").ending == .good)
    #expect(Transcript.of("diff", path, copy, "--entity", "ZooCat", "--by", "key").output.contains("1 removed"))
  }

  @Test func `counts in reports and the history`() {
    let info = Transcript.of("info", path)
    #expect(info.output.contains("ZooDog: 3 rows") && info.output.contains("ZooAnimal: 6 rows"), "\(info)")
    let history = Transcript.of("history", path, "--entity", "ZooDog")
    #expect(history.ending == .failed && history.errors.contains("ask for the history of ZooAnimal"), "\(history)")
  }

  // MARK: Parts of structs

  @Test func `parts of structs are conditions, orders, columns and groups`() {
    #expect(csv("ZooKeeper", "home.city == \"Kiel\"", "--columns", "name,home.city") == "name,home.city\nBob,Kiel\n")
    #expect(csv("ZooKeeper", "--sort", "-home.city", "--columns", "name") == "name\nBob\nAnn\n")
    #expect(csv("ZooKeeper", "--group-by", "home.street.name", "--count") == "home.street.name,count\n,1\nAm Hof,1\n")
    #expect(csv("ZooKeeper", "office?.street?.number ?? 0 > 0", "--columns", "name") == "name\nBob\n")
    #expect(csv("ZooKeeper", "office == nil", "--columns", "name") == "name\nAnn\n")
    #expect(
      csv("ZooKeeper", "home.street != nil && office == nil", "--columns", "big = home.street.number * 2") == "big\n6\n"
    )
    #expect(csv("ZooDog", "keeper.home.city == \"Bonn\"", "--columns", "name") == "name\nRex\nTripod\n")
    #expect(
      csv("ZooKeeper", "dogs.contains { $0.keeper?.home.city == \"Bonn\" }", "--columns", "name").contains(
        "no 'keeper'"))
  }

  @Test(arguments: [
    ("home", "this is a struct, and a condition is true or false"), ("home.cty == \"x\"", "Did you mean 'city'?"),
    ("home.city.x == 1", "has no 'x'"), ("home == office", "a struct is compared with nil only"),
    ("office.street.name.count > \"a\"", "Int64"),
  ])
  func `a wrong use of a struct is explained`(_ condition: String, _ wanted: String) {
    let found = Transcript.of("query", path, "ZooKeeper", condition)
    #expect(found.ending == .usage && found.errors.contains(wanted), "\(found)")
  }

  @Test func `a struct has no order and is no column`() {
    for words in [["--sort", "home"], ["--group-by", "home"], ["--columns", "home"]] {
      let found = Transcript.run(["query", path, "ZooKeeper"] + words)
      #expect(found.ending == .usage && found.errors.contains("this is a struct: name one of its parts"), "\(found)")
    }
  }
}
