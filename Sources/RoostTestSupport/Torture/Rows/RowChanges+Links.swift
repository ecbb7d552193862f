internal import RoostRecords

/// Changes of links, and of the order of referring rows.
extension RowChanges {
  mutating func changeLinks(_ writer: RecordWriter, _ model: inout RowModel) throws {
    guard !model.owners.isEmpty, !model.items.isEmpty else { return }
    let (owner, item) = (generator.pick(model.owners), generator.pick(model.items))
    let kind = generator.pick(RowModel.kinds)
    let links = try writer.links(kind.name, of: "Owner")
    let list = model.state.lists[kind.name]?[owner] ?? []
    func demand(_ isRight: Bool, _ what: String) throws {
      if !isRight { throw WrongAnswer("\(kind.name) of owner \(owner): \(what)") }
    }
    switch generator.below(7) {
    case 0, 1:
      let place = kind.isOrdered && generator.chance(1, in: 2) ? generator.below(list.count + 1) : nil
      let isNew = model.link(kind, owner, item: item, at: place)
      try demand(links.insert(RowID(item), at: place, in: RowID(owner)) == isNew, "a link is new, or is not")
    case 2:
      let back = model.state.lists[kind.back]?[item] ?? []
      let place = kind.isBackOrdered && generator.chance(1, in: 2) ? generator.below(back.count + 1) : nil
      let isNew = model.link(kind, owner, item: item, atBack: place)
      let other = try writer.links(kind.back, of: "Item")
      try demand(other.insert(RowID(owner), at: place, in: RowID(item)) == isNew, "a link is new, or is not")
    case 3, 4:
      guard !list.isEmpty else { return }
      let place = generator.below(list.count)
      let gone = list[place]
      // If a list has a row several times, the model does not know which link is removed on the
      // other side.
      guard list.count(where: { $0 == gone }) == 1 else { return }
      try demand(links.remove(at: place, from: RowID(owner)).number == gone, "another row left")
      var rest = list
      rest.remove(at: place)
      model.set(rest, of: owner, kind.name)
      model.drop(owner, from: gone, kind.back)
    case 5:
      guard kind.isOrdered, list.count > 1 else { return }
      let (from, to) = (generator.below(list.count), generator.below(list.count))
      try links.move(from: from, to: to, in: RowID(owner))
      var moved = list
      moved.insert(moved.remove(at: from), at: to)
      model.set(moved, of: owner, kind.name)
    default:
      if generator.chance(1, in: 8) {
        try links.removeAll(of: RowID(owner))
        for gone in Set(list) { model.drop(owner, from: gone, kind.back) }
        return model.set([], of: owner, kind.name)
      }
      var wanted = model.items.filter { _ in generator.chance(1, in: 6) }
      wanted.shuffle(using: &generator)
      if !kind.isOrdered { wanted.sort() }
      try links.replace(wanted.map { RowID($0) }, of: RowID(owner))
      model.replace(kind, owner, wanted: wanted)
    }
  }

  /// Changes the items of an owner: references with a stored order.
  mutating func changeItems(_ writer: RecordWriter, _ model: inout RowModel) throws {
    guard !model.owners.isEmpty, !model.items.isEmpty else { return }
    let (owner, item) = (generator.pick(model.owners), generator.pick(model.items))
    let items = try writer.links("items", of: "Owner")
    var list = model.state.lists["items"]?[owner] ?? []
    switch generator.below(6) {
    case 0:
      if list.contains(item) { return }
      let place = generator.chance(1, in: 2) ? list.count : generator.below(list.count + 1)
      _ = try items.insert(RowID(item), at: place, in: RowID(owner))
      model.update(item, ["owner": .reference(RowID(owner))])
      list.insert(item, at: place)
    case 1:
      guard list.count > 1 else { return }
      let (from, to) = (generator.below(list.count), generator.below(list.count))
      try items.move(from: from, to: to, in: RowID(owner))
      list.insert(list.remove(at: from), at: to)
    case 2:
      try items.removeAll(of: RowID(owner))
      for row in list { model.update(row, ["owner": .null]) }
      list = []
    default:
      // Half of the lists are in the order of the numbers, which is not stored.
      let isSorted = generator.chance(1, in: 2)
      var wanted = list
      if !isSorted || generator.chance(1, in: 2) { wanted = model.items.filter { _ in generator.chance(1, in: 8) } }
      if isSorted { wanted.sort() } else { wanted.shuffle(using: &generator) }
      try items.replace(wanted.map { RowID($0) }, of: RowID(owner))
      for row in list where !wanted.contains(row) { model.update(row, ["owner": .null]) }
      for row in wanted { model.update(row, ["owner": .reference(RowID(owner))]) }
      list = wanted
    }
    model.set(list, of: owner, "items")
  }
}
