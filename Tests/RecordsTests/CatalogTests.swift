import RoostFile
import RoostTestSupport
import Testing

@testable import RoostRecords

/// A store describes itself, and a damaged description is noticed.
@Suite struct CatalogTests {
  static func library() throws -> Catalog {
    var catalog = Catalog()
    let artist = try catalog.add(entity: "Artist") { (entity) throws(RecordFault) in try entity.add("name", .string) }
    let album = try catalog.add(entity: "Album") { (entity) throws(RecordFault) in
      try entity.add("title", .string)
      try entity.add("artist", .reference(artist), isOptional: true)
    }
    try catalog.add(entity: "Track") { (entity) throws(RecordFault) in
      try entity.add("id", .string, isPreserved: true)
      try entity.add("title", .string)
      try entity.add("album", .reference(album), isOptional: true)
      try entity.add("genre", .string, isOptional: true)
      try entity.add("rating", .int16, isOptional: true, initial: .int(3))
      try entity.add(
        "notes", .array(.structure([.init("at", .plain(.date)), .init("text", .optional(.plain(.string)))])))
    }
    try catalog.add(index: "id", of: "Track", on: ["id"], isUnique: true)
    try catalog.add(index: "genre", of: "Track", on: ["genre", "title"], descending: ["title"])
    let rating = catalog.entity("Track")!.field("rating")!.id
    try catalog.add(index: "best", of: "Track", on: ["title"], tests: [.equals(rating, .int(5)), .isNotNull(rating)])
    return catalog
  }

  private func decoded(_ bytes: [UInt8]) throws(StoreError) -> Catalog {
    var result: Result<Catalog, StoreError>?
    bytes.withUnsafeBytes { bytes in
      do throws(StoreError) { result = .success(try Catalog(decoding: bytes)) } catch { result = .failure(error) }
    }
    return try result!.get()
  }

  @Test func `a catalog is read back from its bytes`() throws {
    let catalog = try Self.library()
    #expect(try decoded(catalog.encoded) == catalog)
    #expect(try decoded(Catalog().encoded) == Catalog())
  }

  @Test func `cases of fields are read back, and only a catalog with cases has the second form`() throws {
    var catalog = try Self.library()
    #expect(catalog.encoded.first == 1)
    try catalog.change(entity: "Track") { (entity) throws(RecordFault) in
      let marks = try entity.add("marks", .set(.optional(.plain(.int16))))
      for (id, cases) in [
        (entity.field("genre")!.id, [Value.string("rock"), .string("")]),
        (entity.field("rating")!.id, [.int(-1), .int(5)]),
        (marks, [.int(7)]),
      ] { entity.setCases(cases, of: id) }
    }
    let encoded = catalog.encoded
    #expect(encoded.first == 2)
    let again = try decoded(encoded)
    #expect(again == catalog && again.entity("Track")?.field("genre")?.cases == [.string("rock"), .string("")])
    // They do not affect the storage of rows.
    #expect(try !(again == Self.library()))
    var plain = catalog
    plain.forgetNotes()
    #expect(plain.storesRows(as: catalog) && plain != catalog && plain.encoded.first == 1)
    // A program that knows only the first form reports another number. A program that knows seven
    // refuses an eighth.
    var bytes = encoded
    bytes[0] = 8
    #expect(throws: StoreError.self) { try decoded(bytes) }
    #expect(failure { () throws(StoreError) in _ = try decoded(bytes) } == .futureVersion)
    // The first form has no cases.
    bytes[0] = 1
    #expect(failure { () throws(StoreError) in _ = try decoded(bytes) } == .damaged)
  }

  @Test func `the version of the models is read back, and only a catalog with one has the third form`() throws {
    var catalog = try Self.library()
    #expect(catalog.encoded.first == 1)
    let plain = catalog
    catalog.version = ModelVersion(
      "2.10.3",
      parts: [
        ModelVersion.Part("Track", fingerprint: .max - 5, digest: 7, parked: ["@parked genre", "old"]),
        ModelVersion.Part("Ünique", fingerprint: 0, digest: 7, parked: []),
      ], parked: ["Gone"])
    let bytes = catalog.encoded
    #expect(bytes.first == 3)
    #expect(try decoded(bytes) == catalog && catalog != plain && catalog.storesRows(as: plain))
    // Every shorter one is refused.
    for count in plain.encoded.count..<bytes.count {
      #expect(failure { () throws(StoreError) in _ = try decoded(Array(bytes[..<count])) } == .damaged, "\(count)")
    }
  }

  @Test func `an outline has names and types, in no order, and lists the differences`() throws {
    let catalog = try Self.library()
    let outline = try #require(catalog.outline("Track"))
    #expect(outline.fingerprint == catalog.outline("Track")?.fingerprint && outline.differences(from: outline).isEmpty)
    var other = outline
    let name = try #require(outline.properties.keys.sorted().first)
    other.properties[name] = "else"
    other.properties["more"] = "string"
    #expect(other.fingerprint != outline.fingerprint)
    #expect(
      Set(other.differences(from: outline)) == [
        "~ \(name): \(outline.properties[name] ?? "") → else", "+ more: string",
      ])
    #expect(outline.differences(from: other).contains("- more: string"))
  }

  @Test func `fields are added and removed, and their numbers are never used again`() throws {
    var catalog = try Self.library()
    let old = catalog.entity("Track")!
    try catalog.change(entity: "Track") { (entity) throws(RecordFault) in
      try entity.remove("notes")
      try entity.rename("genre", to: "kind")
      try entity.add("notes", .string, isOptional: true)
    }
    let new = catalog.entity("Track")!
    #expect(new.layouts.count == old.layouts.count + 1)
    #expect(new.field("kind")?.id == old.field("genre")?.id)
    #expect(new.field("notes")?.id != old.field("notes")?.id)
    #expect(try decoded(catalog.encoded) == catalog)
    // A change back to the former fields needs no further layout.
    try catalog.change(entity: "Track") { (entity) throws(RecordFault) in try entity.rename("kind", to: "genre") }
    #expect(catalog.entity("Track")!.layouts.count == new.layouts.count)
  }

  @Test func `an invalid change is refused with its name, and nothing has changed`() throws {
    let catalog = try Self.library()
    func fault(_ body: (inout Catalog) throws -> Void) -> RecordFault.Code? {
      var copy = catalog
      do {
        try body(&copy)
        return nil
      } catch {
        #expect(copy == catalog)
        return (error as? RecordFault)?.code
      }
    }
    #expect(fault { try $0.add(entity: "Track") } == .conflict)
    #expect(fault { try $0.add(entity: "") } == .conflict)
    #expect(fault { try $0.change(entity: "Nobody") { (_) throws(RecordFault) in } } == .unknown)
    #expect(fault { try $0.change(entity: "Track") { (e) throws(RecordFault) in try e.remove("id") } } == .conflict)
    #expect(fault { try $0.change(entity: "Track") { (e) throws(RecordFault) in try e.add("id", .bool) } } == .conflict)
    #expect(fault { try $0.change(entity: "Track") { (e) throws(RecordFault) in e.name = "Album" } } == .conflict)
    #expect(fault { try $0.add(index: "x", of: "Track", on: ["notes"]) } == .wrongType)
    #expect(fault { try $0.add(index: "x", of: "Track", on: ["nothing"]) } == .unknown)
    #expect(fault { try $0.add(index: "id", of: "Track", on: ["title"]) } == .conflict)
    #expect(fault { try $0.remove(index: "nothing", of: "Track") } == .unknown)
  }

  @Test(arguments: UInt64(1)...20) func `damaged bytes are an error or a catalog, never a trap`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let whole = try Self.library().encoded
    var refused = 0
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0...generator.below(3) {
        switch generator.below(3) {
        case 0: bytes[generator.below(bytes.count)] = UInt8(truncatingIfNeeded: generator.next())
        case 1: bytes.removeLast(min(bytes.count - 1, generator.below(30)))
        default: bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: generator.below(bytes.count))
        }
      }
      do throws(StoreError) { _ = try decoded(bytes) } catch {
        #expect([.damaged, .futureVersion].contains(error.code))
        refused += 1
      }
    }
    #expect(refused > 1000)
  }
}
