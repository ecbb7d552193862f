internal import RoostGraph

/// The models of a chunk as rows, with the new models that they reference.
struct ModelRows: ChunkRows {
  private let run: BulkImport
  private(set) var chunk: BulkChunk
  private(set) var elements: [Int] = []
  private(set) var rows: [Int?] = []
  private var models: [any _ModelObject] = []
  private var places: [ObjectIdentifier: Int] = [:]

  init(_ run: BulkImport) {
    self.run = run
    chunk = run.chunk(joins: true)
  }

  /// Adds a model and the new models that it references. If it throws, nothing is added.
  mutating func add(_ model: any PersistentModel, _ element: Int) throws {
    while rows.count <= element { rows.append(nil) }
    if let known = places[ObjectIdentifier(model)] {
      rows[element] = known
      return
    }
    if run.memory.key(of: model) != nil { return }
    if model._$state.origin != nil {
      throw ImportFault(
        .unknown,
        "\(type(of: model)) is stored already, or in a context. A model joins a context when it references an object of it: "
          + "import its snapshot then")
    }
    let first = models.count
    rows[element] = place(model, element)
    var next = first
    do {
      while next < models.count {
        try run.check(chunk.rows[next].values, models[next])
        chunk.rows[next].links = try links(models[next], element)
        next += 1
      }
    } catch {
      for model in models[first...] { places[ObjectIdentifier(model)] = nil }
      models.removeSubrange(first...)
      chunk.rows.removeSubrange(first...)
      elements.removeSubrange(first...)
      rows[element] = nil
      throw error
    }
  }

  private mutating func place(_ model: any _ModelObject, _ element: Int) -> Int {
    if let known = places[ObjectIdentifier(model)] { return known }
    let place = models.count
    places[ObjectIdentifier(model)] = place
    models.append(model)
    elements.append(element)
    chunk.rows.append(BulkRow(values: Self.values(model), links: []))
    return place
  }

  private static func values(_ model: some _ModelObject) -> ValueImage {
    model.computeDerived(type(of: model)._$type)
    return ValueImage(model)
  }

  private mutating func links(_ model: any _ModelObject, _ element: Int) throws -> [BulkLink] {
    let form = ImageForm.of(type(of: model)._$type)
    if form.links.isEmpty { return [] }
    let held = model.heldObjects()
    var links: [BulkLink] = []
    links.reserveCapacity(form.links.count)
    for (place, property) in form.links.enumerated() {
      let isList = form.isList(property)
      if held[place].isEmpty {
        links.append(isList ? .many([]) : .one(nil))
        continue
      }
      var targets: [BulkTarget] = []
      for other in held[place] { targets.append(try target(other, of: model, property: property, element: element)) }
      links.append(isList ? .many(targets) : .one(targets.first))
    }
    return links
  }

  private mutating func target(
    _ other: any _ModelObject, of model: any _ModelObject, property: Int, element: Int
  ) throws -> BulkTarget {
    guard other._$state.origin != nil else {
      if let key = run.memory.key(of: other) { return .earlier(key) }
      return .row(place(other, element))
    }
    func refuse(_ reason: String) -> ImportFault {
      let (type, otherType) = (type(of: model)._$type, type(of: other)._$type)
      return ImportFault(
        .unknown, "\(type.name).\(type.propertyName(property)) references a \(otherType.name) \(reason)",
        field: type.propertyName(property))
    }
    guard let context = other.graphContext, context.store === run.target.store,
      let known = other as? any PersistentModel
    else { throw refuse("of another store or container: fetch it from this one") }
    if other.isMarkedDeleted { throw refuse("that is deleted") }
    if !other.isStored { throw refuse("that is not saved yet: save it first") }
    return .stored(known.persistentModelID)
  }

  func stored(_ stored: BulkStored, by run: BulkImport) {
    for (row, property, place) in stored.missing {
      guard case .stored(let identifier)? = chunk.rows[row].target(property, place) else { continue }
      run.noteUnresolved(
        chunk.rows[row].values.form.type, stored.rows[row].key, property: property, target: identifier)
    }
    run.memory.note(zip(models, stored.rows).map { ($0, $1.key) })
  }
}

extension BulkRow {
  /// Returns the target of a relationship at an index of its list.
  func target(_ property: Int, _ place: Int) -> BulkTarget? {
    switch links[values.form.linkPlaces[property]] {
    case .absent: nil
    case .one(let target): target
    case .many(let targets): targets[place]
    }
  }
}

/// The rows of models that later chunks may reference: models that the program still has.
final class ModelMemory {
  private struct Held {
    var object: AnyObject
    var key: BulkKey
  }

  private var held: [Held] = []
  /// The models since the last ``sweep()``.
  private var newest: [Held] = []
  private var places: [ObjectIdentifier: Int] = [:]

  func key(of model: any _ModelObject) -> BulkKey? {
    places.isEmpty ? nil : places[ObjectIdentifier(model)].map { held[$0].key }
  }

  func note(_ models: [(any _ModelObject, BulkKey)]) {
    newest += models.map { Held(object: $0, key: $1) }
  }

  /// Releases the models that the program no longer has. The `deinit` of a model may run any code,
  /// so the lists are local variables.
  func sweep() {
    var list = held + newest
    (held, newest, places) = ([], [], [:])
    // A model may reference one that comes after it.
    for pass in 0..<4 {
      let count = list.count
      var stay = 0
      for place in list.indices {
        if isKnownUniquelyReferenced(&list[place].object) {
          list[place].object = Gone.one
        } else {
          list.swapAt(stay, place)
          stay += 1
        }
      }
      list.removeLast(list.count - stay)
      if list.count < 2 || list.count == count && pass > 0 { break }
      list.reverse()
    }
    for (place, one) in list.enumerated() { places[ObjectIdentifier(one.object)] = place }
    held = list
  }

  private final class Gone: Sendable { static let one = Gone() }
}
