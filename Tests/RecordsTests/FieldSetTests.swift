import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// Sets of fields by their places, including places after the 64th.
@Suite struct FieldSetTests {
  @Test(arguments: UInt64(1)...4) func `a set of fields agrees with a set of numbers`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    func make() -> (FieldSet, Set<Int>) {
      var (fields, numbers) = (FieldSet(), Set<Int>())
      for _ in 0..<generator.below(6) {
        let place = [0, 1, 62, 63, 64, 65, 200, 3999][generator.below(8)]
        fields.insert(place)
        numbers.insert(place)
      }
      return (fields, numbers)
    }
    for _ in 0..<200 {
      let (one, first) = make()
      let (other, second) = make()
      #expect(one.isDisjoint(with: other) == first.isDisjoint(with: second))
      #expect(one.isEmpty == first.isEmpty && one.count == first.count)
      #expect([0, 1, 62, 63, 64, 65, 200, 3999].allSatisfy { one.contains($0) == first.contains($0) })
    }
  }

  @Test func `a change of a late field of many reaches the row, its index and the log`() throws {
    var fileSystem = SimulatedFileSystem()
    var store = try RecordStore("/a.roost", fileSystem: fileSystem)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Wide") { (entity) throws(RecordFault) in
          for number in 0..<80 { try entity.add("f\(number)", .int32) }
        }
        try catalog.add(index: "late", of: "Wide", on: ["f70"])
      }
      try writer.table("Wide").insert(["f3": .int(3), "f70": .int(1)])
      try writer.table("Wide").insert(["f70": .int(2)])
    }
    try store.write { try $0.table("Wide").update(RowID(1), ["f70": .int(5), "f79": .int(9)]) }
    // All unsynced data is lost, and the log is replayed.
    fileSystem = fileSystem.crashPoint().image(CrashChoice.none)
    store = try RecordStore("/a.roost", fileSystem: fileSystem)
    try store.read { reader in
      let table = try reader.table("Wide")
      let values = try #require(try table.values(RowID(1)))
      #expect(values["f3"] == .int(3) && values["f4"] == .int(0))
      #expect(values["f70"] == .int(5) && values["f79"] == .int(9))
      let index = try #require(table.index("late"))
      var cursor = try index.cursor()
      var rows: [RowID] = []
      while try cursor.next() { rows.append(try cursor.row()) }
      #expect(rows == [RowID(2), RowID(1)])
    }
    try store.close()
  }
}
