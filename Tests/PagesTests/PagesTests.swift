import RoostBytes
import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

/// A store through its public functions: written values are read, in every way of ending.
@Suite struct StoreTests {
  private let fileSystem = SimulatedFileSystem()

  @Test func `committed values are read, even after closing and opening`() throws {
    let store = try Store.words(fileSystem)
    try store.write { writer throws(StoreError) in
      for index in 0..<100 { try writer.set(index, UInt64(index) * 3) }
    }
    #expect(try store.read { reader throws(StoreError) in try reader.word(99) } == 297)
    #expect(try store.findings() == [])
    try store.close()
    #expect(fileSystem.paths == ["/a.roost"])
    let again = try Store.words(fileSystem)
    #expect(try again.read { reader throws(StoreError) in try reader.word(99) } == 297)
    #expect(try again.findings() == [])
    try again.close()
  }
}
