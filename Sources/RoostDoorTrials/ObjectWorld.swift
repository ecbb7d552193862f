/// The expected result, in plain Swift: the objects and their links.
///
/// A deletion hides an object and its links until the save. So undoing a deletion shows everything
/// again, except members that other objects got meanwhile.
struct ObjectWorld {
  enum Kind: CaseIterable { case farm, ranch, beast, barn, hand }

  struct Object {
    var kind: Kind
    var value = 0
    /// The object whose deletion will delete this one; itself, if the play deleted it.
    var deletedBy: Int?
    /// To-one: the farm of a beast, the ranch of a barn.
    var home: Int?
    var mate: Int?
    var rival: Int?
    /// The list of a farm.
    var beasts: [Int] = []
    /// The list of a ranch.
    var barns: [Int] = []
    var guests: [Int] = []
    var hands: Set<Int> = []
  }

  private(set) var objects: [Int: Object] = [:]
  /// Lists to which an object came back: it is at its former place, or at the end. The next check
  /// takes over their order.
  private(set) var loose: Set<ObjectList> = []

  enum Member { case beasts, barns, guests }
  struct ObjectList: Hashable {
    var owner: Int
    var member: Member
  }

  func isAlive(_ number: Int?) -> Bool { number.flatMap { objects[$0] }.map { $0.deletedBy == nil } ?? false }
  func alive(_ kinds: Kind...) -> [Int] {
    objects.filter { kinds.contains($0.value.kind) && $0.value.deletedBy == nil }.map(\.key).sorted()
  }
  var deleted: [Int] { objects.filter { $0.value.deletedBy == $0.key }.map(\.key).sorted() }

  // MARK: Visible objects

  func home(_ number: Int) -> Int? { objects[number]?.home.flatMap { isAlive($0) ? $0 : nil } }
  func mate(_ number: Int) -> Int? { objects[number]?.mate.flatMap { isAlive($0) ? $0 : nil } }
  func rival(_ number: Int) -> Int? { objects[number]?.rival.flatMap { isAlive($0) ? $0 : nil } }
  func list(_ list: ObjectList) -> [Int] { all(list).filter(isAlive) }
  func hands(_ number: Int) -> Set<Int> { objects[number]?.hands.filter(isAlive) ?? [] }

  private func all(_ list: ObjectList) -> [Int] {
    guard let owner = objects[list.owner] else { return [] }
    return switch list.member {
    case .beasts: owner.beasts
    case .barns: owner.barns
    case .guests: owner.guests
    }
  }

  private mutating func set(_ list: ObjectList, _ rows: [Int]) {
    switch list.member {
    case .beasts: objects[list.owner]?.beasts = rows
    case .barns: objects[list.owner]?.barns = rows
    case .guests: objects[list.owner]?.guests = rows
    }
  }

  // MARK: Changes

  mutating func add(_ number: Int, _ kind: Kind) { objects[number] = Object(kind: kind) }
  mutating func setValue(_ number: Int, _ value: Int) { objects[number]?.value = value }

  private func homeList(_ number: Int, _ home: Int) -> ObjectList {
    ObjectList(owner: home, member: objects[number]?.kind == .barn ? .barns : .beasts)
  }

  mutating func setHome(_ number: Int, _ home: Int?) {
    let before = objects[number]?.home
    if before == home { return }
    if let before {
      let list = homeList(number, before)
      set(list, all(list).filter { $0 != number })
    }
    objects[number]?.home = home
    if let home { set(homeList(number, home), all(homeList(number, home)) + [number]) }
  }

  mutating func setMate(_ number: Int, _ mate: Int?) {
    let before = objects[number]?.mate
    if before == mate { return }
    if let before, before != number { objects[before]?.mate = nil }
    objects[number]?.mate = mate
    guard let mate, mate != number else { return }
    if let other = objects[mate]?.mate, other != mate { objects[other]?.mate = nil }
    objects[mate]?.mate = number
  }

  mutating func setRival(_ number: Int, _ rival: Int?) { objects[number]?.rival = rival }

  /// Replaces the members of a list. Hidden members stay after them.
  mutating func setList(_ list: ObjectList, _ members: [Int]) {
    let hidden = all(list).filter { !isAlive($0) }
    if list.member != .guests {
      for one in all(list) where isAlive(one) && !members.contains(one) { objects[one]?.home = nil }
      for one in members where objects[one]?.home != list.owner {
        if let former = objects[one]?.home {
          let other = homeList(one, former)
          set(other, all(other).filter { $0 != one })
        }
        objects[one]?.home = list.owner
      }
    }
    set(list, members + hidden)
    loose.remove(list)
    if !hidden.isEmpty { loose.insert(list) }
  }

  mutating func setHand(_ hand: Int, _ ranch: Int, isThere: Bool) {
    if isThere { objects[ranch]?.hands.insert(hand) } else { objects[ranch]?.hands.remove(hand) }
  }

  mutating func delete(_ number: Int) {
    guard isAlive(number) else { return }
    objects[number]?.deletedBy = number
    for barn in objects[number]?.barns ?? [] where isAlive(barn) { objects[barn]?.deletedBy = number }
  }

  /// Undoes a deletion, with the objects that it deleted.
  mutating func insertAgain(_ number: Int) {
    for (other, object) in objects where object.deletedBy == number {
      objects[other]?.deletedBy = nil
      for (owner, _) in objects {
        for member in [Member.beasts, .barns, .guests] {
          let list = ObjectList(owner: owner, member: member)
          if owner == other || all(list).contains(other) { loose.insert(list) }
        }
      }
    }
  }

  /// Saves: deleted objects and their links are removed.
  mutating func settle() {
    let dead = Set(objects.filter { $0.value.deletedBy != nil }.map(\.key))
    if dead.isEmpty { return }
    for number in dead { objects[number] = nil }
    for number in objects.keys {
      guard var object = objects[number] else { continue }
      if let home = object.home, dead.contains(home) { object.home = nil }
      if let mate = object.mate, dead.contains(mate) { object.mate = nil }
      if let rival = object.rival, dead.contains(rival) { object.rival = nil }
      object.beasts.removeAll(where: dead.contains)
      object.barns.removeAll(where: dead.contains)
      object.guests.removeAll(where: dead.contains)
      object.hands.subtract(dead)
      objects[number] = object
    }
    loose = loose.filter { !dead.contains($0.owner) }
  }

  /// Takes over the order of a list, if it may be any.
  mutating func adopt(_ list: ObjectList, _ members: [Int]) {
    guard loose.contains(list) else { return }
    let hidden = all(list).filter { !isAlive($0) }
    set(list, members + hidden)
    if hidden.isEmpty { loose.remove(list) }
  }
}
