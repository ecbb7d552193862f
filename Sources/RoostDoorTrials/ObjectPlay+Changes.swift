internal import Foundation
internal import Roost
internal import RoostTestSupport

/// The changes of a play. Each is made to the models and to the `ObjectWorld` that predicts their
/// state.
extension ObjectPlay {
  func make(_ kind: ObjectWorld.Kind) {
    let number = next
    next += 1
    let made: any PersistentModel =
      switch kind {
      case .farm: Farm(number)
      case .ranch: Ranch(number)
      case .beast: Beast(number)
      case .barn: Barn(number)
      case .hand: Hand(number)
      }
    models[number] = made
    world.add(number, kind)
    context.insert(made)
  }

  func change() throws {
    let farms = world.alive(.farm, .ranch)
    let ranches = world.alive(.ranch)
    let beasts = world.alive(.beast)
    switch random.below(16) {
    case 0: if world.objects.count < 24 { make(ObjectWorld.Kind.allCases[random.below(5)]) }
    case 1: changeValue()
    case 2, 3:
      guard let beast = pick(beasts) else { return }
      let farm = random.chance(1, in: 4) ? nil : pick(farms)
      model(beast, Beast.self).farm = farm.map { model($0) }
      world.setHome(beast, farm)
    case 4:
      guard let barn = pick(world.alive(.barn)) else { return }
      let ranch = random.chance(1, in: 4) ? nil : pick(ranches)
      model(barn, Barn.self).ranch = ranch.map { model($0) }
      world.setHome(barn, ranch)
    case 5:
      guard let beast = pick(beasts) else { return }
      let mate = random.chance(1, in: 4) ? nil : pick(beasts.filter { $0 != beast })
      model(beast, Beast.self).mate = mate.map { model($0) }
      world.setMate(beast, mate)
    case 6:
      guard let beast = pick(beasts) else { return }
      let rival = random.chance(1, in: 4) ? nil : pick(beasts)
      model(beast, Beast.self).rival = rival.map { model($0) }
      world.setRival(beast, rival)
    case 7, 8:
      if let farm = pick(farms) {
        changeList(farm, .beasts, candidates: beasts) { (farm: Farm, beasts: [Beast]) in farm.beasts = beasts }
      }
    case 9:
      guard let ranch = pick(ranches) else { return }
      changeList(ranch, .barns, candidates: world.alive(.barn)) { (farm: Farm, barns: [Barn]) in
        (farm as? Ranch)?.barns = barns
      }
    case 10:
      guard let ranch = pick(ranches) else { return }
      changeList(ranch, .guests, candidates: beasts) { (farm: Farm, guests: [Beast]) in
        (farm as? Ranch)?.guests = guests
      }
    case 11: changeHands(ranches)
    case 12: try takeOver(ranches)
    case 13, 14: delete()
    default: insertAgain()
    }
  }

  private func changeValue() {
    guard let number = pick(world.alive(.farm, .ranch, .beast, .barn)) else { return }
    let value = random.below(100)
    switch models[number] {
    case let farm as Farm: farm.size = value
    case let beast as Beast: beast.weight = value
    case let barn as Barn: barn.height = value
    default: return
    }
    world.setValue(number, value)
  }

  /// Replaces the members of a list, or appends one.
  private func changeList<Member: PersistentModel>(
    _ owner: Int, _ member: ObjectWorld.Member, candidates: [Int], assign: (Farm, [Member]) -> Void
  ) {
    let list = ObjectWorld.ObjectList(owner: owner, member: member)
    var members = world.list(list)
    if world.loose.contains(list) { return }
    switch random.below(5) {
    case 0: if let one = pick(candidates.filter { !members.contains($0) }) { members.append(one) }
    case 1: if !members.isEmpty { members.remove(at: random.below(members.count)) }
    case 2: members.shuffle(using: &random)
    case 3: members = Array(candidates.shuffled(using: &random).prefix(random.below(5)))
    default: members = []
    }
    assign(model(owner), members.map { model($0) })
    world.setList(list, members)
    count("lists")
  }

  private func changeHands(_ ranches: [Int]) {
    guard let ranch = pick(ranches), let hand = pick(world.alive(.hand)) else { return }
    let (place, worker) = (model(ranch, Ranch.self), model(hand, Hand.self))
    let isThere = world.hands(ranch).contains(hand)
    switch (isThere, random.chance(1, in: 2)) {
    case (true, true): place.hands.removeAll { $0 === worker }
    case (true, false): worker.ranches.removeAll { $0 === place }
    case (false, true): place.hands.append(worker)
    case (false, false): worker.ranches.append(place)
    }
    world.setHand(hand, ranch, isThere: !isThere)
  }

  /// Inserts a barn with the number of a stored one, which is merged into the stored one.
  private func takeOver(_ ranches: [Int]) throws {
    guard !context.hasChanges, let number = pick(world.alive(.barn)) else { return }
    let barn = Barn(number)
    barn.height = random.below(100)
    let ranch = random.chance(1, in: 2) ? pick(ranches) : nil
    context.insert(barn)
    if let ranch { barn.ranch = model(ranch) }
    world.setValue(number, barn.height)
    if let ranch { world.setHome(number, ranch) }
    try save()
    count("upserts")
  }

  private func delete() {
    guard let number = pick(world.alive(.farm, .ranch, .beast, .barn, .hand)), let model = models[number] else {
      return
    }
    context.delete(model)
    world.delete(number)
    count("deletions")
  }

  private func insertAgain() {
    guard let number = pick(world.deleted), let model = models[number] else { return }
    // The deletion of its ranch would delete it again.
    if world.objects[number]?.kind == .barn, let ranch = world.objects[number]?.home, !world.isAlive(ranch) { return }
    context.insert(model)
    world.insertAgain(number)
    count("deletions taken back")
  }
}
