import Foundation
import Roost

/// Steps with related objects.
extension Tour {
  var walking: Step {
    Step(
      "Walk the graph",
      """
      for artist in try context.fetch(FetchDescriptor<Artist>()) {
        for album in artist.albums { for track in album.tracks { seconds += track.seconds } }
      }
      """
    ) { [self] in
      let context = ModelContext(try container())
      var seconds = 0
      let began = ContinuousClock.now
      for artist in try context.fetch(FetchDescriptor<Artist>()) {
        for album in artist.albums { for track in album.tracks { seconds += track.seconds } }
      }
      let time = ContinuousClock.now - began
      let right = (0..<library.count).reduce(0) { $0 + Library.seconds($1) }
      try check(seconds == right, "all tracks take \(right) seconds, and a walk added up \(seconds)")
      let reads = context.statistics
      // A walk that reads one list after the other would read each album's list separately.
      let bound = max(100, library.albumCount / 10)
      try check(reads.listsLoaded < bound, "\(reads.listsLoaded) lists were read one by one")
      return [
        "\(ReadableNumber.count(library.artistCount, "artist")), \(ReadableNumber.count(library.albumCount, "album")), "
          + "\(ReadableNumber.count(library.count, "track")): \(ReadableNumber.count(seconds / 3600)) hours of music, in \(ReadableNumber.time(time)).",
        "A list that one model needs is read for up to a thousand models: \(ReadableNumber.count(reads.listsLoadedTogether, "list")) in "
          + "\(ReadableNumber.count(reads.coarseReads, "read")), \(ReadableNumber.count(reads.listsLoaded)) by themselves.",
      ]
    }
  }

  var merging: Step {
    Step(
      "Edit in two contexts",
      """
      mine.title = "Heroes"
      yours.plays = 7
      try here.save()
      try there.save()
      """
    ) { [self] in
      let (here, there) = (ModelContext(try container()), ModelContext(try container()))
      (here.author, there.author) = ("here", "there")
      let number = library.count / 3
      let one = FetchDescriptor<Track>(predicate: #Predicate { $0.number == number })
      guard let mine = try here.fetch(one).first, let yours = try there.fetch(one).first else {
        throw CheckFailure(sentence: "track \(number) was not found")
      }
      mine.title = "Heroes"
      yours.plays = 7
      try here.save()
      try there.save()
      _ = try here.fetchCount(one)
      try check(mine.plays == 7 && yours.title == "Heroes", "a context does not show what the other one saved")

      there.mergePolicy = .error
      yours.title = "Low"
      mine.title = "Lodger"
      try here.save()
      let refusal = try refusal(.conflict) { try there.save() }
      there.mergePolicy = .objectWins
      try there.save()
      _ = try here.fetchCount(one)
      try check(mine.title == "Low" && yours.title == "Low", "the policy that was chosen did not decide")

      mine.title = Library.title(number)
      mine.plays = 0
      try here.save()
      return [
        "Different properties of one track: both are kept, and both contexts show both.",
        "The same property, where the policy is .error:",
        console.styled("  \(refusal)", .bad),
        "Under .objectWins the second save went through, and lastSave names the values that it replaced.",
      ]
    }
  }

  var deleting: Step {
    Step(
      "Delete, by each rule",
      """
      context.delete(label)  // .deny: it has artists
      context.delete(artist)  // .cascade to its albums, .nullify from there to the tracks
      context.delete(track)  // .noAction: its review stays as it is
      """
    ) { [self] in
      let context = ModelContext(try container())
      context.author = "deletions"
      let label = Label("Tour Records")
      let artist = Artist("The Visitors", on: label)
      let album = Album("A Day Out", by: artist)
      let track = Track(-1, title: "The Way There", year: 2026, seconds: 200, on: album)
      let review = Review("Worth the walk", of: track)
      context.insert(review)
      try context.save()

      context.delete(label)  // .deny: it has artists
      let refusal = try refusal(.denied) { try context.save() }
      context.rollback()
      try check(!label.isDeleted && label.artists.count == 1, "a refused deletion changed something")

      context.delete(artist)  // .cascade to its albums, .nullify from there to the tracks
      try context.save()
      try check(album.isDeleted && !track.isDeleted, "a deletion took along the wrong models")
      try check(track.album == nil && label.artists.isEmpty, "a model references a deleted model")

      context.delete(track)  // .noAction: its review stays as it is
      try context.save()
      let reviews = try ModelContext(context.container).fetch(FetchDescriptor<Review>())
      try check(reviews.count == 1 && reviews[0].text == "Worth the walk", "the review did not stay")
      try check(reviews[0].track == nil, "the review references a deleted track")

      context.delete(review)
      context.delete(label)
      try context.save()
      try checkAll(ModelContext(context.container))
      return [
        "The label was refused, and nothing had changed:",
        console.styled("  \(refusal)", .bad),
        "The artist took the album along; the track stayed, with its album nil. The track left its review behind.",
        "Without artists the label could go. All \(ReadableNumber.count(library.count)) tracks are as they were.",
      ]
    }
  }

  /// Checks that a call throws this error.
  private func refusal(_ code: RoostError.Code, _ body: () throws -> Void) throws -> RoostError {
    do { try body() } catch let error as RoostError {
      try check(error.code == code, "the error is \(error), and \(code.rawValue) was expected")
      return error
    }
    throw CheckFailure(sentence: "a save went through that must throw \(code.rawValue)")
  }

  var history: Step {
    Step(
      "Read the history",
      """
      let news = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
      for transaction in try context.fetchHistory(news) { tell(transaction) }
      """
    ) { [self] in
      let context = ModelContext(try container())
      let token = try context.container.latestHistoryToken
      context.author = "history"
      let extra = Track(-2, title: "Encore", year: 2026, seconds: 100, on: nil)
      context.insert(extra)
      try context.save()
      extra.plays += 1
      try context.save()
      context.delete(extra)
      try context.save()

      var lines: [String] = []
      func tell(_ transaction: DefaultHistoryTransaction) {
        let changes = transaction.changes.map { change in
          switch change {
          case .insert: "inserted a track"
          case .update(let update): "changed \(Self.names(update))"
          case .delete(let delete): "deleted track \(Self.number(delete))"
          }
        }
        lines.append(
          "transaction \(transaction.transactionIdentifier) by \(transaction.author ?? "nobody"): "
            + changes.joined(separator: ", "))
      }
      let news = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
      for transaction in try context.fetchHistory(news) { tell(transaction) }
      try check(
        lines.map { $0.split(separator: ": ").last } == ["inserted a track", "changed plays", "deleted track -2"],
        "the history has other changes than were made: \(lines)")
      let (all, time) = try timed {
        try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).reduce(0) { $0 + $1.changeCount }
      }
      try check(all >= 3, "the history has \(all) changes")
      return lines.map { console.styled("  " + $0, .faint) } + [
        "Each is part of its commit. All \(ReadableNumber.count(all)) changes since the store was made: read in \(ReadableNumber.time(time))."
      ]
    }
  }

  private static func names(_ update: any HistoryUpdate) -> String {
    guard let update = update as? DefaultHistoryUpdate<Track> else { return "something else" }
    return update.updatedAttributes.map { $0 == \Track.plays ? "plays" : "another property" }.joined(separator: " and ")
  }

  /// The number in a tombstone.
  private static func number(_ delete: any HistoryDelete) -> Int {
    guard let delete = delete as? DefaultHistoryDelete<Track> else { return 0 }
    return delete.tombstone[\Track.number] as? Int ?? 0
  }
}
