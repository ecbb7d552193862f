import RoostGraph
import RoostRecords
import SwiftData
import Testing

@Suite struct RowCodingTests {
  @Test func `an object is read back from its row`() throws {
    let artist = Artist(name: "Ella")
    artist.born = Date(timeIntervalSince1970: 12)
    artist.address = Address(street: "Elm", number: 7)
    let rows = try Rows(of: Artist.self)
    let row = try rows.encode(artist)
    #expect(try rows.value("address.street", row) == .string("Elm"))
    #expect(try rows.value("address.number", row) == .int(7))
    let again = try rows.decode(Artist.self, row)
    #expect(again.name == "Ella" && again.born == artist.born && again.address == artist.address)
    #expect(again.since == artist.since)
  }

  @Test func `a subclass's own properties come after inherited ones`() throws {
    let album = LiveAlbum(place: "Berlin", title: "Mack")
    album.home = Address(street: "Oak", number: nil)
    album.genreToo = .rock
    album.notes = ["a", "", "c"]
    let rows = try Rows(of: LiveAlbum.self)
    let again = try rows.again(album)
    #expect(again.title == "Mack" && again.place == "Berlin" && again.genre == .jazz && again.genreToo == .rock)
    #expect(again.notes == ["a", "", "c"] && again.home == album.home && again.artist == nil)
  }
}
