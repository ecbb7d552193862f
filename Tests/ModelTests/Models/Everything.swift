import SwiftData

enum Level: Int, Codable { case low, high }
enum Currency: String, Codable { case eur, usd }
enum Shape: Codable, Equatable { case dot, circle(radius: Double), named(String, Int) }
enum Plain: Codable, Equatable { case one, two }
struct Tree: Codable, Equatable { var name: String; var kids: [Tree]; var when: Date? }
struct Money: Codable, Equatable, Hashable { var amount: Decimal; var currency: Currency }
struct Trip: Codable, Equatable { var cost: Money; var back: Money?; var stops: [Money]; var days: Int? }
struct Flags: OptionSet, Codable, Hashable { let rawValue: Int; static let a = Flags(rawValue: 1) }

/// A struct that encodes itself as one value.
struct Code: Codable, Equatable {
  var text: String

  init(text: String) { self.text = text }
  init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// A value of every type that can be stored.
@Model final class Everything {
  /// A comment before a property.
  var flag: Bool = false
  var n8: Int8 = -1
  var n16: Int16 = -2
  var n32: Int32 = -3
  var n64: Int64 = .min
  var n = 0
  var u: UInt = 5
  var u8: UInt8 = 6
  var u16: UInt16 = 7
  var u32: UInt32 = 8
  var u64: UInt64 = .max
  var f: Float = 1.5
  var d = -2.5
  var dec: Decimal = 1.25
  var text = "text"
  var bytes = Data([1, 2])
  var date = Date(timeIntervalSinceReferenceDate: 1)
  var uuid = UUID()
  var url: URL = URL(string: "https://example.org/a?b=c")!
  var level = Level.high
  var levelToo: Level? = nil
  var shape: Shape = .circle(radius: 2)
  var shapeToo: Shape?
  var plain = Plain.two
  var tree: Tree = Tree(name: "r", kids: [Tree(name: "k", kids: [])])
  var money: Money = Money(amount: 3, currency: .eur)
  var moneyToo: Money?
  var trip: Trip?
  var code: Code = Code(text: "c")
  var codeToo: Code?
  var list: [Int] = [1, 2]
  var texts: Set<String> = ["b", "a"]
  var dict: [String: Int] = ["a": 1]
  var deep: [String: [Int?]] = ["a": [1, nil]]
  var levels: [Level] = [.low]
  var moneys: [Money] = []
  var moneyBy: [String: Money] = [:]
  var shapes: [Shape] = []
  var flags: Flags = Flags.a
  var optionalList: [String]?
  var optionalDate: Date?
  var optionalURL: URL?
  var optionalDecimal: Decimal?
  var optionalBool: Bool?
  var optionalUUID: UUID?
  var implicit: String!
  var array: Array<String> = []
  var `default`: Int = 3
  @Transient var note = "n"
  @Transient var cache: [Int: String] = [:]
  @Transient var maybe: AnyObject?
  @Transient lazy var lazyOne = 4
  static let shared = 3
  let constant = 4
  @Transient weak var delegate: AnyObject?
  var computed: Int { n + 1 }
  var computedSet: Int {
    get { list.count }
    set { list = [newValue] }
  }
  @Attribute(originalName: "old") var renamed: String = ""
  @Attribute(.externalStorage, .spotlight) var big: Data?

  init() {}
}
