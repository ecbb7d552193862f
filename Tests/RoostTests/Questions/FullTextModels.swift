import SwiftData

@Model class Memoir {
  #FullText<Memoir>([\.title, \.body], .stemming(.english))
  var title: String
  var body: String?
  var number: Int
  var cabinet: Cabinet?

  init(_ title: String, _ body: String? = nil, number: Int = 0) {
    (self.title, self.body, self.number) = (title, body, number)
  }
}

@Model final class LongMemoir: Memoir {
  var receiver: String

  init(_ title: String, to receiver: String, body: String, number: Int) {
    self.receiver = receiver
    super.init(title, body, number: number)
  }
}

@Model final class Cabinet {
  #FullText<Cabinet>([\.name], .caseSensitive)
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Memoir.cabinet) var memoirs: [Memoir] = []
  init(_ name: String) { self.name = name }
}

@Model final class Slogan {
  #FullText<Slogan>([\.text, \.note], .substrings)
  var text: String
  var note: String?
  init(_ text: String, _ note: String?) { (self.text, self.note) = (text, note) }
}
