import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

@Suite struct KeyValueStoreTests {
  @Test func `written values are read, even after reopening`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    var store = try KeyValueStore(path)
    try store.write { writer in
      let tree = try writer.tree("titles")
      for index in 0..<5000 { try tree.put("key \(index)", "value \(index)") }
      let table = try writer.table("rows")
      for index in 0..<5000 { try table.put(UInt64(index), [UInt8](repeating: 7, count: index % 300)) }
    }
    func check() throws {
      try store.read { reader in
        let tree = try reader.tree("titles")
        #expect(tree.count == 5000)
        for index in stride(from: 0, to: 5000, by: 7) { #expect(try tree.string("key \(index)") == "value \(index)") }
        #expect(try tree.value("absent") == nil)
        let table = try reader.table("rows")
        #expect(try table.value(299)?.count == 299)
        #expect(try table.rank(of: 100) == 100)
      }
    }
    try check()
    try store.close()
    #expect(try DiskFileSystem.shared.exists(path + "-log") == false)
    store = try KeyValueStore(path)
    try check()
    try store.close()
  }

  /// Two openings of one file share one store. Before the fix, the first one was closed and then
  /// released, which closed it again, and so closed the store of the second one.
  @Test func `closing twice closes only the first opening`() throws {
    let fileSystem = SimulatedFileSystem()
    let options = StoreOptions()
    var first: KeyValueStore? = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    let second = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    try first?.close()
    first = nil
    try second.write { try $0.tree("t").put("a", "1") }
    #expect(try second.read { try $0.tree("t").string("a") } == "1")
    try second.close()
    try second.close()
    #expect(fileSystem.paths == ["/a.roost"])
  }

  /// Before the fix, a closed read-only store opened its file again when it was refreshed.
  @Test func `a closed store stays closed`() throws {
    let fileSystem = SimulatedFileSystem()
    var options = StoreOptions()
    let owner = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    options.readOnly = true
    let reader = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    try reader.close()
    #expect(throws: StoreError.self) { try reader.refresh() }
    #expect(throws: StoreError.self) { try reader.read { _ in } }
    try owner.close()
  }

  @Test(arguments: [10, 2_000_000, 20_000_000])
  func `a value of any size is read back`(count: Int) throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 8)) }
    for durability in [RoostKV.Durability.full, .relaxed] {
      let store = try KeyValueStore(path)
      try store.write(durability) { try $0.tree("big").put("a", value) }
      #expect(try store.read { try $0.tree("big").value("a") } == value)
      try store.checkpoint()
      #expect(try store.read { try $0.tree("big").value("a") } == value)
      try store.close()
    }
    let store = try KeyValueStore(path)
    #expect(try store.read { try $0.tree("big").value("a") } == value)
    try store.write { try $0.tree("big").remove("a") }
    try store.close()
  }

  @Test func `after a crash the log is replayed`() throws {
    let fileSystem = SimulatedFileSystem()
    var options = StoreOptions()
    options.segmentBytes = 1 << 16
    options.checkpointing = .manual
    let store = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    for round in 0..<20 {
      try store.write { writer in
        let tree = try writer.tree("t")
        for index in 0..<100 { try tree.put("\(round * 37 + index)", "\(round)") }
      }
    }
    let image = fileSystem.crashImage(.none)
    let again = try KeyValueStore("/a.roost", options: options, fileSystem: image)
    let (count, value) = try again.read { reader in
      let tree = try reader.tree("t")
      return (tree.count, try tree.string("799"))
    }
    #expect(count == 37 * 19 + 100)
    #expect(value == "19")
    try again.close()
    try store.close()
  }
}
