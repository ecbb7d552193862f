import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

/// The stores of every version of the format, which must be read for ever: see `Sources/RoostTestSupport/Golden`.
@Suite struct GoldenTests {
  @Test(arguments: GoldenVersion.all.flatMap { version in version.samples.map { (version.version, $0.name) } })
  func `a store of every version is read, changed and made again`(version: UInt32, name: String) throws {
    let golden = try #require(GoldenVersion.all.first { $0.version == version })
    let sample = try #require(golden.samples.first { $0.name == name })
    #expect(golden.complaints(about: sample) == [])
    let folder = try ScratchFolder()
    #expect(golden.complaints(about: sample, in: DiskFileSystem.shared, at: folder.file("golden.roost")) == [])
  }

  @Test func `a present version has every kind of store, and is small`() throws {
    let golden = try #require(GoldenVersion.all.last)
    #expect(golden.samples.map(\.name) == GoldenStore.allCases.map(\.rawValue))
    let bytes = golden.samples.reduce(0) { $0 + $1.data.utf8.count + ($1.log?.utf8.count ?? 0) }
    #expect(bytes < 50_000)
  }

  /// What is kept is not what happens to be read: another byte anywhere in use is noticed.
  @Test func `a golden store that was changed is noticed`() throws {
    let golden = try #require(GoldenVersion.all.last)
    var sample = try #require(golden.samples.first)
    sample.contents = sample.contents.replacing("\n", with: "\n0", maxReplacements: 2)
    #expect(golden.complaints(about: sample) != [])
    sample = try #require(golden.samples.first)
    var bytes = try #require(GoldenVersion.decode(sample.data))
    bytes[3 * 4096 + 20] ^= 1
    sample.data = GoldenVersion.encode(bytes)
    #expect(golden.complaints(about: sample) != [])
  }

  @Test func `the same actions make the same bytes, and others make others`() throws {
    let made = try GoldenStore.allCases.map { try $0.make().files.masked }
    let again = try GoldenStore.allCases.map { try $0.make().files.masked }
    #expect(made == again)
    #expect(made[0].log == nil && made[1].log != nil)
    #expect(Set(made.map(\.data)).count == made.count)
  }
}
