internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// The result of a fetch.
///
/// The result of a fetch with a batch size keeps eight bytes for each model, and the models of four
/// batches. A batch is read when you access one of its models. The models and their order are fixed
/// when the fetch returns. Later changes by any context do not change them; a model that was
/// deleted meanwhile is a deleted model with its former values.
///
/// The store's file keeps the snapshot of that moment as long as a copy of the collection exists,
/// so release it after reading.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let elements: [Element]
  private let pages: FetchedPages<Element>?

  init(_ elements: [Element]) {
    self.elements = elements
    pages = nil
  }

  init(_ pages: FetchedPages<Element>) {
    elements = []
    self.pages = pages
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { pages?.count ?? elements.count }

  /// Returns the element at a position. In a fetch with batches it reads the batch if that is not
  /// in memory. A position outside of the collection ends the program.
  public subscript(position: Int) -> Element {
    guard let pages else { return elements[position] }
    guard position >= 0, position < pages.count else {
      StandardError.stop("there is no element \(position) among \(pages.count)")
    }
    return pages.element(position)
  }
}

/// A result as row numbers.
class FetchedPages<Element> {
  let count: Int

  init(count: Int) { self.count = count }

  func element(_ position: Int) -> Element { preconditionFailure("pages have elements") }
}

/// Identifiers, made when they are read.
final class IdentifierPages<Model: PersistentModel>: FetchedPages<PersistentIdentifier> {
  private let places: FetchedPlaces<Model>

  init(_ places: FetchedPlaces<Model>) {
    self.places = places
    super.init(count: places.rows.count)
  }

  override func element(_ position: Int) -> PersistentIdentifier { places.identifier(position) }
}

/// Models, with a few batches in memory.
final class ModelPages<Model: PersistentModel>: FetchedPages<Model> {
  private let places: FetchedPlaces<Model>
  private let size: Int
  private let pin: SnapshotPin
  /// Keeps the context's state alive.
  private let state: ContextState
  /// The batches in memory, the most recently used last.
  private var kept: [(number: Int, models: [Model])] = []

  private static var mostKept: Int { 4 }

  init(_ places: FetchedPlaces<Model>, size: Int, _ pin: SnapshotPin, state: ContextState) {
    self.places = places
    self.size = size
    self.pin = pin
    self.state = state
    super.init(count: places.rows.count)
  }

  override func element(_ position: Int) -> Model {
    let (number, place) = position.quotientAndRemainder(dividingBy: size)
    if let last = kept.last, last.number == number { return last.models[place] }
    if let known = kept.firstIndex(where: { $0.number == number }) {
      kept.append(kept.remove(at: known))
    } else {
      let models = read(number)
      // It is released after this: a model's `deinit` may use the same collection.
      let oldest = kept.count >= Self.mostKept ? kept.removeFirst() : nil
      kept.append((number, models))
      let model = models[place]
      return withExtendedLifetime(oldest) { model }
    }
    return kept[kept.count - 1].models[place]
  }

  private func read(_ number: Int) -> [Model] {
    let start = number * size
    let rows = places.rows[start..<min(count, start.addingReportingOverflow(size).partialValue)]
    let found = places.graph.page(rows.map { RowID($0) }, places.map, pin: pin)
    return zip(rows, found).map { row, object in
      // A model that was unsaved at the fetch is part of the result, whatever happened to it since.
      if let waiting = places.waiting[row] { return waiting }
      if let model = object as? Model { return model }
      StandardError.stop("row \(row) of \(Model._$type.name) became one of another class")
    }
  }
}
