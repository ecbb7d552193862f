#if canImport(Roost)
  import SwiftData

  @Model final class Guild {
    var code: String
    var size = 0
    @Relationship(inverse: \Smith.guild) var smiths: [Smith] = []
    var head: Smith?
    @Relationship(inverse: \GuildHall.guild) var hall: GuildHall?
    var whole: Guild?
    @Relationship(inverse: \Guild.whole) var parts: [Guild] = []

    init(_ code: String, _ size: Int) {
      self.code = code
      self.size = size
    }
  }

  @Model final class Smith {
    var name: String
    var pay: Int
    var guild: Guild?
    @Relationship(inverse: \GuildSkill.smiths) var crafts: [GuildSkill] = []

    init(_ name: String, _ pay: Int) {
      self.name = name
      self.pay = pay
    }
  }

  @Model final class GuildHall {
    var number: Int
    var guild: Guild?

    init(_ number: Int) { self.number = number }
  }

  @Model final class GuildSkill {
    var title: String
    var smiths: [Smith] = []

    init(_ title: String) { self.title = title }
  }
#endif
