import Testing

@testable import RoostGraph

#if DEBUG
  @Suite struct SamenessTests {
    @Test func `equal and different values are told apart`() {
      struct Loose {
        var number: Double
        var names: Set<String>
        var table: [String: [Loose]]
      }
      func loose(_ number: Double, _ names: Set<String> = [], _ table: [String: [Loose]] = [:]) -> Loose {
        Loose(number: number, names: names, table: table)
      }
      #expect(Sameness.holds(loose(.nan, ["a", "b"]), loose(.nan, ["b", "a"])))
      #expect(!Sameness.holds(loose(.nan), loose(1)) && !Sameness.holds(loose(1), loose(2)))
      #expect(!Sameness.holds(loose(1, ["a"]), loose(1, ["b"])))
      let keys = (0..<40).map { "\($0)" }
      let one = Dictionary(uniqueKeysWithValues: keys.map { ($0, [loose(2)]) })
      let other = Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, [loose(2)]) })
      #expect(Sameness.holds(loose(1, [], one), loose(1, [], other)))
      #expect(!Sameness.holds(loose(1, [], one), loose(1, [], ["a": []])))
      let (some, none): (Any, Any) = (loose(1) as Loose? as Any, Loose?.none as Any)
      #expect(Sameness.holds(some, some) && !Sameness.holds(some, none) && Sameness.holds(none, none))
    }
  }
#endif
