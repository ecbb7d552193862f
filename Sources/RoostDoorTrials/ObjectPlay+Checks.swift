internal import Foundation
internal import Roost

/// Compares the models with the world.
extension ObjectPlay {
  func check(_ place: String) {
    for (number, object) in world.objects.sorted(by: { $0.key < $1.key }) where object.deletedBy == nil {
      let words = "\(place): \(object.kind) \(number)"
      switch models[number] {
      case let farm as Farm:
        expect(farm.size, object.value, words: words + ".size")
        expect(
          farm.beasts.map(\.number), ObjectWorld.ObjectList(owner: number, member: .beasts), words: words + ".beasts")
        guard let ranch = farm as? Ranch else { continue }
        expect(
          ranch.barns.map(\.number), ObjectWorld.ObjectList(owner: number, member: .barns), words: words + ".barns")
        expect(
          ranch.guests.map(\.number), ObjectWorld.ObjectList(owner: number, member: .guests), words: words + ".guests")
        expect(ranch.hands.map(\.number).sorted(), world.hands(number).sorted(), words: words + ".hands")
      case let beast as Beast:
        expect(beast.weight, object.value, words: words + ".weight")
        expect(beast.farm?.number, world.home(number), words: words + ".farm")
        expect(beast.mate?.number, world.mate(number), words: words + ".mate")
        expect(beast.rival?.number, world.rival(number), words: words + ".rival")
      case let barn as Barn:
        expect(barn.height, object.value, words: words + ".height")
        expect(barn.ranch?.number, world.home(number), words: words + ".ranch")
      case let hand as Hand:
        let ranches = world.alive(.ranch).filter { world.hands($0).contains(number) }
        expect(hand.ranches.map(\.number).sorted(), ranches, words: words + ".ranches")
      default: complaint = complaint ?? words + " has no model"
      }
    }
    count("comparisons")
  }

  private func expect<Value: Equatable>(_ shown: Value, _ wanted: Value, words: @autoclosure () -> String) {
    if shown != wanted, complaint == nil { complaint = "\(words()) is \(shown), and must be \(wanted)" }
  }

  private func expect(_ shown: [Int], _ list: ObjectWorld.ObjectList, words: @autoclosure () -> String) {
    let wanted = world.list(list)
    guard world.loose.contains(list) else { return expect(shown, wanted, words: words()) }
    expect(shown.sorted(), wanted.sorted(), words: words())
    world.adopt(list, shown)
  }
}
