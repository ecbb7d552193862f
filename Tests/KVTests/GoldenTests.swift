import Foundation
import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

/// The stores of every version of the format, which must always be readable: see
/// `Sources/RoostTestSupport/Golden`.
@Suite struct GoldenTests {
  @Test(arguments: GoldenVersion.all.flatMap { version in version.samples.map { (version.version, $0) } })
  func `a store of every version is read, changed and made again`(version: UInt32, name: String) throws {
    let golden = try #require(GoldenVersion.all.first { $0.version == version })
    let sample = try golden.sample(name)
    #expect(golden.complaints(about: sample) == [])
    let folder = try ScratchFolder()
    #expect(golden.complaints(about: sample, in: DiskFileSystem.shared, at: folder.file("golden.roost")) == [])
  }

  @Test func `a present version has every kind of store, and is small`() throws {
    let golden = try #require(GoldenVersion.all.last)
    #expect(golden.samples == GoldenStore.allCases.map(\.rawValue))
    #expect(try golden.packedBytes(golden.samples) < 37_500)
  }

  /// The test compares all bytes, not only those that are read: another byte anywhere in use is
  /// noticed.
  @Test func `a change of a golden store is noticed`() throws {
    let golden = try #require(GoldenVersion.all.last)
    let right = try golden.sample("closed")
    var sample = right
    sample.contents = sample.contents.replacing("\n", with: "\n0", maxReplacements: 2)
    #expect(golden.complaints(about: sample) != [])
    sample = right
    sample.files.data[3 * 4096 + 20] ^= 1
    #expect(golden.complaints(about: sample) != [])
  }

  /// The command writes the stored golden store byte for byte. A missing or truncated file is an
  /// error.
  @Test func `a version that is written again equals the stored one, and needs each of its files`() throws {
    let golden = try #require(GoldenVersion.all.last)
    let folder = try ScratchFolder()
    let entry = try GoldenVersion.write(version: golden.version, into: folder.path)
    if GoldenStore.library == golden.library {
      for name in golden.samples + golden.rows {
        let (kept, made) = (try golden.sample(name), try golden.sample(name, in: folder.path))
        #expect(kept.files == made.files && kept.contents == made.contents, "\(name)")
      }
      #expect(entry == "GoldenVersion(\(golden.version), library: 10904, \(golden.samples), rows: \(golden.rows)),")
    }
    // It overwrites no version.
    #expect(throws: (any Error).self) { try GoldenVersion.write(version: golden.version, into: folder.path) }
    let file = folder.file("\(golden.version)/rows-stopped")
    try FileManager.default.removeItem(atPath: file + ".data")
    let missing = #expect(throws: WrongAnswer.self) { try golden.sample("rows stopped", in: folder.path) }
    #expect("\(try #require(missing))".contains("rows-stopped.data cannot be read"))
    let cut = folder.file("\(golden.version)/stopped.log")
    let bytes = try #require(FileManager.default.contents(atPath: cut))
    try bytes.dropLast(5).write(to: URL(filePath: cut))
    let error = #expect(throws: WrongAnswer.self) { try golden.sample("stopped", in: folder.path) }
    #expect("\(try #require(error))".contains("stopped.log cannot be unpacked"))
    // Without its log a stopped store has less than its contents list.
    try FileManager.default.removeItem(atPath: cut)
    #expect(golden.complaints(about: try golden.sample("stopped", in: folder.path)) != [])
    #expect(throws: WrongAnswer.self) { try golden.sample("a store that no version has") }
  }

  @Test func `the same actions make the same bytes, and other actions make other bytes`() throws {
    let made = try GoldenStore.allCases.map { try $0.make().files.masked }
    let again = try GoldenStore.allCases.map { try $0.make().files.masked }
    #expect(made == again)
    #expect(made[0].log == nil && made[1].log != nil)
    #expect(Set(made.map(\.data)).count == made.count)
  }
}
