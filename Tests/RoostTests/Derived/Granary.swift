import Foundation
import Roost

@Model final class Granary {
  #Index<Granary>([\.weight], [\.sackCount])
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .nullify, inverse: \Sack.granary) var sacks: [Sack] = []
  @Derived(.count(\Granary.sacks)) var sackCount: Int
  @Derived(.sum(\Granary.sacks, \.weight)) var weight: Int
  @Derived(.sum(\Granary.sacks, \.volume)) var volume: Double
  @Derived(.minimum(\Granary.sacks, \.weight)) var lightest: Int?
  @Derived(.maximum(\Granary.sacks, \.arrived)) var lastArrival: Date?
  @Derived(.latest(\Granary.sacks, of: \.label, by: \.arrived)) var lastLabel: String?

  init(_ name: String) { self.name = name }
}

@Model final class Sack {
  var label: String
  var weight: Int
  var volume: Double?
  var arrived: Date
  var granary: Granary?
  @Relationship(inverse: \SackSeal.sacks) var seals: [SackSeal] = []

  init(_ label: String, weight: Int, volume: Double? = nil, day: Int, in granary: Granary?) {
    (self.label, self.weight, self.volume, self.granary) = (label, weight, volume, granary)
    arrived = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
  }
}

@Model final class SackSeal {
  var name: String
  var sacks: [Sack] = []
  @Derived(.count(\SackSeal.sacks)) var sackCount: Int = 0
  @Derived(.sum(\SackSeal.sacks, \.weight)) var weight: Int

  init(_ name: String) { self.name = name }
}

/// The models of the store before some of their properties were derived.
enum EarlierGranary {
  @Model final class Granary {
    var name: String
    @Relationship(deleteRule: .nullify, inverse: \Sack.granary) var sacks: [Sack] = []
    var weight: Int = 5

    init(_ name: String) { self.name = name }
  }

  @Model final class Sack {
    var label: String
    var weight: Int
    var granary: Granary?

    init(_ label: String, weight: Int, in granary: Granary?) {
      (self.label, self.weight, self.granary) = (label, weight, granary)
    }
  }
}

enum LaterGranary {
  @Model final class Granary {
    var name: String
    @Relationship(deleteRule: .nullify, inverse: \Sack.granary) var sacks: [Sack] = []
    @Derived(.sum(\Granary.sacks, \.weight)) var weight: Int
    @Derived(.count(\Granary.sacks)) var sackCount: Int
    @Derived(.maximum(\Granary.sacks, \.weight)) var heaviest: Int?

    init(_ name: String) { self.name = name }
  }

  @Model final class Sack {
    var label: String
    var weight: Int
    var granary: Granary?

    init(_ label: String, weight: Int, in granary: Granary?) {
      (self.label, self.weight, self.granary) = (label, weight, granary)
    }
  }
}

/// The macro cannot see the properties of the superclass, so only the container refuses this.
enum UniqueGranary {
  @Model class Bin {
    @Relationship(inverse: \Grain.bin) var items: [Grain] = []
    @Derived(.count(\Bin.items)) var itemCount: Int

    init() {}
  }

  @Model final class Chest: Bin {
    #Unique<Chest>([\.itemCount])

    override init() { super.init() }
  }

  @Model final class Grain {
    var bin: Bin?

    init() {}
  }
}

@Model final class Miller {
  #Index<Miller>([\.key])
  var name: String
  var stones = 1
  var folded: String { name.lowercased() }
  var strength: Int? { stones > 1 ? stones * 10 : nil }
  @Derived(\Miller.folded) var key: String
  @Derived(\Miller.strength) var power: Int?

  init(_ name: String) { self.name = name }
}

enum EarlierMiller {
  @Model final class Brewer {
    var name: String

    init(_ name: String) { self.name = name }
  }
}

enum LaterMiller {
  @Model final class Brewer {
    var name: String
    var folded: String { name.lowercased() }
    @Derived(\Brewer.folded) var key: String

    init(_ name: String) { self.name = name }
  }
}

enum LastMiller {
  @Model final class Brewer {
    var name: String
    var folded: String { name.lowercased() + "!" }
    @Derived(\Brewer.folded, version: 2) var key: String

    init(_ name: String) { self.name = name }
  }
}
