package import Roost
package import Synchronization

package struct BroadPlace: Codable, Equatable {
  package var x: Int
  package var name: String?

  package init(x: Int = 0, name: String? = nil) {
    self.x = x
    self.name = name
  }
}

/// A value that a later version of its type refuses.
package struct BroadMood: RawRepresentable, Codable, Equatable {
  package static let takesSad = Atomic<Bool>(true)

  package var rawValue: String

  package init?(rawValue: String) {
    if rawValue == "sad", !Self.takesSad.load(ordering: .relaxed) { return nil }
    self.rawValue = rawValue
  }
}

/// A model with more properties than a word has bits. An object notes changes of the 64th and later
/// properties in one bit.
@Model package final class Broad {
  package var p0 = 0
  package var p1 = 0
  package var p2 = 0
  package var p3 = 0
  package var p4 = 0
  package var p5 = 0
  package var p6 = 0
  package var p7 = 0
  package var p8 = 0
  package var p9 = 0
  package var p10 = 0
  package var p11 = 0
  package var p12 = 0
  package var p13 = 0
  package var p14 = 0
  package var p15 = 0
  package var p16 = 0
  package var p17 = 0
  package var p18 = 0
  package var p19 = 0
  package var p20 = 0
  package var p21 = 0
  package var p22 = 0
  package var p23 = 0
  package var p24 = 0
  package var p25 = 0
  package var p26 = 0
  package var p27 = 0
  package var p28 = 0
  package var p29 = 0
  package var p30 = 0
  package var p31 = 0
  package var p32 = 0
  package var p33 = 0
  package var p34 = 0
  package var p35 = 0
  package var p36 = 0
  package var p37 = 0
  package var p38 = 0
  package var p39 = 0
  package var p40 = 0
  package var p41 = 0
  package var p42 = 0
  package var p43 = 0
  package var p44 = 0
  package var p45 = 0
  package var p46 = 0
  package var p47 = 0
  package var p48 = 0
  package var p49 = 0
  package var p50 = 0
  package var p51 = 0
  package var p52 = 0
  package var p53 = 0
  package var p54 = 0
  package var p55 = 0
  package var p56 = 0
  package var p57 = 0
  package var p58 = 0
  package var p59 = 0
  package var p60 = 0
  package var p61 = 0
  package var p62 = 0
  package var p63 = 0
  package var p64 = 0
  package var p65 = 0
  package var p66 = 0
  package var p67 = 0
  package var p68 = 0
  package var p69 = 0
  package var title = ""
  package var note: String?
  package var place = BroadPlace()
  package var spare: BroadPlace?
  package var mood: BroadMood?
  package var owner: BroadOwner?
  package var other: BroadOwner?

  package init() {}
}

@Model package final class BroadOwner {
  package var name: String
  @Relationship(deleteRule: .cascade, inverse: \Broad.owner) package var wides: [Broad] = []

  package init(_ name: String) { self.name = name }
}

extension Broad {
  package static var properties: [ReferenceWritableKeyPath<Broad, Int>] {
    [
      \.p0, \.p1, \.p2, \.p3, \.p4, \.p5, \.p6, \.p7, \.p8, \.p9,
      \.p10, \.p11, \.p12, \.p13, \.p14, \.p15, \.p16, \.p17, \.p18, \.p19,
      \.p20, \.p21, \.p22, \.p23, \.p24, \.p25, \.p26, \.p27, \.p28, \.p29,
      \.p30, \.p31, \.p32, \.p33, \.p34, \.p35, \.p36, \.p37, \.p38, \.p39,
      \.p40, \.p41, \.p42, \.p43, \.p44, \.p45, \.p46, \.p47, \.p48, \.p49,
      \.p50, \.p51, \.p52, \.p53, \.p54, \.p55, \.p56, \.p57, \.p58, \.p59,
      \.p60, \.p61, \.p62, \.p63, \.p64, \.p65, \.p66, \.p67, \.p68, \.p69,
    ]
  }
}
