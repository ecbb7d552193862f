public import SwiftData

@MainActor @Model final class OnMain {
  var title: String
  var kids: [OnMain] = []
  var when = Date.now

  init(title: String) { self.title = title }
}

@Model public final class Shown {
  public var name: String
  public private(set) var count = 0
  private(set) var hidden: [String] = []
  fileprivate var secret = "x"

  public init(name: String) { self.name = name }
  public func add() {
    count += 1
    hidden.append(secret)
  }
}

@Model open class OpenOne {
  open var name: String
  public var other: Shown?

  public init(name: String) { self.name = name }
}

@Model open class OpenTwo: OpenOne {
  public var more: Int = 4

  public override init(name: String) { super.init(name: name) }
}

@Model final class OpenThree: OpenTwo {
  var evenMore: String

  init(evenMore: String) {
    self.evenMore = evenMore
    super.init(name: "n")
  }
}

enum Outer {
  @Model final class Inner {
    enum Kind: String, Codable, CaseIterable { case a, b }

    var name: String
    var kind: Kind

    init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }
}

enum SchemaV1: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Thing.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

extension SchemaV1 {
  @Model final class Thing {
    @Attribute(.unique) var id: UUID

    init(id: UUID) { self.id = id }
  }
}

@Model final class Pair<Value: Codable & Hashable> {
  var value: Value
  var other: Value?
  var list: [Value] = []

  init(value: Value) { self.value = value }
}

@Model final class Coded: Codable {
  enum CodingKeys: CodingKey { case name, n }

  var name: String
  var n = 0

  init(name: String) { self.name = name }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    n = try values.decode(Int.self, forKey: .n)
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(n, forKey: .n)
  }
}

@Model final class Holder {
  var coded: Coded?
  var list: [Coded] = []

  init() {}
}

@Model final class Subscriber: Identifiable, CustomStringConvertible {
  #Unique<Subscriber>([\.email], [\.first, \.last])
  #Index<Subscriber>([\.email], [\.first, \.last])
  @Attribute(.unique) var id = UUID()
  var email: String
  var first: String
  var last: String
  var description: String { email }
  #if os(Linux)
    var onLinux = 1
  #else
    var elsewhere = 2
  #endif

  init(email: String, first: String, last: String) {
    self.email = email
    self.first = first
    self.last = last
  }

  convenience init() { self.init(email: "", first: "", last: "") }
}

protocol Named { var name: String { get } }

@Model final class Chapter: Named {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Page.chapter) var pages: [Page]? = []

  init(name: String) { self.name = name }
}

@Model final class Page {
  var chapter: Chapter
  var text: String = ""

  init(chapter: Chapter) { self.chapter = chapter }
}

@Model class Node {
  var parent: Node?
  var children: [Node]

  init() {}
}

/// A model in the form of SwiftData's own expansion, written by hand.
@Model final class ByHand {
  var plain: String
  @Attribute(.unique)
  var name: String {
    @storageRestrictions(accesses: _$backingData, initializes: _name)
    init(initialValue) {
      _$backingData.setValue(forKey: \.name, to: initialValue)
      _name = _SwiftDataNoType()
    }
    get {
      _$observationRegistrar.access(self, keyPath: \.name)
      return self.getValue(forKey: \.name)
    }
    set {
      _$observationRegistrar.withMutation(of: self, keyPath: \.name) {
        self.setValue(forKey: \.name, to: newValue)
      }
    }
  }
  @Transient private var _name: _SwiftDataNoType = _SwiftDataNoType()

  init(name: String) {
    self.plain = "p"
    self.name = name
  }

  init(boxed: String) {
    _plain = .init()
    self.name = "n"
    _$backingData.setValue(forKey: \.plain, to: boxed)
  }
}

@Model class Hull {
  var name: String
  init(name: String) { self.name = name }
}

/// A subclass whose `init` sets a value in the backing data, as SwiftData's own expansion does.
@Model final class Barge: Hull {
  var load: Int

  init(name: String, boxed load: Int) {
    _load = .init()
    super.init(name: name)
    _$backingData.setValue(forKey: \.load, to: load)
  }
}

/// A model with types of its own that have well-known names.
@Model final class Envelope<Date: Codable & Hashable> {
  struct Data: Codable, Hashable { var bytes: [Int] }
  struct URL: Codable, Hashable { var path: String }

  var payload: Data
  var more: [Data] = []
  var place: URL?
  var when: Date
  var real: Foundation.Data = Foundation.Data([1, 2])

  init(payload: Data, when: Date) {
    self.payload = payload
    self.when = when
  }
}

/// Two lists of one class that name the same inverse.
@Model final class Stage {
  @Relationship(inverse: \Lamp.stage) var left: [Lamp] = []
  @Relationship(inverse: \Lamp.stage) var right: [Lamp] = []
  init() {}
}

@Model final class Lamp: Comparable {
  var number: Int
  var stage: Stage?
  var store: Stage?
  init(_ number: Int) { self.number = number }

  static func < (one: Lamp, other: Lamp) -> Bool { one.number < other.number }
}
