import Foundation
import SwiftData

/// A model whose `validate` does what a test wants.
@Model final class Squad {
  @Attribute(.unique) var code: String
  var note = ""
  @Relationship(inverse: \Soldier.squad) var men: [Soldier] = []
  @Relationship(inverse: \Bunk.squad) var room: Bunk?

  init(_ code: String) { self.code = code }

  deinit { SquadWatch.current?.end?(self) }
}

@Model final class Soldier {
  @Attribute(.unique) var name: String
  var pay = 1
  var squad: Squad?

  init(_ name: String) { self.name = name }
}

extension Squad {
  /// A container with a squad of three soldiers, in a bunk of its own, for each code.
  static func container(_ codes: String...) throws -> ModelContainer {
    let container = try ModelContainer(
      for: Squad.self, Soldier.self, Bunk.self, Sentry.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for (number, code) in codes.enumerated() {
      let squad = Squad(code)
      context.insert(squad)
      squad.men = (0..<3).map { Soldier("\(code)\($0)") }
      squad.room = Bunk(number)
    }
    try context.save()
    return container
  }
}

/// A model without a `validate`.
@Model final class Bunk {
  var number: Int
  var squad: Squad?
  var cost: SquadMoney

  init(_ number: Int) { (self.number, cost) = (number, SquadMoney(amount: number)) }
}

/// A model that references one that does not know it.
@Model final class Sentry {
  var soldier: Soldier?

  init(_ soldier: Soldier?) { self.soldier = soldier }
}

extension Sentry: Validatable {
  func validate(_ validation: Validation) throws { try SquadWatch.current?.validate?(self, validation) }
}

/// A value that calls code of the test whenever it is stored.
struct SquadMoney: Codable, Equatable {
  var amount: Int

  init(amount: Int) { self.amount = amount }

  init(from decoder: any Decoder) throws { amount = try decoder.singleValueContainer().decode(Int.self) }

  func encode(to encoder: any Encoder) throws {
    SquadWatch.current?.encode?()
    var container = encoder.singleValueContainer()
    try container.encode(amount)
  }
}

/// The code of a test, for its own task.
struct SquadWatch: @unchecked Sendable {
  @TaskLocal static var current: SquadWatch?

  var validate: ((any PersistentModel, Validation) throws -> Void)?
  var encode: (() -> Void)?
  /// Called by the `deinit` of a squad.
  var end: ((Squad) -> Void)?
}

extension Squad: Validatable {
  func validate(_ validation: Validation) throws { try SquadWatch.current?.validate?(self, validation) }
}

extension Soldier: Validatable {
  func validate(_ validation: Validation) throws {
    if pay > 50 { validation.refuse("too much", at: \Soldier.pay) }
    try SquadWatch.current?.validate?(self, validation)
  }
}
