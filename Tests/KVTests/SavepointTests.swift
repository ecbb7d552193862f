import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostKV

/// Trees and tables that a program continues to use after a savepoint was rolled back.
///
/// Before the fix, a handle kept the draft from before the rollback. Its next change was lost, was
/// written to pages that had been freed, or failed with `damaged` or `truncated` although the file
/// was sound.
@Suite struct SavepointTests {
  private static let path = "/store.roost"
  private struct Refused: Error {}

  private func undo(_ writer: Writer, _ body: () throws -> Void) throws {
    do {
      try writer.savepoint {
        try body()
        throw Refused()
      }
    } catch is Refused {}
  }

  @Test func `a tree and a table can be used after a rollback`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try store.write { writer in
      let (tree, table) = (try writer.tree("stock"), try writer.table("numbers"))
      try tree.put("pears", "4")
      try table.put(4, "four")
      try undo(writer) {
        try tree.put("apples", "-1")
        try tree.remove("pears")
        try table.put(5, "five")
      }
      #expect(tree.count == 1 && table.count == 1)
      #expect(try tree.string("pears") == "4" && tree.string("apples") == nil)
      try tree.put("apples", "0")
      try table.put(6, "six")
      #expect(try tree.string("apples") == "0" && table.string(6) == "six" && table.string(5) == nil)
    }
    try check(store)
    // The log contains the same.
    let copy = fileSystem.crashImage(.all)
    try check(try KeyValueStore(Self.path, options: Care.options, fileSystem: copy))
    try store.close()
    try check(try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem))
  }

  private func check(_ store: KeyValueStore) throws {
    try store.read { reader in
      let (tree, table) = (try reader.tree("stock"), try reader.table("numbers"))
      #expect(try tree.count == 2 && tree.string("pears") == "4" && tree.string("apples") == "0")
      #expect(try table.count == 2 && table.string(4) == "four" && table.string(6) == "six")
    }
    #expect(try store.verify().findings == [])
  }

  @Test func `a tree of a rolled back savepoint is gone, even if another tree has its number`() throws {
    let store = try KeyValueStore(inMemory: StoreSettings())
    try store.write { writer in
      var lost: WritableTree?
      try undo(writer) {
        lost = try writer.tree("lost")
        try lost?.put("a", "1")
      }
      let tree = try #require(lost)
      let other = try writer.tree("other")
      #expect(tree.id == other.id)
      let error = #expect(throws: StoreError.self) { try tree.put("a", "2") }
      #expect(error?.code == .notFound && error?.description.contains("get it again by its name") == true)
      #expect(tree.count == 0 && other.count == 0)
      try other.put("b", "3")
    }
    #expect(try store.read { try $0.names() } == ["other"])
    #expect(try store.read { try $0.tree("other").count } == 1)
  }

  @Test func `a dropped tree takes no more values, and its pages stay free`() throws {
    let store = try KeyValueStore(inMemory: StoreSettings())
    try store.write { writer in
      let (tree, other) = (try writer.tree("stock"), try writer.table("numbers"))
      try tree.put("pears", "4")
      try writer.drop("stock")
      let error = #expect(throws: StoreError.self) { try tree.put("pears", "5") }
      #expect(error?.code == .notFound && error?.description.contains("was dropped") == true)
      #expect(throws: StoreError.self) { try tree.remove("pears") }
      let next = try writer.tree("stock")
      try next.put("apples", "1")
      // Another tree has the name.
      #expect(throws: StoreError.self) { try tree.put("pears", "6") }
      #expect(tree.count == 0 && next.count == 1)
      #expect(throws: StoreError.self) { try tree.string("pears") }
      #expect(throws: StoreError.self) { try tree.contains("pears") }
      try other.put(1, "one")
      try undo(writer) { try writer.drop("stock") }
      try next.put("pears", "7")
    }
    #expect(try store.read { try $0.tree("stock").count } == 2)
    #expect(try store.read { try $0.table("numbers").count } == 1)
    #expect(try store.verify().findings == [])
  }

  @Test func `a renamed tree can be used after a rollback, under the name that stays`() throws {
    let store = try KeyValueStore(inMemory: StoreSettings())
    try store.write { writer in
      let tree = try writer.tree("stock")
      try tree.put("pears", "4")
      try undo(writer) {
        try writer.rename("stock", to: "lost")
        try tree.put("plums", "1")
      }
      #expect(try tree.string("pears") == "4" && tree.string("plums") == nil)
      try writer.rename("stock", to: "ware")
      _ = try writer.tree("other")
      try writer.drop("other")
      try undo(writer) {}
      #expect(try tree.string("pears") == "4" && tree.count == 1)
      try tree.put("apples", "2")
    }
    #expect(try store.read { try $0.tree("ware").count } == 2)
    #expect(try store.verify().findings == [])
  }

  @Test func `a table cannot be filled by an old handle`() throws {
    let store = try KeyValueStore(inMemory: StoreSettings())
    try store.write { writer in
      var lost: WritableTable?
      try undo(writer) { lost = try writer.table("lost") }
      #expect(throws: StoreError.self) { try lost?.build(from: [(1 as UInt64, "a")]) }
      let table = try writer.table("lost")
      try undo(writer) { try table.put(1, "b") }
      try table.build(from: [(1 as UInt64, "a"), (2, "b")])
      #expect(table.count == 2)
    }
    #expect(try store.read { try $0.table("lost").count } == 2)
  }

  @Test(arguments: 0..<40)
  func `by seed, nested savepoints leave the same values as a dictionary`(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let store = try KeyValueStore(inMemory: StoreSettings())
    var model: [String: String] = [:]
    func play(_ tree: WritableTree, _ writer: Writer, depth: Int) throws {
      for _ in 0..<Int.random(in: 0..<30, using: &generator) {
        let key = "key \(Int.random(in: 0..<200, using: &generator))"
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
          try tree.remove(key)
          model[key] = nil
        case 1 where depth < 3:
          let before = model
          let isUndone = Bool.random(using: &generator)
          do {
            try writer.savepoint {
              try play(tree, writer, depth: depth + 1)
              if isUndone { throw Refused() }
            }
          } catch is Refused { model = before }
        default:
          let value = String(repeating: "v", count: Int.random(in: 0..<400, using: &generator))
          try tree.put(key, value)
          model[key] = value
        }
      }
    }
    for _ in 0..<4 {
      try store.write { writer in try play(try writer.tree("t"), writer, depth: 0) }
      try store.read { reader in
        let tree = try reader.tree("t")
        #expect(tree.count == model.count, "seed \(seed)")
        for (key, value) in model { #expect(try tree.string(key) == value, "seed \(seed)") }
      }
    }
    #expect(try store.verify().findings == [], "seed \(seed)")
  }
}
