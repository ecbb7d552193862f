internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// What a fetch found.
///
/// One that comes from a fetch with a size of batches keeps eight bytes for each model, and the models of four batches. A batch is
/// read when somebody asks for one of its models. Which models there are, and in which order, is settled when the fetch returns,
/// whatever is changed later, here or elsewhere; a model that is deleted meanwhile says so, and has the values that it had.
/// Therefore the store's file keeps what the snapshot of that moment shows as long as there is a copy of the collection: let it go
/// when it is read.
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

  /// The element at a position. In a fetch with batches it reads the batch if that is not in memory; a position
  /// outside of the collection ends the program.
  public subscript(position: Int) -> Element {
    guard let pages else { return elements[position] }
    guard position >= 0, position < pages.count else {
      StandardError.stop("there is no element \(position) among \(pages.count)")
    }
    return pages.element(position)
  }
}

/// What was found, as places.
class FetchedPages<Element> {
  let count: Int

  init(count: Int) { self.count = count }

  func element(_ position: Int) -> Element { preconditionFailure("pages have elements") }
}

/// Identifiers, made when they are asked for.
final class IdentifierPages<Model: PersistentModel>: FetchedPages<PersistentIdentifier> {
  private let places: FetchedPlaces<Model>

  init(_ places: FetchedPlaces<Model>) {
    self.places = places
    super.init(count: places.rows.count)
  }

  override func element(_ position: Int) -> PersistentIdentifier { places.identifier(position) }
}

/// Models, of which some batches are kept.
final class ModelPages<Model: PersistentModel>: FetchedPages<Model> {
  private let places: FetchedPlaces<Model>
  private let size: Int
  private let pin: SnapshotPin
  /// Keeps the context at work.
  private let state: ContextState
  /// The batch that was asked for last comes last.
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
      // It ends after this: a model's `deinit` may use the same collection.
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
      // Whoever waited when the fetch was made is what was found, whatever became of him.
      if let waiting = places.waiting[row] { return waiting }
      if let model = object as? Model { return model }
      StandardError.stop("row \(row) of \(Model._$type.name) became one of another class")
    }
  }
}
