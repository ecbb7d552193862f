import SwiftData
import Testing

@Suite struct SlotTests {
  @Test func `a new object has the values of its initializer`() {
    let artist = Artist(name: "Ella")
    let album = LiveAlbum(place: "Berlin", title: "Mack the Knife")
    album.artist = artist
    artist.albums.append(album)
    #expect(artist.name == "Ella" && artist.born == nil)
    #expect(artist.albums.map(\.title) == ["Mack the Knife"])
    #expect(album.year == 1990 && album.genre == .jazz && album.genreToo == nil && album.artist === artist)
    #expect(album.place == "Berlin" && album.guests == nil)
  }
}
