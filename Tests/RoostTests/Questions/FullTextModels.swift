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

// Two classes of one family that both declare an index.
@Model class Petal {
  #FullText<Petal>([\.name])
  var name: String
  init(_ name: String) { self.name = name }
}

@Model final class Blossom: Petal {
  #FullText<Blossom>([\.kind])
  var kind: String
  override init(_ name: String) {
    kind = name
    super.init(name)
  }
}

@Model class Stem {
  var height = 0
  init() {}
}

@Model final class Bud: Stem {
  #FullText<Bud>([\.colour])
  var colour: String
  init(_ colour: String) {
    self.colour = colour
    super.init()
  }
}

@Model final class Husk {
  #FullText<Husk>([\.whole])
  var name: String
  var whole: String { name + "!" }
  init(_ name: String) { self.name = name }
}
