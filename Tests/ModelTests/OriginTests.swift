@testable import RoostGraph
import SwiftData
import Testing

/// The calls of accessors to the origin.
@Suite struct OriginTests {
  /// Loads objects from a row, and notes the calls.
  final class Source: _Origin {
    let rows: Rows
    var row: [UInt8] = []
    var asked: [String] = []
    var others: [UInt64: any _ModelObject] = [:]
    var gone = 0

    init(_ rows: Rows) {
      self.rows = rows
      super.init()
    }

    override func willRead(_ object: any _ModelObject, _ property: Int) {
      asked.append("read \(property)")
      guard object._$state.flags.contains(.fault) else { return }
      object._$state.flags.remove(.fault)
      row.withUnsafeBytes { bytes in
        var source = _RowSource(bytes.baseAddress!, rows.plan)
        object._$decode(from: &source)
      }
    }

    override func willWrite(_ object: any _ModelObject, _ property: Int) {
      if object._$state.flags.contains(.fault) { willRead(object, property) }
      asked.append("write \(property)")
      object._$state.changed |= _ModelState.bit(property)
    }

    override func didWrite(_ object: any _ModelObject, _ property: Int) { asked.append("wrote \(property)") }

    override func resolve(_ object: any _ModelObject, _ property: Int, row: UInt64) -> (any _ModelObject)? {
      asked.append("resolve \(row)")
      return others[row]
    }

    override func lentMembers(_ object: any _ModelObject, _ property: Int) -> [any _ModelObject] {
      Array(others.values)
    }
    override func objectGoes(row: UInt64, ticket: UInt32) { gone += 1 }
  }

  private func fault() throws -> (Album, Source) {
    let source = Source(try Rows(of: Album.self))
    let album = Album(title: "t", genre: .rock)
    album.year = 1970
    album.notes = ["n"]
    source.row = try source.rows.encode(album)
    return (Album(_$state: _ModelState(row: 3, origin: source)), source)
  }

  @Test func `an object is loaded at the first read, and not again`() throws {
    let (album, source) = try fault()
    #expect(album.title == "t" && album.year == 1970 && album.genre == .rock && album.genreToo == nil)
    #expect(source.asked == ["read 0"])
  }

  @Test func `only the first change of a property is reported`() throws {
    let (album, source) = try fault()
    album.year = 1980
    album.year = 1981
    #expect(source.asked == ["read 1", "write 1", "wrote 1"] && album.year == 1981 && album.title == "t")
    album.notes.append("m")
    album.notes.append("o")
    #expect(album.notes == ["n", "m", "o"] && album._$state._isReady)
  }

  @Test func `a reference is resolved by its row`() throws {
    let (album, source) = try fault()
    let number = try #require(Album._$type.properties.firstIndex { $0.name == "artist" })
    #expect(album.artist == nil)
    struct Setting: _SlotVisitor {
      var row: UInt64
      mutating func _visit<Model>(_ property: Int, _ slot: inout _ToOne<Model>) { slot.row = row }
      mutating func _visit<Model>(_ property: Int, _ slot: inout _ToMany<Model>) {}
    }
    var setting = Setting(row: 9)
    album._$visitLink(number, &setting)
    let artist = Artist(name: "a")
    source.others[9] = artist
    #expect(album.artist === artist && source.asked.last == "resolve 9")
    album.artist = nil
    #expect(album.artist == nil && source.asked.last == "wrote \(number)")
  }

  @Test func `a value that is being changed is read as it was`() throws {
    let source = Source(try Rows(of: Node.self))
    let node = Node()
    source.row = try source.rows.encode(node)
    source.others[1] = node
    let fault = Node(_$state: _ModelState(row: 3, origin: source))
    fault.children = []
    fault.children.removeAll { _ in fault.children.isEmpty }
    #expect(fault.children.isEmpty && fault._$state._isReady)
  }

  @Test func `the origin is notified of the end of an object`() throws {
    let source = Source(try Rows(of: Album.self))
    do { _ = Album(_$state: _ModelState(row: 3, origin: source)) }
    #expect(source.gone == 1)
  }

  @Test func `forgetting unloads an object`() throws {
    let (album, source) = try fault()
    album._$state.flags.insert(.fault)
    #expect(album.title == "t")
    _ = album._$forget()
    album._$state.flags.insert(.fault)
    #expect(album.title == "t" && source.asked == ["read 0", "read 0"])
  }
}
