import RoostFile
import RoostTestSupport
import Testing

/// The stores of rows of every version of the format, which must always be readable: see
/// `Sources/RoostTestSupport/Golden`.
@Suite struct GoldenRowsTests {
  @Test(arguments: GoldenVersion.all.flatMap { version in version.rows.map { (version.version, $0) } })
  func `a store of rows of every version is read, changed and made again`(version: UInt32, name: String) throws {
    let golden = try #require(GoldenVersion.all.first { $0.version == version })
    let sample = try golden.sample(name)
    #expect(golden.complaints(aboutRows: sample) == [])
    let folder = try ScratchFolder()
    #expect(golden.complaints(aboutRows: sample, in: DiskFileSystem.shared, at: folder.file("golden.roost")) == [])
  }

  @Test func `a present version has every kind of store of rows, and is small`() throws {
    let golden = try #require(GoldenVersion.all.last)
    #expect(golden.rows == GoldenRows.allCases.map(\.rawValue))
    #expect(try golden.packedBytes(golden.rows) < 91_000)
  }

  @Test func `a change of golden rows is noticed`() throws {
    let golden = try #require(GoldenVersion.all.last)
    for name in golden.rows {
      var sample = try golden.sample(name)
      sample.contents = sample.contents.replacing("Owner 4: ", with: "Owner 4: other ")
      #expect(golden.complaints(aboutRows: sample) != [])
    }
  }

  @Test func `the same actions make the same bytes of rows`() throws {
    let made = try GoldenRows.allCases.map { try $0.make().files.masked }
    let again = try GoldenRows.allCases.map { try $0.make().files.masked }
    #expect(made == again)
    #expect(made[0].log == nil && made[1].log != nil && made[2].log != nil)
  }
}
