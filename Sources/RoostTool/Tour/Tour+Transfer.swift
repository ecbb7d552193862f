import Foundation
import Roost
import RoostImport

/// Steps that fill the store from a table, and export it again.
extension Tour {
  var tablePath: String { folder + "/tracks.csv" }
  var exportedPath: String { folder + "/exported.csv" }

  var importing: Step {
    Step(
      "Import \(ReadableNumber.count(library.count)) tracks",
      """
      let importer = try container.importer(for: Track.self)
      let report = try importer.run(.file(table)) { progress.advance(to: $0.records) }
      """
    ) { [self] in
      let container = try container()
      let albums = try makeAlbums(ModelContext(container))
      let size = try library.writeTable(to: tablePath)
      let table = URL(filePath: tablePath)
      var progress = Progress("importing", of: library.count, on: console)
      let began = ContinuousClock.now
      let importer = try container.importer(for: Track.self)
      let report = try importer.run(.file(table)) { progress.advance(to: $0.records) }
      let time = ContinuousClock.now - began
      progress.end()
      let inserted = report.progress.inserted
      try check(inserted == library.count, "\(inserted) of \(library.count) lines were imported")
      try check(report.unresolvedCount == 0, "\(report.unresolvedCount) tracks have lost their albums")
      try checkAll(ModelContext(container))
      return [
        "A table of \(ReadableNumber.bytes(size)), whose tracks name \(ReadableNumber.count(albums, "album")), is on the disk as objects: "
          + "\(ReadableNumber.time(time)), \(ReadableNumber.rate(library.count, in: time)) a second.",
        "Read again in another context, all of them right.",
      ]
    }
  }

  /// Saves the albums. Returns their number.
  private func makeAlbums(_ context: ModelContext) throws -> Int {
    let labels = (0..<library.labelCount).map { Label(Library.label($0)) }
    let artists = (0..<library.artistCount).map { Artist(Library.artist($0), on: labels[$0 % labels.count]) }
    let albums = (0..<library.albumCount).map {
      Album(Library.album($0), by: artists[$0 / Library.albumsOfArtist])
    }
    try context.insert(batch: labels)
    try context.insert(batch: albums)
    return albums.count
  }

  var exporting: Step {
    Step(
      "Export them again",
      #"""
      let all = FetchDescriptor<Track>(sortBy: [SortDescriptor(\.number)])
      try container.export(all, to: .file(copy))
      """#
    ) { [self] in
      let container = try container()
      let copy = URL(filePath: exportedPath)
      let began = ContinuousClock.now
      let all = FetchDescriptor<Track>(sortBy: [SortDescriptor(\.number)])
      try container.export(all, to: .file(copy))
      let time = ContinuousClock.now - began
      try check(
        FileManager.default.contentsEqual(atPath: tablePath, andPath: exportedPath),
        "what was exported is not what was imported")
      return ["The table that was imported, byte for byte, in \(ReadableNumber.time(time))."]
    }
  }
}

extension Library {
  /// Writes the tracks as a table, as an export does. Returns its number of bytes.
  func writeTable(to path: String) throws -> Int {
    try Data("number,title,year,seconds,plays,album\n".utf8).write(to: URL(filePath: path))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.seekToEnd()
    var number = 0
    while number < count {
      let end = min(number + 10_000, count)
      var text = ""
      for number in number..<end {
        text += "\(number),\(Self.title(number)),\(Self.year(number)),\(Self.seconds(number)),0,"
        text += Self.album(number / Self.tracksOfAlbum) + "\n"
      }
      try file.write(contentsOf: Data(text.utf8))
      number = end
    }
    let size = try file.offset()
    try file.close()
    return Int(size)
  }
}
