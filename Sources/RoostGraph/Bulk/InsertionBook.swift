internal import Synchronization

/// The objects that went into one insertion in bulk, each with its row: who leads to one of them later leads to that row, and who comes
/// again is there already.
///
/// The row's number stands in the object, and the ticket says whose number it is. Objects that nobody else has are let go: nobody can lead
/// to them any more.
///
/// An object that goes may run a user's `deinit`, which may do anything. So this is a class, and it changes lists of objects only in local
/// variables: no access to the book, or to one of its lists, is under way when an object ends.
final class InsertionBook {
  private struct Held {
    var object: AnyObject
    /// What all of its kind are, so that it need not be asked.
    var root: _ModelType
    /// Its row between two transactions, while nobody is to see it in the object.
    var row: UInt64 = 0
    /// Where it was found; nil once that was told.
    var mark: Mark?

    var model: any _ModelObject { root.object(object) }
  }

  /// Those of the last element, in the order in which they were found.
  private var newest: [Held] = []
  /// Those of the one before.
  private var older: [Held] = []
  /// Those that somebody else had when they were looked at.
  private var kept: [Held] = []
  private var nextSweep = 64
  /// What was decided about those that became rows which were there.
  private(set) var merged: [ObjectIdentifier: (policy: UniquePolicy, name: String)] = [:]
  private let ticket: UInt32

  /// Where an object was found: with which element, and by which step; nil where it is the element itself.
  private struct Mark {
    var element: Int
    var step: Int?
  }

  /// How an object was reached: from where, and by which of the links there.
  private struct Step {
    var before: Int?
    var link: Int
  }

  /// Those by which objects were found that were new, since the last ``pause()``.
  private var steps: [Step] = []
  /// The element at hand, if somebody wants to know where objects were found.
  private var element: Int?

  init() { ticket = insertionTickets.add(1, ordering: .relaxed).newValue }

  func contains(_ object: any _ModelObject) -> Bool {
    object._$state.row != 0 && object._$state.ticket == ticket && object._$state.origin == nil
  }

  /// - Parameter step: the one by which it was found; nil for an element itself.
  func add(_ object: any _ModelObject, _ row: UInt64, by step: Int? = nil) {
    object._$state.row = row
    object._$state.ticket = ticket
    let mark = element.map { Mark(element: $0, step: step) }
    newest.append(Held(object: object, root: type(of: object)._$type.root, mark: mark))
  }

  /// A step from an object, which was itself found by one, to what a link of it leads to.
  func step(from before: Int?, by link: Int) -> Int? {
    if element == nil { return nil }
    steps.append(Step(before: before, link: link))
    return steps.count - 1
  }

  /// What is added from here on comes with an element.
  func begin(_ element: Int) { self.element = element }

  func note(_ object: any _ModelObject, _ decision: (policy: UniquePolicy, name: String)?) {
    merged[ObjectIdentifier(object)] = decision
  }

  /// Forgets those that came since ``letGo()``: nothing became of them.
  func forgetNewest() {
    for held in exchange(&newest, with: []) {
      merged[ObjectIdentifier(held.object)] = nil
      let model = held.model
      guard contains(model) else { continue }
      (model._$state.row, model._$state.ticket) = (0, 0)
    }
  }

  /// Lets go of those that came with the last elements, but for those that somebody else has. Whoever gives one element after the other may
  /// still have the one before.
  func letGo() {
    if !older.isEmpty {
      var list = exchange(&older, with: [])
      dropAll(&list)
      if !list.isEmpty { kept += list }
      if kept.count >= nextSweep {
        var list = exchange(&kept, with: [])
        drop(&list)
        kept += list
        nextSweep = 2 * kept.count + 64
      }
    }
    swap(&older, &newest)
  }

  /// Releases the kept objects that the program does not hold.
  private func sweep() {
    var list = exchange(&kept, with: [])
    dropAll(&list)
    kept += list
  }

  /// Who led to one of them may go first, whichever stands in front.
  private func dropAll(_ list: inout [Held]) {
    for pass in 0..<4 where !list.isEmpty {
      let count = list.count
      drop(&list)
      if list.count < 2 || (list.count == count && pass > 0) { return }
      list.reverse()
    }
  }

  /// Each goes as soon as it is seen, so that those behind it which it led to are nobody's any more.
  ///
  /// - Parameter list: a local variable of the caller.
  private func drop(_ list: inout [Held]) {
    var stay = 0
    for place in list.indices {
      if isKnownUniquelyReferenced(&list[place].object) {
        if !merged.isEmpty { merged[ObjectIdentifier(list[place].object)] = nil }
        list[place].object = Nobody.one
      } else {
        list.swapAt(stay, place)
        stay += 1
      }
    }
    list.removeLast(list.count - stay)
  }

  /// At the end the objects are as before: in no context, and without a row that anybody could know.
  func end() {
    for held in newest + older + kept where contains(held.model) {
      held.model._$state.row = 0
      held.model._$state.ticket = 0
    }
  }

  // MARK: Between two runs

  /// Lets go of what nobody else has, and tells the others that were not told yet, each with its element, and the links that lead from that
  /// to it, whatever else was known by then.
  func takeMarks() -> [(element: Int, path: [Int], object: any _ModelObject)] {
    letGo()
    letGo()
    sweep()
    var found: [(element: Int, path: [Int], object: any _ModelObject)] = []
    for place in kept.indices {
      guard let mark = kept[place].mark else { continue }
      kept[place].mark = nil
      found.append((mark.element, path(mark.step), kept[place].model))
    }
    return found
  }

  private func path(_ step: Int?) -> [Int] {
    var (path, next): ([Int], Int?) = ([], step)
    while let number = next {
      path.append(steps[number].link)
      next = steps[number].before
    }
    return path.reversed()
  }

  /// An object became a row in another run. Between two transactions alone.
  func recall(_ object: any _ModelObject, _ row: UInt64) {
    kept.append(Held(object: object, root: type(of: object)._$type.root, row: row))
  }

  // MARK: Between two transactions

  /// Takes the rows' numbers out of the objects: until the next transaction anybody may do anything with them.
  func pause() {
    kept += older + newest
    (older, newest, steps, element) = ([], [], [], nil)
    for place in kept.indices {
      let model = kept[place].model
      kept[place].row = contains(model) ? model._$state.row : 0
      kept[place].mark = nil
      if kept[place].row != 0 { (model._$state.row, model._$state.ticket) = (0, 0) }
    }
  }

  /// Gives those their numbers again that somebody else still has, and whose rows are still there.
  func resume(_ isThere: (any _ModelObject, UInt64) throws -> Bool) rethrows {
    sweep()
    var staying: [Held] = []
    let known = exchange(&kept, with: [])
    for held in known {
      let model = held.model
      guard held.row != 0, model._$state.row == 0, model._$state.origin == nil, try isThere(model, held.row) else {
        merged[ObjectIdentifier(held.object)] = nil
        continue
      }
      (model._$state.row, model._$state.ticket) = (held.row, ticket)
      staying.append(held)
    }
    kept += staying
    nextSweep = 2 * kept.count + 64
  }

  /// Stands where an object was let go.
  private final class Nobody: Sendable { static let one = Nobody() }
}

private let insertionTickets = Atomic<UInt32>(0)
