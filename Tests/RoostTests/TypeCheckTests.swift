#if os(Linux)
  import RoostTestSupport
  import Testing

  /// The compiler checks predicates quickly, however many operators they have.
  ///
  /// With Foundation's macro the first of these takes half a minute, and the compiler refuses it.
  @Suite struct TypeCheckTests {
    /// Three predicates of twenty operators and more.
    private static let source = """
      import Foundation
      import SwiftData

      @Model final class Song {
        var title: String
        var plays: Int
        var rating: Double
        var note: String?
        var year: Int?
        var isLive: Bool
        var released: Date
        @Relationship(inverse: \\Verse.song) var verses: [Verse] = []
        init() { (title, plays, rating, isLive, released) = ("", 0, 0, false, Date()) }
      }

      @Model final class Verse {
        var number: Int
        var text: String
        var song: Song?
        init() { (number, text) = (0, "") }
      }

      func mixed(_ text: String, _ number: Int, _ other: Int?, _ date: Date) -> Predicate<Song> {
        #Predicate<Song> {
          $0.title == text && $0.plays > number && $0.plays + 1 < number * 2 || $0.rating >= 3.5 && $0.isLive
            || $0.title.contains(text) && !$0.isLive && ($0.note ?? "") != "x" && $0.year == other
            || ($0.year ?? 0) - 1 > number && $0.released < date && $0.plays % 2 == 0
        }
      }

      // If nearly all is arithmetic, the compiler needs the model's type first.
      func numbers(_ a: Int, _ b: Double) -> Predicate<Song> {
        #Predicate { (song: Song) in
          song.plays == 1 || song.plays == 2 || song.plays == 3 + a || song.plays == 4 - a || song.rating * 2 + 1 > b
            || song.rating / 3 - 1 < 0.5 || (song.year ?? 1) + 1 == 7 || (song.year ?? 2) * 2 == 9 && song.plays - 3 > -5
            || song.plays % 7 == 3 && song.rating < 9.5
        }
      }

      func related(_ text: String, _ list: [String]) -> Predicate<Verse> {
        #Predicate { (verse: Verse) in
          verse.song?.title == text && verse.number > 1 && (verse.song?.year ?? 0) > 5 && list.contains(verse.text)
            && (verse.song?.verses.contains { $0.text == text && $0.number < 9 && !$0.text.isEmpty } ?? false)
            && (verse.song?.note ?? "none") != text && verse.text.hasPrefix("a") && verse.song?.year == -5
            && (verse.song?.isLive == true || verse.song?.plays ?? 0 > 3) && verse.song?.note != nil && !verse.text.isEmpty
        }
      }
      """

    private func check(_ source: String, milliseconds: Int) throws -> CompilerCheck.Outcome {
      try CompilerCheck.types(["Check.swift": source], mostMilliseconds: milliseconds)
    }

    @Test func `a predicate of twenty operators takes less than a second`() throws {
      let outcome = try check(Self.source, milliseconds: 1000)
      #expect(outcome.isGood, "\(outcome.text)")
      // The compiler measures the time.
      let strict = try check(Self.source, milliseconds: 1)
      #expect(!strict.isGood && strict.text.contains("to type-check (limit: 1ms)"), "\(strict.text)")
    }
  }
#endif
