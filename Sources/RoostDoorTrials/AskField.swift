internal import Foundation
internal import Roost

/// A property that a random question may select, group by or sort by.
protocol AskField<Model> {
  associatedtype Model: PersistentModel
  associatedtype Value: Hashable & Sendable
  var name: String { get }
  var keyPath: KeyPath<Model, Value> { get }
}

struct PlainField<Model: PersistentModel, Value: Hashable & Sendable>: AskField {
  let name: String
  let keyPath: KeyPath<Model, Value>

  init(_ name: String, _ keyPath: KeyPath<Model, Value>) {
    self.name = name
    self.keyPath = keyPath
  }
}

/// The properties of things, by kind.
enum AskFields {
  static let third = Computed(#Expression<Thing, Int> { $0.k / 3 })
  private static let known = Computed(#Expression<Thing, Int> { $0.ok ?? 7 })
  private static let choice = Computed(
    #Expression<Thing, String?> { $0.flag ? $0.oname : $0.owner?.name })
  static let prefix = Computed(\Thing.name) { String($0.prefix(1)) }
  static let rest = Computed(\Thing.ok) { $0.map { $0 % 3 } }
  private static let owner = Computed(\Thing.owner?.name) { $0?.lowercased() ?? "nobody" }

  /// Stored properties, computed ones, parts of structs, properties of referenced models,
  /// identifiers, and finally computed values.
  static var all: [any AskField<Thing>] {
    [
      PlainField("k", \Thing.k), PlainField("small", \Thing.small), PlainField("byte", \Thing.byte),
      PlainField("ok", \Thing.ok), PlainField("ratio", \Thing.ratio), PlainField("oratio", \Thing.oratio),
      PlainField("single", \Thing.single), PlainField("price", \Thing.price), PlainField("oprice", \Thing.oprice),
      PlainField("badge", \Thing.badge), PlainField("obadge", \Thing.obadge), PlainField("name", \Thing.name),
      PlainField("oname", \Thing.oname), PlainField("flag", \Thing.flag), PlainField("oflag", \Thing.oflag),
      PlainField("date", \Thing.date), PlainField("odate", \Thing.odate), PlainField("code", \Thing.code),
      PlainField("bytes", \Thing.bytes), PlainField("mood", \Thing.mood), PlainField("omood", \Thing.omood),
      PlainField("mood.rawValue", \Thing.mood.rawValue), PlainField("extent.width", \Thing.extent.width),
      PlainField("extent.label", \Thing.extent.label), PlainField("extent.depth.word", \Thing.extent.depth.word),
      PlainField("oextent?.width", \Thing.oextent?.width),
      PlainField("oextent?.depth.level", \Thing.oextent?.depth.level), PlainField("owner?.age", \Thing.owner?.age),
      PlainField("owner?.name", \Thing.owner?.name), PlainField("owner?.oname", \Thing.owner?.oname),
      PlainField("owner?.boss?.name", \Thing.owner?.boss?.name),
      PlainField("owner?.persistentModelID", \Thing.owner?.persistentModelID),
      PlainField("persistentModelID", \Thing.persistentModelID), PlainField("double", \Thing.double),
      PlainField("k / 3", \Thing.[third]), PlainField("ok ?? 7", \Thing.[known]), PlainField("choice", \Thing.[choice]),
      PlainField("prefix", \Thing.[prefix]), PlainField("ok in three", \Thing.[rest]),
      PlainField("owner's name", \Thing.[owner]), PlainField("title", \Thing.title), PlainField("tags", \Thing.tags),
      PlainField("extent", \Thing.extent),
    ]
  }
}

/// Values as texts, so that values of any type can be compared.
enum Shown {
  /// Returns different texts for values that differ in any bit, except NaN.
  static func exactly(_ value: Any) -> String { text(value, isExact: true) }

  /// Returns one text for equal values.
  static func alike(_ value: Any) -> String { text(value, isExact: false) }

  private static func text(_ value: Any, isExact: Bool) -> String {
    switch value {
    case let known as Double: number(known, isExact)
    case let known as Float: number(Double(known), isExact)
    case let known as Decimal: known.isNaN ? "nan" : "\(known)"
    case let known as String:
      (isExact ? known : known.decomposedStringWithCanonicalMapping).unicodeScalars.map { String($0.value, radix: 16) }
        .joined(separator: " ")
    case let known as Date: number(known.timeIntervalSinceReferenceDate, isExact)
    case let known as Badge: isExact ? known.rawValue : known.rawValue.lowercased()
    case let known as Data: "\(Array(known))"
    case let known as PersistentIdentifier: "id \(known.hashValue)"
    case let known as Extent: "\(known)"
    case let known as [String]: "\(known.count) " + known.map { text($0, isExact: isExact) }.joined(separator: ", ")
    default:
      // An optional, or a value with a complete description.
      Mirror(reflecting: value).displayStyle == .optional ? optional(value, isExact) : "\(value)"
    }
  }

  private static func number(_ number: Double, _ isExact: Bool) -> String {
    if number.isNaN { return "nan" }
    return isExact ? "\(number)" : "\(number + 0)"
  }

  private static func optional(_ value: Any, _ isExact: Bool) -> String {
    guard let inner = Mirror(reflecting: value).children.first?.value else { return "nil" }
    return text(inner, isExact: isExact)
  }
}
