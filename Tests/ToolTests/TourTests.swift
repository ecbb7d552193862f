import Foundation
import RoostKV
import RoostTestSupport
import Testing

@testable import RoostTool

/// The tour must pass on a sound engine, and must fail as soon as one answer is wrong.
@Suite(.serialized) struct TourTests {
  /// The program itself, which lies beside the tests.
  private static let program =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("roost").path

  private func tour(_ folder: ScratchFolder, count: Int = 2500) -> Tour {
    let console = Console(isTerminal: false, hasColours: false) { _, _ in }
    return Tour(
      console: console, folder: folder.path, flock: Flock(count: count), program: Self.program, flips: 3)
  }

  @Test(arguments: [7, 2500])
  func `the whole tour passes`(count: Int) throws {
    let folder = try ScratchFolder()
    let tour = tour(folder, count: count)
    try tour.run()
    #expect(Transcript.of("verify", tour.path).ending == .good)
    #expect(Transcript.of("verify", tour.damagedPath).ending == .failed)
  }

  @Test func `numbers in scattered order are each number once`() {
    for count in [1, 2, 3, 10, 618, 1000, 7919] {
      let flock = Flock(count: count)
      #expect(Set((0..<count).map { flock.number(at: $0) }) == Set(0..<count))
    }
  }

  @Test(arguments: ["missing", "more", "wrong"])
  func `a store that is not what was filled fails the tour`(fault: String) throws {
    let folder = try ScratchFolder()
    let tour = tour(folder)
    _ = try tour.fill()
    let store = try KeyValueStore(tour.path)
    try store.write { writer in
      let tree = try writer.tree(Flock.tree)
      switch fault {
      case "missing": try tree.remove(Flock.key(77))
      case "more": try tree.put("bird/more", "x")
      default: try tree.put(Flock.key(77), "0123456789abcdef house martin, 1 g")
      }
    }
    #expect(throws: CheckFailure.self) { try tour.checkAll(store) }
    try store.close()
    #expect(throws: CheckFailure.self) {
      _ = try tour.scan()
      _ = try tour.count()
    }
  }

  @Test func `commits that are lost, torn or too many fail the tour`() throws {
    let folder = try ScratchFolder()
    let store = try KeyValueStore(folder.file("a.roost"))
    func put(_ keys: Range<UInt64>) throws {
      try store.write { writer in
        let table = try writer.table(Witness.table)
        for key in keys { try table.put(key, Witness.value(key)) }
      }
    }
    try put(Witness.keys(of: 1))
    try put(Witness.keys(of: 2))
    #expect(try Witness.examine(store, acknowledged: 2).commits == 2)
    #expect(try Witness.examine(store, acknowledged: 1).commits == 2)
    #expect(throws: CheckFailure.self) { try Witness.examine(store, acknowledged: 3) }
    #expect(throws: CheckFailure.self) { try Witness.examine(store, acknowledged: 0) }
    try put(8..<9)
    #expect(throws: CheckFailure.self) { try Witness.examine(store, acknowledged: 2) }
    try put(9..<13)
    try store.write { try $0.table(Witness.table).remove(3) }
    #expect(throws: CheckFailure.self) { try Witness.examine(store, acknowledged: 3) }
    try store.close()
  }

  @Test func `damage that is not noticed fails the tour`() throws {
    let folder = try ScratchFolder()
    let tour = tour(folder)
    _ = try tour.fill()
    let page = try #require(try tour.usedPages().last)
    // Nothing was flipped, so nothing can be noticed.
    #expect(throws: CheckFailure.self) { try tour.checkNoticed(page, tour.path) }
    try tour.flip(9, of: page, in: tour.path)
    #expect(throws: Never.self) { try tour.checkNoticed(page, tour.path) }
  }

  @Test func `a witness that cannot start, or ends by itself, fails the tour`() throws {
    let folder = try ScratchFolder()
    for program in ["/nowhere/roost", "/bin/true"] {
      var tour = tour(folder, count: 10)
      tour = Tour(console: tour.console, folder: tour.folder, flock: tour.flock, program: program)
      _ = try tour.fill()
      #expect(throws: CheckFailure.self) { try tour.crash() }
    }
  }

  @Test func `acknowledgements out of order are noticed`() throws {
    let folder = try ScratchFolder()
    let tour = tour(folder)
    func words(_ numbers: UInt64...) -> [UInt8] {
      numbers.flatMap { number in withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) } }
    }
    #expect(try tour.acknowledgements([]) == 0)
    #expect(try tour.acknowledgements(words(1, 2, 3)) == 3)
    #expect(try tour.acknowledgements(words(1, 2) + [3, 0]) == 2)
    #expect(throws: CheckFailure.self) { try tour.acknowledgements(words(1, 3)) }
  }
}
