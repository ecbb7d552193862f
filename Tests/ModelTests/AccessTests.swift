import RoostGraph
import SwiftData
import Synchronization
import Testing

@Suite struct AccessTests {
  @Test func `accessors written by hand`() throws {
    let one = ByHand(name: "n")
    #expect(one.name == "n" && one.plain == "p")
    one.name = "m"
    #expect(one.name == "m" && one.getValue(forKey: \.name) == "m" && one.getValue(forKey: \.plain) == "p")
    let again = try Rows(of: ByHand.self).again(one)
    #expect(again.name == "m" && again.plain == "p")
    one.setValue(forKey: \.plain, to: "q")
    #expect(one.plain == "q")
  }

  @Test func `values in the box`() throws {
    let one = ByHand(boxed: "b")
    #expect(one.plain == "b" && one.name == "n")
    one.plain = "c"
    #expect(one.plain == "c")
    #expect(try Rows(of: ByHand.self).again(ByHand(boxed: "d")).plain == "d")
  }

  @Test func `a value that a subclass keeps in the box is found, whichever class's property is read first`() {
    for isOwnFirst in [true, false] {
      let barge = Barge(name: "b", boxed: 5)
      if !isOwnFirst { #expect(barge.name == "b") }
      #expect(barge.load == 5)
      #expect(barge.name == "b")
    }
  }

  @Test func `backing data`() {
    // As in SwiftData, setting does not mutate the value itself, so it may be a constant.
    let values: any BackingData<Shown> = Shown.createBackingData()
    values.setValue(forKey: \.name, to: "v")
    let one = Shown(backingData: values)
    #expect(one.name == "v")
    #expect(one.persistentBackingData.getValue(forKey: \.name) == "v")
    one.persistentBackingData.setValue(forKey: \.name, to: "w")
    #expect(one.name == "w")
    let two = Shown(name: "two")
    two.persistentBackingData = one.persistentBackingData
    #expect(two.name == "w")
  }

  @Test func `backing data is read as that of another class of the family`() {
    let values: any BackingData<Album> = Album.createBackingData()
    values.setValue(forKey: \.title, to: "t")
    let live: any BackingData<LiveAlbum> = values._generateCurrentClassBackingData()
    #expect(live.getValue(forKey: \.title) == "t")
    live.setValue(forKey: \.place, to: "p")
    live.setValue(forKey: \.title, to: "u")
    #expect(values.getValue(forKey: \.title) == "u")
    // An initializer of a subclass takes the values of the topmost class.
    let album = LiveAlbum(backingData: live._superClassBackingData(of: LiveAlbum.self))
    #expect(album.title == "u" && album.place == "p")
    let own: any BackingData<LiveAlbum> = album.persistentBackingData._generateCurrentClassBackingData()
    own.setValue(forKey: \.place, to: "q")
    #expect(album.place == "q" && own.getValue(forKey: \.title) == "u")
    let above: any BackingData<Album> = own._superClassBackingData(of: LiveAlbum.self)
    above.setValue(forKey: \.title, to: "v")
    #expect(album.title == "v")
  }

  @Test func `backing data of a class that does not fit has no values`() {
    let values: any BackingData<Album> = Album.createBackingData()
    values.setValue(forKey: \.title, to: "t")
    let other: any BackingData<Artist> = values._generateCurrentClassBackingData()
    other.setValue(forKey: \.name, to: "n")
    let fresh: any BackingData<Artist> = values._superClassBackingData(of: Album.self)
    fresh.setValue(forKey: \.name, to: "m")
    #expect(fresh.getValue(forKey: \.name) == "m" && other.getValue(forKey: \.name) == "n")
    #expect(Artist(backingData: other).name == "n")
    // An object of the superclass is not one of the subclass.
    let album = Album(title: "a", genre: .jazz)
    let live: any BackingData<LiveAlbum> = album.persistentBackingData._generateCurrentClassBackingData()
    live.setValue(forKey: \.title, to: "b")
    #expect(album.title == "a" && live.getValue(forKey: \.title) == "b")
  }

  @Test func `an object without a context is observed after it is read`() {
    let one = Artist(name: "a")
    let told = Mutex(0)
    withObservationTracking {
      _ = one.name
    } onChange: {
      told.withLock { $0 += 1 }
    }
    one.born = .now
    #expect(told.withLock { $0 } == 0)
    one.name = "b"
    #expect(told.withLock { $0 } == 1)
    one.name = "c"
    #expect(told.withLock { $0 } == 1 && one.name == "c")
  }

  @Test func `changing a list in place notifies observers, also of inherited properties`() {
    let album = LiveAlbum(place: "p", title: "t")
    let told = Mutex(0)
    withObservationTracking {
      _ = album.notes
      _ = album.title
    } onChange: {
      told.withLock { $0 += 1 }
    }
    album.notes.append("x")
    #expect(told.withLock { $0 } == 1 && album.notes == ["x"])
    withObservationTracking {
      _ = album.title
    } onChange: {
      told.withLock { $0 += 1 }
    }
    album.title = "u"
    #expect(told.withLock { $0 } == 2)
  }

  @Test func `appending is linear`() {
    let node = Node()
    for _ in 0..<20_000 { node.children.append(Node()) }
    #expect(node.children.count == 20_000)
  }

  @Test func `an object that was never read has no extras`() {
    let one = Artist(name: "a")
    one.name = "b"
    #expect(one._$state.extras == nil && one._$box == nil)
    #expect(MemoryLayout<_ModelState>.size == 48 && MemoryLayout<_HeldValues<Artist>>.size == 8)
  }

  @Test func `a chain of a million objects is released without recursion`() {
    var first: Node? = Node()
    for _ in 0..<1_000_000 {
      let next = Node()
      next.parent = first
      first = next
    }
    first = nil
    var list: Node? = Node()
    for _ in 0..<200_000 {
      let next = Node()
      next.children = [list!]
      list = next
    }
    list = nil
    #expect(list == nil)
  }
}
