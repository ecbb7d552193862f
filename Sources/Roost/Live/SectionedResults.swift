/// Results by title. They are sorted by title first.
public struct SectionedResults<Element, SectionTitle: Hashable>: RandomAccessCollection {
  let results: LiveResults<Element>
  /// The titles of the sections, in order. Each section has at least one element.
  public let sectionTitles: [SectionTitle]
  /// The position of the first element of each section, and finally the number of elements.
  private let starts: [Int]
  private let places: [SectionTitle: Int]

  init(_ results: LiveResults<Element>, titles: [SectionTitle], counts: [Int]) {
    self.results = results
    sectionTitles = titles
    var starts = [0]
    for count in counts { starts.append(starts[starts.count - 1] + count) }
    self.starts = starts
    places = Dictionary(zip(titles, 0...)) { first, _ in first }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { sectionTitles.count }

  /// The section at a position. A position outside of the collection ends the program.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> {
    ResultsSection(
      title: sectionTitles[position], results: results, bounds: starts[position]..<starts[position + 1])
  }

  /// The section with a title; nil if there is none.
  public subscript(sectionTitle: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    places[sectionTitle].map { self[$0] }
  }

  /// Whether a section has this title.
  public func contains(sectionTitle: SectionTitle) -> Bool { places[sectionTitle] != nil }

  /// The position of the section with a title; nil if there is none.
  public func index(ofSectionTitled title: SectionTitle) -> Int? { places[title] }

  /// Returns the section that contains a position of all results, and the position within the
  /// section.
  func place(of position: Int) -> (section: Int, item: Int)? {
    guard position >= 0, position < starts[starts.count - 1] else { return nil }
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle + 1 } else { high = middle }
    }
    return (low - 1, position - starts[low - 1])
  }

  /// Returns the position among all results.
  func position(section: Int, item: Int) -> Int? {
    guard section >= 0, section < sectionTitles.count, item >= 0, item < starts[section + 1] - starts[section] else {
      return nil
    }
    return starts[section] + item
  }
}

/// Results with the same title.
public struct ResultsSection<Element, SectionTitle: Hashable>: RandomAccessCollection, Identifiable {
  /// The value that all elements of the section have in common.
  public let title: SectionTitle
  fileprivate let results: LiveResults<Element>
  fileprivate let bounds: Range<Int>

  fileprivate init(title: SectionTitle, results: LiveResults<Element>, bounds: Range<Int>) {
    self.title = title
    self.results = results
    self.bounds = bounds
  }

  /// The title, which no other section of the results has.
  public var id: SectionTitle { title }
  public var startIndex: Int { 0 }
  public var endIndex: Int { bounds.count }

  /// The element at a position in the section. A position outside of the section ends the program.
  public subscript(position: Int) -> Element {
    precondition(position >= 0 && position < bounds.count, "the section has no element at this position")
    return results[bounds.lowerBound + position]
  }
}

extension SectionedResults: Equatable where Element: Equatable {
  public static func == (one: SectionedResults, other: SectionedResults) -> Bool {
    one.sectionTitles == other.sectionTitles && one.starts == other.starts
      && one.results.elementsEqual(other.results)
  }
}

extension ResultsSection: Equatable where Element: Equatable {
  public static func == (one: ResultsSection, other: ResultsSection) -> Bool {
    one.title == other.title && one.elementsEqual(other)
  }
}

extension SectionedResults: Sendable where Element: Sendable, SectionTitle: Sendable {}
extension ResultsSection: Sendable where Element: Sendable, SectionTitle: Sendable {}
