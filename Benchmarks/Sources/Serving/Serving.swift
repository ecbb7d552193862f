import Foundation
import Roost
import RoostPostgres

/// Measures operations on PostgreSQL, each compared with libpq on the same tables. The server is
/// that of `ROOST_PG_URL`.
@main struct Serving {
  let address: String
  let namespace = "serving"
  let plainName = "serving_plain"
  let count: Int
  let runs: Int
  let plain: Plain

  static func main() throws {
    let arguments = CommandLine.arguments
    func option(_ name: String, _ other: Int) -> Int {
      arguments.firstIndex(of: name).flatMap { arguments.dropFirst($0 + 1).first }.flatMap { Int($0) } ?? other
    }
    guard let address = ProcessInfo.processInfo.environment["ROOST_PG_URL"] else {
      return print("ROOST_PG_URL is not set")
    }
    let serving = try Serving(
      address: address, count: option("--size", 100_000), runs: option("--runs", 5), plain: Plain(address))
    try serving.run()
  }

  /// Whether an operation is named, or none is.
  private func wants(_ name: String) -> Bool {
    let names = Set(["import", "save", "fetch", "references"]).intersection(CommandLine.arguments)
    return names.isEmpty || names.contains(name)
  }

  func container() throws -> ModelContainer {
    let schema = Schema([Album.self, Track.self])
    var configuration = PostgresConfiguration(address, schema: schema, namespace: namespace)
    configuration.followsOthers = false
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  func run() throws {
    try plain.run("DROP SCHEMA IF EXISTS \(namespace) CASCADE")
    try plain.run("DROP SCHEMA IF EXISTS \(plainName) CASCADE")
    _ = try container()
    try plain.run("CREATE SCHEMA \(plainName)")
    for table in ["album", "track"] {
      try plain.run("CREATE TABLE \(plainName).\(table) (LIKE \(namespace).\(table) INCLUDING ALL)")
    }
    try plain.run(
      "ALTER TABLE \(plainName).track ADD FOREIGN KEY (zone, album) REFERENCES \(plainName).album (zone, pk) ON DELETE CASCADE "
        + "DEFERRABLE INITIALLY DEFERRED")
    if wants("import") { try compare("import of \(count) tracks", ours: importOurs, plain: importPlain) }
    _ = try importPlain(0)
    // From here on both have the same rows.
    try plain.run("TRUNCATE \(namespace).track, \(namespace).album CASCADE")
    for table in ["album", "track"] {
      try plain.run("INSERT INTO \(namespace).\(table) SELECT * FROM \(plainName).\(table)")
    }
    try prepare()
    if wants("save") { try compare("save of 1000 changes", ours: saveOurs, plain: savePlain) }
    if wants("fetch") { try compare("fetch of 10000 tracks", ours: fetchOurs, plain: fetchPlain) }
    if wants("references") { try compare("1000 references", ours: followOurs, plain: followPlain) }
  }

  /// Runs both in turns, and prints the medians. The first run of each is not counted.
  private func compare(
    _ name: String, ours: (Int) throws -> Duration, plain: (Int) throws -> Duration
  ) throws {
    var times: (ours: [Duration], plain: [Duration]) = ([], [])
    for run in 0...runs {
      let one = try plain(run)
      let other = try ours(run)
      if run == 0 { continue }
      times.plain.append(one)
      times.ours.append(other)
    }
    func median(_ times: [Duration]) -> Double { times.sorted()[times.count / 2] / .milliseconds(1) }
    let (one, other) = (median(times.ours), median(times.plain))
    print("\(name): \(String(format: "%.1f ms, libpq %.1f ms, ratio %.2f", one, other, one / other))")
  }

  private func time(_ body: () throws -> Void) rethrows -> Duration { try ContinuousClock().measure(body) }

  // MARK: Import

  private func importOurs(_ run: Int) throws -> Duration {
    try plain.run("TRUNCATE \(namespace).track, \(namespace).album CASCADE")
    let container = try container()
    return try time {
      var album: Album?
      _ = try container.importer(for: Track.self).run(0..<count) { number in
        let track = Track(number)
        if number % 10 == 0 { album = Album(number / 10) }
        track.album = album
        return track
      }
    }
  }

  private func importPlain(_ run: Int) throws -> Duration {
    try plain.run("TRUNCATE \(plainName).track, \(plainName).album CASCADE")
    return try time {
      let keys = (0...count / 10).map { _ in UUID() }
      try plain.run("BEGIN")
      try plain.copy(into: "\(plainName).album (zone, pk, title, year)", rows: count / 10, columns: 4) { row, values in
        values.add("")
        values.add(keys[row])
        values.add("album \(row)")
        values.add(Int64(1950 + row % 70))
      }
      try plain.copy(into: "\(plainName).track (\(try columns()))", rows: count, columns: 11) { row, values in
        add(row, key: UUID(), album: keys[row / 10], to: &values)
      }
      try plain.run("COMMIT")
    }
  }

  private func add(_ number: Int, key: UUID, album: UUID, to values: inout Plain.Values) {
    values.add("")
    values.add(key)
    values.add(Int64(number))
    values.add("track \(number)")
    values.add(number % 3 == 0 ? nil : "composer \(number % 500)")
    values.add(Double(number % 600))
    values.add(Int64(number % 6))
    values.add(number % 7 == 0)
    values.add(Double(number) * 60)
    values.add(album)
    values.add(Int64(number % 10 * 1024))
  }

  /// The names of the columns of tracks, in the order of the values here.
  private func columns() throws -> String {
    let found = try plain.run(
      "SELECT quote_ident(column_name) FROM information_schema.columns WHERE table_schema = '\(plainName)' "
        + "AND table_name = 'track' AND column_name NOT IN ('version', 'class') ORDER BY ordinal_position")
    return (0..<found.count).compactMap { found.text($0, 0) }.joined(separator: ", ")
  }

  // MARK: Saving

  private func prepare() throws {
    let columns = try columns()
    let places = (1...11).map { "$\($0)" }.joined(separator: ", ")
    try plain.prepare("insert", "INSERT INTO \(plainName).track (\(columns)) VALUES (\(places))")
    try plain.prepare(
      "update",
      "UPDATE \(plainName).track SET rating = $1, title = $2, version = version + 1 WHERE zone = '' AND pk = $3 AND version = $4"
    )
    try plain.prepare("delete", "DELETE FROM \(plainName).track WHERE zone = '' AND pk = $1 AND version = $2")
    try plain.prepare("begin", "BEGIN")
    try plain.prepare("commit", "COMMIT")
    try plain.run("ANALYZE")
  }

  private func saveOurs(_ run: Int) throws -> Duration {
    let context = ModelContext(try container())
    var descriptor = FetchDescriptor<Track>(sortBy: [SortDescriptor(\.number)])
    descriptor.fetchLimit = 700
    let tracks = try context.fetch(descriptor)
    for track in tracks { _ = track.title }
    return try time {
      for (place, track) in tracks.enumerated() {
        if place < 400 {
          track.rating += 1
          track.title += "+"
        } else {
          context.delete(track)
        }
      }
      for number in 0..<300 { context.insert(Track(number + count + run * 1000)) }
      try context.save()
    }
  }

  private func savePlain(_ run: Int) throws -> Duration {
    let found = try plain.run("SELECT pk, version, rating, title FROM \(plainName).track ORDER BY number LIMIT 700")
    let none = Plain.Values()
    return try time {
      try plain.pipeline {
        try plain.send("begin", none)
        var values = Plain.Values()
        for row in 0..<found.count {
          values.clear()
          if row < 400 {
            values.add(found.number(row, 2) + 1)
            values.add((found.text(row, 3) ?? "") + "+")
          }
          found.key(row, 0).map { values.add($0) }
          values.add(found.number(row, 1))
          try plain.send(row < 400 ? "update" : "delete", values)
        }
        for number in 0..<300 {
          values.clear()
          add(number + count + run * 1000, key: UUID(), album: UUID(), to: &values)
          try plain.send("insert", values.withoutAlbum)
        }
        try plain.send("commit", none)
        return found.count + 302
      }
    }
  }

  // MARK: Fetching

  private func fetchOurs(_ run: Int) throws -> Duration {
    let context = ModelContext(try container())
    var descriptor = FetchDescriptor<Track>(sortBy: [SortDescriptor(\.number)])
    descriptor.fetchLimit = 10_000
    return try time {
      var sum = 0
      for track in try context.fetch(descriptor) { sum += track.number + track.title.utf8.count }
      if sum == 0 { throw Plain.Failure(text: "nothing was fetched") }
    }
  }

  private struct Row {
    var key: UUID?
    var number: Int64
    var title: String?
    var composer: String?
    var seconds: Double
    var rating: Int64
    var isLoved: Bool
    var added: Double
    var album: UUID?
  }

  private func fetchPlain(_ run: Int) throws -> Duration {
    try time {
      let found = try plain.run(
        "SELECT pk, number, title, composer, seconds, rating, is_loved, added, album FROM \(plainName).track "
          + "ORDER BY number LIMIT 10000")
      let rows = (0..<found.count).map { row in
        Row(
          key: found.key(row, 0), number: found.number(row, 1), title: found.text(row, 2),
          composer: found.text(row, 3), seconds: found.double(row, 4), rating: found.number(row, 5),
          isLoved: found.bool(row, 6), added: found.double(row, 7), album: found.key(row, 8))
      }
      if rows.reduce(0, { $0 + Int($1.number) + ($1.title ?? "").utf8.count }) == 0 {
        throw Plain.Failure(text: "nothing was fetched")
      }
    }
  }

  // MARK: References

  private func followOurs(_ run: Int) throws -> Duration {
    let context = ModelContext(try container())
    var descriptor = FetchDescriptor<Track>(
      predicate: #Predicate { $0.number % 10 == 9 && $0.album != nil }, sortBy: [SortDescriptor(\.number)])
    descriptor.fetchLimit = 1000
    // Each track has a different album.
    let some = try context.fetch(descriptor)
    return try time {
      var sum = 0
      for track in some { sum += track.album?.year ?? 0 }
      if sum == 0 { throw Plain.Failure(text: "nothing was read") }
    }
  }

  private func followPlain(_ run: Int) throws -> Duration {
    let found = try plain.run("SELECT pk FROM \(plainName).album ORDER BY title LIMIT 1000")
    let keys = (0..<found.count).compactMap { found.key($0, 0) }
    return try time {
      let rows = try plain.run(
        "SELECT pk, version, title, year FROM \(plainName).album WHERE zone = '' AND pk = ANY($1)", keys: keys)
      var sum: Int64 = 0
      for row in 0..<rows.count where rows.key(row, 0) != nil && rows.text(row, 2) != nil { sum += rows.number(row, 3) }
      if sum == 0 { throw Plain.Failure(text: "nothing was read") }
    }
  }
}

extension Plain.Values {
  /// The values of a track without an album.
  var withoutAlbum: Plain.Values {
    var values = self
    values.dropLast(2)
    values.add(nil)
    values.add(nil)
    return values
  }
}
