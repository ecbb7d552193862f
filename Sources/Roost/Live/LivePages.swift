/// The results of an observer in the form of a fetch's results.
final class LivePages<Element>: FetchedPages<Element> {
  private let results: LiveResults<Element>

  init(_ results: LiveResults<Element>) {
    self.results = results
    super.init(count: results.count)
  }

  override func element(_ position: Int) -> Element { results[position] }
}
