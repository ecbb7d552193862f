internal import Synchronization

/// The objects of one bulk insertion, each with its row. A later reference to one of them becomes a
/// reference to its row, and an object that is given again is not inserted again.
///
/// The object stores the number of its row, and a ticket that says which book assigned the number.
/// The book releases objects that only it holds, because no later object can reference them.
///
/// A released object may run a user's `deinit`, which may run any code. So this is a class, and it
/// changes lists of objects only in local variables: no access to the book or to one of its lists
/// is active when an object is released.
final class InsertionBook {
  private struct Held {
    var object: AnyObject
    /// The root class of the object's type, to avoid a look-up.
    var root: _ModelType
    /// Its row between two transactions, when the object itself does not contain it.
    var row: UInt64 = 0
    /// Where the object was found; nil after this was reported.
    var mark: Mark?

    var model: any _ModelObject { root.object(object) }
  }

  /// Objects of the last element, in the order in which they were found.
  private var newest: [Held] = []
  /// Objects of the element before.
  private var older: [Held] = []
  /// Objects that the program also held when they were last checked.
  private var kept: [Held] = []
  private var nextSweep = 64
  /// The decisions about objects that were merged into existing rows.
  private(set) var merged: [ObjectIdentifier: (policy: UniquePolicy, name: String)] = [:]
  private let ticket: UInt32

  /// Where an object was found: in which element, and by which step; nil for the element itself.
  private struct Mark {
    var element: Int
    var step: Int?
  }

  /// How an object was reached: from which step, and by which link of that object.
  private struct Step {
    var before: Int?
    var link: Int
  }

  /// The steps to new objects since the last ``pause()``.
  private var steps: [Step] = []
  /// The current element, if an import wants to know where objects were found.
  private var element: Int?

  init() { ticket = insertionTickets.add(1, ordering: .relaxed).newValue }

  func contains(_ object: any _ModelObject) -> Bool {
    object._$state.row != 0 && object._$state.ticket == ticket && object._$state.origin == nil
  }

  /// - Parameters:
  ///   - object: an object without a context.
  ///   - row: the number of its row.
  ///   - step: the step by which it was found; nil for an element itself.
  func add(_ object: any _ModelObject, _ row: UInt64, by step: Int? = nil) {
    object._$state.row = row
    object._$state.ticket = ticket
    let mark = element.map { Mark(element: $0, step: step) }
    newest.append(Held(object: object, root: type(of: object)._$type.root, mark: mark))
  }

  /// A step to an object: from the step by which its referrer was found, by a link of the referrer.
  func step(from before: Int?, by link: Int) -> Int? {
    if element == nil { return nil }
    steps.append(Step(before: before, link: link))
    return steps.count - 1
  }

  /// Begins an element: the objects that are added next belong to it.
  func begin(_ element: Int) { self.element = element }

  func note(_ object: any _ModelObject, _ decision: (policy: UniquePolicy, name: String)?) {
    merged[ObjectIdentifier(object)] = decision
  }

  /// Forgets the objects added since ``letGo()``, because they were not inserted.
  func forgetNewest() {
    for held in exchange(&newest, with: []) {
      merged[ObjectIdentifier(held.object)] = nil
      let model = held.model
      guard contains(model) else { continue }
      (model._$state.row, model._$state.ticket) = (0, 0)
    }
  }

  /// Releases the objects of the last elements, except those that the program also holds. A program
  /// that gives one element after the other may still hold the one before.
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

  /// The order is reversed between passes, because an object must be released before the objects
  /// that it references.
  private func dropAll(_ list: inout [Held]) {
    for pass in 0..<4 where !list.isEmpty {
      let count = list.count
      drop(&list)
      if list.count < 2 || (list.count == count && pass > 0) { return }
      list.reverse()
    }
  }

  /// Releases each object immediately, so that later objects that only it referenced can be
  /// released too.
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

  /// Restores all objects: they have no context and no row number.
  func end() {
    for held in newest + older + kept where contains(held.model) {
      held.model._$state.row = 0
      held.model._$state.ticket = 0
    }
  }

  // MARK: Between two runs

  /// Releases the objects that only the book holds. Returns the others that were not returned
  /// before, each with its element and the links that lead from the element to it.
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

  /// Adds an object that became a row in another run. Only between two transactions.
  func recall(_ object: any _ModelObject, _ row: UInt64) {
    kept.append(Held(object: object, root: type(of: object)._$type.root, row: row))
  }

  // MARK: Between two transactions

  /// Removes the row numbers from the objects: until the next transaction the program may change
  /// them.
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

  /// Restores the numbers of objects that the program still holds and whose rows still exist.
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

  /// Replaces a released object in a list.
  private final class Nobody: Sendable { static let one = Nobody() }
}

private let insertionTickets = Atomic<UInt32>(0)
