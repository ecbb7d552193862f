import RoostFile
import RoostTestSupport
import Testing

/// The state of a simulated file after a crash.
@Suite struct SimulatedCrashTests {
  private let fileSystem = SimulatedFileSystem()
  private let file: any StorageFile

  init() throws {
    file = try fileSystem.open("/a", .writeOrCreate)
    try fileSystem.syncDirectory(of: "/a")
  }

  private func sector(_ byte: UInt8, count: Int = 512) -> [UInt8] { [UInt8](repeating: byte, count: count) }

  /// The content of `/a` after the crash, one letter for each sector: its first byte if the sector
  /// is whole, else `?`.
  private func letters(_ choice: CrashChoice) -> String {
    letters(fileSystem.crashImage(choice).contents(of: "/a") ?? [])
  }

  private func letters(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 512).reduce(into: "") { text, start in
      let sector = bytes[start..<min(start + 512, bytes.count)]
      let whole = sector.allSatisfy { $0 == sector.first }
      text += whole ? String(Unicode.Scalar(sector.first == 0 ? UInt8(ascii: ".") : sector.first!)) : "?"
    }
  }

  @Test func `a synced write survives a crash`() throws {
    try file.write(sector(65), at: 0)
    try file.sync()
    #expect(letters(.none) == "A")
    #expect(fileSystem.durableContents(of: "/a") == sector(65))
  }

  @Test func `an unsynced write can be lost`() throws {
    try file.write(sector(65), at: 0)
    try file.sync()
    try file.write(sector(66), at: 0)
    #expect(letters(.none) == "A")
    #expect(letters(.all) == "B")
    #expect(try file.bytes(512) == sector(66))
  }

  @Test func `a write is torn at 512 bytes and nowhere else`() throws {
    try file.write(sector(65, count: 2048), at: 0)
    try file.sync()
    try file.write(sector(66, count: 1536), at: 256)
    #expect(fileSystem.crashPoint().units.count == 4)
    let seen = Set(fileSystem.crashImages(CrashPolicy(garbage: 0)).map { letters($0.contents(of: "/a")!) })
    #expect(seen.count == 16)
    #expect(seen.isSuperset(of: ["AAAA", "ABAA", "?BB?", "?AAA", "AAA?"]))
  }

  @Test func `the size and the bytes of a growing write are independent`() throws {
    try file.write(sector(65), at: 0)
    #expect(fileSystem.crashPoint().units.count == 2)
    #expect(letters(.keep(0)) == ".")
    #expect(letters(.keep(1)) == "")
    #expect(letters(.all) == "A")
  }

  @Test func `bytes written before a cut do not come back when the file grows again`() throws {
    try file.write(sector(65, count: 1024), at: 0)
    try file.sync()
    try file.truncate(to: 512)
    try file.truncate(to: 1024)
    #expect(letters(.all) == "A.")
    #expect(letters(.keep(0)) == "A")
    #expect(letters(.none) == "AA")
    #expect(letters(.keep(1)) == "AA")
  }

  @Test func `bytes after the size that a crash left do not show when the image grows`() throws {
    try file.write(sector(65), at: 0)
    let image = fileSystem.crashImage(.keep(1))
    let copy = try image.open("/a", .write)
    #expect(try copy.size() == 0)
    try copy.truncate(to: 512)
    #expect(try copy.bytes(512) == sector(0))
  }

  @Test func `later writes of one sector replace earlier ones`() throws {
    for byte in UInt8(65)...70 { try file.write(sector(byte), at: 0) }
    #expect(letters(.all) == "F")
    #expect(letters(.prefix(3)) == "B")
    #expect(letters(.drop(6)) == "E")
  }

  @Test func `a file whose name is not synced can vanish with its synced bytes`() throws {
    let other = try fileSystem.open("/folder/b", .writeOrCreate)
    try other.write(sector(66), at: 0)
    try other.sync()
    #expect(fileSystem.crashImage(.none).paths == ["/a"])
    #expect(fileSystem.crashImage(.all).contents(of: "/folder/b") == sector(66))
    try fileSystem.syncDirectory(of: "/a")
    #expect(fileSystem.crashImage(.none).paths == ["/a"], "another folder was synced")
    try fileSystem.syncDirectory(of: "/folder/b")
    #expect(fileSystem.crashImage(.none).contents(of: "/folder/b") == sector(66))
  }

  @Test func `a synced name of an unsynced file is an empty file`() throws {
    try fileSystem.open("/b", .writeOrCreate).write(sector(66), at: 0)
    try fileSystem.syncDirectory(of: "/b")
    #expect(fileSystem.crashImage(.none).contents(of: "/b") == [])
  }

  @Test func `a rename is kept or lost as a whole`() throws {
    try file.write(sector(65), at: 0)
    try file.sync()
    let other = try fileSystem.open("/b", .writeOrCreate)
    try other.write(sector(66), at: 0)
    try other.sync()
    try fileSystem.syncDirectory(of: "/b")
    try fileSystem.rename("/b", to: "/a")
    let images = fileSystem.crashImages().map { ($0.paths, letters($0.contents(of: "/a")!)) }
    #expect(images.count == 2)
    #expect(images[0] == (["/a", "/b"], "A"))
    #expect(images[1] == (["/a"], "B"))
    try fileSystem.syncDirectory(of: "/a")
    #expect(fileSystem.crashImage(.none).paths == ["/a"])
  }

  @Test func `a removal and a link wait for the folder's sync`() throws {
    try fileSystem.link("/a", to: "/b")
    try fileSystem.remove("/a")
    #expect(fileSystem.paths == ["/b"])
    let seen = fileSystem.crashImages().map(\.paths)
    #expect(seen == [["/a"], ["/a", "/b"], [], ["/b"]])
    try fileSystem.syncDirectory(of: "/a")
    #expect(fileSystem.crashImage(.none).paths == ["/b"])
  }

  @Test func `a removed file stays readable while it is open and cannot come back after the sync`() throws {
    try file.write(sector(65), at: 0)
    try file.sync()
    try fileSystem.remove("/a")
    #expect(try file.bytes(512) == sector(65))
    #expect(fileSystem.crashImage(.none).contents(of: "/a") == sector(65))
    try fileSystem.syncDirectory(of: "/a")
    #expect(fileSystem.crashImage(.none).paths.isEmpty)
    #expect(try file.bytes(512) == sector(65))
  }

  @Test func `changes of several files and names are in the order of their calls`() throws {
    let files = try ["/b", "/c", "/d"].map { path throws(StoreError) in try fileSystem.open(path, .writeOrCreate) }
    for round in 0..<3 as Range<UInt64> {
      for file in files.reversed() { try file.write(sector(65), at: round * 512) }
    }
    let order = fileSystem.crashPoint().units.map(\.description)
    let names = ["/b = file 2", "/c = file 3", "/d = file 4"]
    let writes = (0..<3).flatMap { round in
      [4, 3, 2].flatMap { ["file \($0) grows to \(round * 512 + 512)", "file \($0) bytes \(round * 512)+512"] }
    }
    #expect(order == names + writes)
  }

  @Test func `a rename onto another name of the same file does nothing`() throws {
    try fileSystem.link("/a", to: "/b")
    try fileSystem.rename("/a", to: "/b")
    #expect(fileSystem.paths == ["/a", "/b"])
  }

  @Test func `a removed file can come back under a name that another folder's sync did not settle`() throws {
    let other = try fileSystem.open("/folder/b", .writeOrCreate)
    try other.write(sector(66), at: 0)
    try other.sync()
    try fileSystem.remove("/folder/b")
    try fileSystem.syncDirectory(of: "/a")
    #expect(fileSystem.crashImage(.prefix(1)).contents(of: "/folder/b") == sector(66))
    #expect(fileSystem.crashImage(.all).paths == ["/a"])
  }

  @Test func `an image is a separate disk at rest`() throws {
    try file.write(sector(65), at: 0)
    #expect(try file.lock())
    fileSystem.inject(FaultRule(.read, .error(ErrorNumber.io), forever: true))
    let image = fileSystem.crashImage(.all)
    let copy = try image.open("/a", .write)
    #expect(try copy.lock())
    #expect(try copy.bytes(512) == sector(65))
    #expect(image.crashPoint().units.isEmpty)
    #expect(image.durableContents(of: "/a") == sector(65))
    try copy.write(sector(66), at: 0)
    #expect(fileSystem.contents(of: "/a") == sector(65))
    #expect(letters(.all) == "A")
    try file.write(sector(67), at: 0)
    #expect(image.contents(of: "/a") == sector(66))
  }

  @Test func `a crash point does not change while the file system is used`() throws {
    try file.write(sector(65), at: 0)
    let point = fileSystem.crashPoint()
    try file.write(sector(66), at: 0)
    try file.sync()
    #expect(letters(point.image(.all).contents(of: "/a")!) == "A")
    #expect(point.image(.none).contents(of: "/a") == [])
    #expect(point.step == 3)
  }
}
