import Foundation
import Roost

/// Steps that query the store.
extension Tour {
  var byIndex: Step {
    Step(
      "Ask by an index",
      #"""
      let wanted = #Predicate<Track> { $0.year == 1977 && $0.seconds < 120 }
      let tracks = try context.fetch(FetchDescriptor(predicate: wanted, sortBy: [SortDescriptor(\.title)]))
      print(try context.explain(FetchDescriptor(predicate: wanted, sortBy: [SortDescriptor(\.title)])))
      """#
    ) { [self] in
      let context = ModelContext(try container())
      let wanted = #Predicate<Track> { $0.year == 1977 && $0.seconds < 120 }
      let began = ContinuousClock.now
      let tracks = try context.fetch(FetchDescriptor(predicate: wanted, sortBy: [SortDescriptor(\.title)]))
      let time = ContinuousClock.now - began
      let plan = try context.explain(FetchDescriptor(predicate: wanted, sortBy: [SortDescriptor(\.title)]))
      let right = library.numbers { Library.year($0) == 1977 && Library.seconds($0) < 120 }
      try checkFound(tracks, right.sorted { Library.title($0) < Library.title($1) })
      try check(!plan.indexes.isEmpty, "the index over the year was not used")
      return found(tracks.count, plan, time: time)
    }
  }

  var withoutIndex: Step {
    Step(
      "Ask without one",
      """
      let wanted = #Predicate<Track> { $0.seconds == 61 }
      let tracks = try context.fetch(FetchDescriptor(predicate: wanted))
      """
    ) { [self] in
      let context = ModelContext(try container())
      let wanted = #Predicate<Track> { $0.seconds == 61 }
      let began = ContinuousClock.now
      let tracks = try context.fetch(FetchDescriptor(predicate: wanted))
      let time = ContinuousClock.now - began
      let plan = try context.explain(FetchDescriptor(predicate: wanted))
      try checkFound(tracks, library.numbers { Library.seconds($0) == 61 })
      try check(plan.rowsRead == library.count, "\(plan.rowsRead) rows were read")
      try check(plan.missingIndex != nil, "the missing index was not named")
      return found(tracks.count, plan, time: time)
    }
  }

  var acrossRelationships: Step {
    let name = Library.artist(library.artistCount / 2)
    return Step(
      "Ask across relationships",
      #"""
      let name = "\#(name)"
      let wanted = #Predicate<Track> { $0.album?.artist?.name == name }
      let tracks = try context.fetch(FetchDescriptor(predicate: wanted))
      """#
    ) { [self] in
      let context = ModelContext(try container())
      let wanted = #Predicate<Track> { $0.album?.artist?.name == name }
      let began = ContinuousClock.now
      let tracks = try context.fetch(FetchDescriptor(predicate: wanted))
      let time = ContinuousClock.now - began
      let plan = try context.explain(FetchDescriptor(predicate: wanted))
      let albums = Library.albumsOfArtist * Library.tracksOfAlbum
      try checkFound(tracks, library.numbers { $0 / albums == library.artistCount / 2 })
      return found(tracks.count, plan, time: time)
    }
  }

  private func checkFound(_ tracks: [Track], _ numbers: [Int]) throws {
    try check(tracks.count == numbers.count, "\(tracks.count) tracks were found where \(numbers.count) are right")
    for (track, number) in zip(tracks, numbers) {
      try check(Library.isRight(track, number), "track \(track.number) was found where \(number) is right")
    }
  }

  private func found(_ count: Int, _ plan: FetchExplanation, time: Duration) -> [StyledText] {
    [
      "\(ReadableNumber.count(count, "track")) in \(ReadableNumber.time(time)), each one right. The plan, with what it read:"
    ]
      + plan.description.split(separator: "\n").map { console.styled("  " + $0, .faint) }
  }
}
