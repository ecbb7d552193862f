internal import Foundation
internal import Roost

/// Two properties whose values a random join compares, and the result that plain Swift computes for
/// two models.
struct AskPair<Other: PersistentModel> {
  let name: String
  let key: JoinKey<Thing, Other>
  let holds: (Thing, Other) -> Bool
}

extension AskPair {
  /// Values that can only be equal or different.
  static func equal<Key: Hashable & Sendable>(
    _ name: String, _ own: KeyPath<Thing, Key>, other: KeyPath<Other, Key>
  ) -> [AskPair] {
    [
      AskPair(name: "\(name) ==", key: .equal(own, other)) { $0[keyPath: own] == $1[keyPath: other] },
      AskPair(name: "\(name) !=", key: .notEqual(own, other)) { $0[keyPath: own] != $1[keyPath: other] },
    ]
  }

  /// Values that can only be equal or different; nil is neither.
  static func equal<Key: Hashable & Sendable>(
    _ name: String, _ own: KeyPath<Thing, Key>, other: KeyPath<Other, Key?>
  ) -> [AskPair] {
    [
      AskPair(name: "\(name) ==", key: .equal(own, other)) { $0[keyPath: own] == $1[keyPath: other] },
      AskPair(name: "\(name) !=", key: .notEqual(own, other)) { one, two in
        two[keyPath: other].map { $0 != one[keyPath: own] } ?? false
      },
    ]
  }

  static func ordered<Key: Comparable & Hashable & Sendable>(
    _ name: String, _ own: KeyPath<Thing, Key>, other: KeyPath<Other, Key>
  ) -> [AskPair] {
    made(
      name, { $0[keyPath: own] }, other: { $0[keyPath: other] },
      keys: [
        .equal(own, other), .notEqual(own, other), .less(own, other), .atMost(own, other), .greater(own, other),
        .atLeast(own, other),
      ])
  }

  static func ordered<Key: Comparable & Hashable & Sendable>(
    _ name: String, _ own: KeyPath<Thing, Key>, other: KeyPath<Other, Key?>
  ) -> [AskPair] {
    made(
      name, { $0[keyPath: own] }, other: { $0[keyPath: other] },
      keys: [
        .equal(own, other), .notEqual(own, other), .less(own, other), .atMost(own, other), .greater(own, other),
        .atLeast(own, other),
      ])
  }

  static func ordered<Key: Comparable & Hashable & Sendable>(
    _ name: String, _ own: KeyPath<Thing, Key?>, other: KeyPath<Other, Key>
  ) -> [AskPair] {
    made(
      name, { $0[keyPath: own] }, other: { $0[keyPath: other] },
      keys: [
        .equal(own, other), .notEqual(own, other), .less(own, other), .atMost(own, other), .greater(own, other),
        .atLeast(own, other),
      ])
  }

  static func ordered<Key: Comparable & Hashable & Sendable>(
    _ name: String, _ own: KeyPath<Thing, Key?>, other: KeyPath<Other, Key?>
  ) -> [AskPair] {
    made(
      name, { $0[keyPath: own] }, other: { $0[keyPath: other] },
      keys: [
        .equal(own, other), .notEqual(own, other), .less(own, other), .atMost(own, other), .greater(own, other),
        .atLeast(own, other),
      ])
  }

  /// - Parameter keys: the keys, in the order of the operators below.
  private static func made<Key: Comparable>(
    _ name: String, _ own: @escaping (Thing) -> Key?, other: @escaping (Other) -> Key?, keys: [JoinKey<Thing, Other>]
  ) -> [AskPair] {
    let operators: [(String, (Key, Key) -> Bool)] = [
      ("==", { $0 == $1 }), ("!=", { $0 != $1 }), ("<", { $0 < $1 }), ("<=", { $0 <= $1 }), (">", { $0 > $1 }),
      (">=", { $0 >= $1 }),
    ]
    return zip(keys, operators).map { key, test in
      AskPair(name: "\(name) \(test.0)", key: key) { one, two in
        guard let one = own(one), let two = other(two) else { return false }
        return test.1(one, two)
      }
    }
  }
}

extension AskPair where Other == Thing {
  /// Equal values of properties that have an index.
  static var indexed: [AskPair] {
    [
      ordered("k", \Thing.k, other: \Thing.k), ordered("ok", \Thing.ok, other: \Thing.ok),
      ordered("ratio", \Thing.ratio, other: \Thing.ratio), ordered("name", \Thing.name, other: \Thing.name),
      ordered("date", \Thing.date, other: \Thing.date), ordered("price", \Thing.price, other: \Thing.price),
      equal("badge", \Thing.badge, other: \Thing.badge), ordered("k, ok", \Thing.k, other: \Thing.ok),
      ordered("ok, k", \Thing.ok, other: \Thing.k),
    ].map { $0[0] }
  }

  static var things: [AskPair] {
    ordered("k", \Thing.k, other: \Thing.k) + ordered("ok", \Thing.ok, other: \Thing.ok)
      + ordered("ratio", \Thing.ratio, other: \Thing.ratio)
      + ordered("oratio", \Thing.oratio, other: \Thing.ratio) + ordered("price", \Thing.price, other: \Thing.oprice)
      + ordered("name", \Thing.name, other: \Thing.name) + ordered("name, oname", \Thing.name, other: \Thing.oname)
      + ordered("date, odate", \Thing.date, other: \Thing.odate)
      + ordered("single", \Thing.single, other: \Thing.single)
      + ordered("small", \Thing.small, other: \Thing.small)
      + ordered("age", \Thing.owner?.age, other: \Thing.owner?.age)
      + ordered("width", \Thing.extent.width, other: \Thing.oextent?.width)
      + ordered("double", \Thing.double, other: \Thing.k)
      + ordered("code", \Thing.code, other: \Thing.code) + equal("mood", \Thing.mood, other: \Thing.omood)
      + equal("badge", \Thing.badge, other: \Thing.badge) + ordered("k, rest", \Thing.k, other: \Thing.[AskFields.rest])
      + ordered("third, ok", \Thing.[AskFields.third], other: \Thing.ok)
      + ordered("ok, third", \Thing.ok, other: \Thing.[AskFields.third])
      + equal("name, prefix", \Thing.name, other: \Thing.[AskFields.prefix])
      + equal("badge, obadge", \Thing.badge, other: \Thing.obadge)
      + equal("bytes", \Thing.bytes, other: \Thing.bytes) + equal("flag", \Thing.flag, other: \Thing.oflag)
  }
}

extension AskPair where Other == Owner {
  static var owners: [AskPair] {
    ordered("k, age", \Thing.k, other: \Owner.age) + ordered("ok, age", \Thing.ok, other: \Owner.age)
      + ordered("name", \Thing.name, other: \Owner.name) + ordered("oname", \Thing.oname, other: \Owner.oname)
      + ordered("owner's name, boss's", \Thing.owner?.name, other: \Owner.boss?.name)
  }
}

extension AskPair where Other == Piece {
  static var pieces: [AskPair] {
    ordered("ok, n", \Thing.ok, other: \Piece.n) + ordered("name, word", \Thing.name, other: \Piece.word)
      + ordered("width, thing's", \Thing.extent.width, other: \Piece.thing?.extent.width)
      + equal("owner's name, word", \Thing.name, other: \Piece.word)
  }
}
