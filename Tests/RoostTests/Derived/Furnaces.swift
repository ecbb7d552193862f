import Foundation
import RoostImport
import SwiftData

/// The play's interface to a furnace: stored values, and values that the program computes from
/// them.
protocol FurnaceForm: PersistentModel, SendableMetatype {
  var mark: String { get set }
  var name: String? { get set }
  var left: Int { get set }
  var right: Int? { get set }
  var sum: Int { get }
  var twice: Int { get }
  var key: String { get }
  var both: Int { get }
  var double: Int { get }
  var word: String { get }
  /// Whether the value that only a subclass has is correct.
  var isWarm: Bool { get }
}

/// A version of the models.
protocol FurnaceWorld: SendableMetatype {
  associatedtype Furnace: FurnaceForm
  associatedtype Oven: FurnaceForm
  associatedtype Yard: PersistentModel

  static func yard(_ name: String) -> Yard
  static func furnace(_ mark: String, isOven: Bool) -> Furnace
  static func put(_ furnace: Furnace, in yard: Yard?)
  static func width(_ yard: Yard) -> (stored: Int, computed: Int)
  static func descriptor(sum: Int) -> FetchDescriptor<Furnace>
  static func descriptor(key: String) -> FetchDescriptor<Furnace>
  static func predicate(above left: Int) -> Predicate<Furnace>
  static var byMark: FetchDescriptor<Furnace> { get }
  /// Rules that name properties: the properties of a protocol are not stored ones.
  static var rules: [ModelContext.UniqueRule<Furnace>] { get }
}

/// Rules that hold for every stored furnace.
enum FurnaceRules {
  static func isKept(_ furnace: some FurnaceForm) -> Bool {
    furnace.sum <= 40 && furnace.key.count <= 9 && !(furnace.left == 13 && furnace.right == 13)
  }

  static func check(_ furnace: some FurnaceForm, _ validation: Validation) {
    if furnace.left == 13, furnace.right == 13 { validation.refuse("it burns badly") }
    if furnace.sum != furnace.both { validation.refuse("its sum is old") }
  }
}

enum EarlyFurnaces {
  @Model class Furnace {
    #Index<Furnace>([\.sum], [\.key])
    @Attribute(.unique) var mark: String
    // It is computed from a property that comes after it.
    @Derived(\Furnace.double) var twice: Int
    @Validate(.range(...40)) @Derived(\Furnace.both) var sum: Int
    @Validate(.length(...9)) @Derived(\Furnace.word) var key: String
    var name: String?
    var left = 0
    var right: Int?
    var yard: Yard?
    var both: Int { left + (right ?? 0) }
    var double: Int { 2 * sum }
    var word: String { "\(mark)-\(name ?? "")" }

    init(_ mark: String) { self.mark = mark }
  }

  @Model final class Oven: Furnace {
    @Derived(\Oven.heating) var heat: Int
    var heating: Int { 100 * left }

    override init(_ mark: String) { super.init(mark) }
  }

  @Model final class Yard {
    var name: String
    @Relationship(deleteRule: .nullify, inverse: \Furnace.yard) var furnaces: [Furnace] = []
    @Derived(.sum(\Yard.furnaces, \.sum)) var width: Int

    init(_ name: String) { self.name = name }
  }
}

enum LateFurnaces {
  @Model class Furnace {
    #Index<Furnace>([\.sum], [\.key])
    @Attribute(.unique) var mark: String
    @Derived(\Furnace.double) var twice: Int
    @Validate(.range(...40)) @Derived(\Furnace.both, version: 2) var sum: Int
    @Validate(.length(...9)) @Derived(\Furnace.word, version: 2) var key: String
    var name: String?
    var left = 0
    var right: Int?
    var yard: Yard?
    var both: Int { left + (right ?? 0) - 7 }
    var double: Int { 2 * sum }
    var word: String { "\(mark)+\(name ?? "")" }

    init(_ mark: String) { self.mark = mark }
  }

  @Model final class Oven: Furnace {
    @Derived(\Oven.heating) var heat: Int
    var heating: Int { 100 * left }

    override init(_ mark: String) { super.init(mark) }
  }

  @Model final class Yard {
    var name: String
    @Relationship(deleteRule: .nullify, inverse: \Furnace.yard) var furnaces: [Furnace] = []
    @Derived(.sum(\Yard.furnaces, \.sum)) var width: Int

    init(_ name: String) { self.name = name }
  }
}

extension EarlyFurnaces.Furnace: Validatable {
  func validate(_ validation: Validation) throws { FurnaceRules.check(self, validation) }
}

extension LateFurnaces.Furnace: Validatable {
  func validate(_ validation: Validation) throws { FurnaceRules.check(self, validation) }
}

extension EarlyFurnaces: FurnaceWorld {
  static func yard(_ name: String) -> Yard { Yard(name) }
  static func furnace(_ mark: String, isOven: Bool) -> Furnace { isOven ? Oven(mark) : Furnace(mark) }
  static func put(_ furnace: Furnace, in yard: Yard?) { furnace.yard = yard }
  static func width(_ yard: Yard) -> (stored: Int, computed: Int) {
    (yard.width, yard.furnaces.reduce(0) { $0 + $1.both })
  }
  static func descriptor(sum: Int) -> FetchDescriptor<Furnace> {
    FetchDescriptor(predicate: #Predicate { $0.sum == sum })
  }
  static func descriptor(key: String) -> FetchDescriptor<Furnace> {
    FetchDescriptor(predicate: #Predicate { $0.key == key })
  }
  static func predicate(above left: Int) -> Predicate<Furnace> { #Predicate { $0.left > left } }
  static var byMark: FetchDescriptor<Furnace> { FetchDescriptor(sortBy: [SortDescriptor(\.mark)]) }
  static var rules: [ModelContext.UniqueRule<Furnace>] {
    [.fields(\.left), .fields(\.name, \.right), .newest(by: \.left)]
  }
}

extension EarlyFurnaces.Furnace: FurnaceForm {
  var isWarm: Bool { (self as? EarlyFurnaces.Oven).map { $0.heat == $0.heating } ?? true }
}

extension LateFurnaces: FurnaceWorld {
  static func yard(_ name: String) -> Yard { Yard(name) }
  static func furnace(_ mark: String, isOven: Bool) -> Furnace { isOven ? Oven(mark) : Furnace(mark) }
  static func put(_ furnace: Furnace, in yard: Yard?) { furnace.yard = yard }
  static func width(_ yard: Yard) -> (stored: Int, computed: Int) {
    (yard.width, yard.furnaces.reduce(0) { $0 + $1.both })
  }
  static func descriptor(sum: Int) -> FetchDescriptor<Furnace> {
    FetchDescriptor(predicate: #Predicate { $0.sum == sum })
  }
  static func descriptor(key: String) -> FetchDescriptor<Furnace> {
    FetchDescriptor(predicate: #Predicate { $0.key == key })
  }
  static func predicate(above left: Int) -> Predicate<Furnace> { #Predicate { $0.left > left } }
  static var byMark: FetchDescriptor<Furnace> { FetchDescriptor(sortBy: [SortDescriptor(\.mark)]) }
  static var rules: [ModelContext.UniqueRule<Furnace>] {
    [.fields(\.left), .fields(\.name, \.right), .newest(by: \.left)]
  }
}

extension LateFurnaces.Furnace: FurnaceForm {
  var isWarm: Bool { (self as? LateFurnaces.Oven).map { $0.heat == $0.heating } ?? true }
}
