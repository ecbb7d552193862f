import Foundation
import SwiftData

/// The models of the examples in doc comments.
enum ReferenceExamples {
  @Model final class Playlist {
    var name: String
    @Relationship(inverse: \Song.playlist) var songs: [Song] = []

    init(name: String) { self.name = name }
  }

  @Model final class Song {
    var title: String
    var year: Int
    var seconds = 200
    var playlist: Playlist?

    init(title: String, year: Int) {
      self.title = title
      self.year = year
    }
  }

  @Model final class Review {
    @Validate(.range(1...5)) var stars: Int
    @Validate(.notEmpty, .length(...200)) var title: String

    init(stars: Int, title: String) {
      self.stars = stars
      self.title = title
    }
  }

  @Model final class Note {
    #FullText<Note>([\.title, \.body], .stemming(.english))
    var title: String
    var body: String

    init(title: String, body: String) {
      self.title = title
      self.body = body
    }
  }

  @Model final class Invoice {
    @Relationship(deleteRule: .cascade, inverse: \Line.invoice) var lines: [Line] = []
    @Derived(.count(\Invoice.lines)) var lineCount: Int
    @Derived(.sum(\Invoice.lines, \.price)) var total: Decimal
    @Derived(.latest(\Invoice.lines, of: \.note, by: \.date)) var lastNote: String?

    init() {}
  }

  @Model final class Line {
    var price: Decimal
    var note: String
    var date: Date
    var invoice: Invoice?

    init(_ price: Decimal, note: String, date: Date) { (self.price, self.note, self.date) = (price, note, date) }
  }

  @Model final class Counter {
    var count = 0

    init() {}
  }

  /// A class for the example of a computed value.
  enum Computed {
    @Model final class Note {
      @Validate(.notEmpty, .length(...80), message: "Enter a name of at most 80 characters") var name: String
      var title: String
      var folded: String { title.lowercased() }
      @Derived(\Note.folded) var key: String

      init(name: String, title: String) { (self.name, self.title) = (name, title) }
    }
  }
}

@Model final class Voyage {
  var start: Date
  var end: Date

  init(from start: Date, to end: Date) { (self.start, self.end) = (start, end) }
}

extension Voyage: Validatable {
  func validate(_ validation: Validation) throws {
    if end < start { validation.refuse("the voyage ends before it starts", at: \Voyage.end) }
  }
}
