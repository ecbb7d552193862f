import RoostBytes
import RoostFile

/// Compares pages with their copies.
extension Examination {
  /// A page and its copy; one of the two is damaged in the file.
  package struct DamagedCopy: Hashable, Sendable {
    package var damaged: PageID
    package var sound: PageID
    /// Whether the page is damaged, not its copy.
    package var isPage: Bool

    package var sentence: String {
      isPage
        ? "the page is damaged; its copy, page \(sound.place), is read instead, and `verify --repair` restores it"
        : "this copy of page \(sound.place) is damaged; `verify --repair` restores it"
    }
  }

  /// Pages or copies that are damaged while the other one is sound. If both are damaged, reading
  /// the tree reports the page.
  package func damagedCopies(_ essentials: [Essential]) -> [DamagedCopy] {
    let table = Dictionary(uniqueKeysWithValues: copies.map { ($0.page.place, $0.copy) })
    var found: [DamagedCopy] = []
    for essential in essentials where essential.places.contains(where: { table[$0] != nil }) {
      let pages = essential.places.map { stored(PageID($0), essential, place: $0) }
      let copied = zip(essential.places, pages).map { place, page in
        table[place].map { stored($0, essential, place: place) } ?? page
      }
      guard let right = [pages, copied].first(where: { isRight($0, essential) }) else { continue }
      for (index, place) in essential.places.enumerated() {
        guard let copy = table[place] else { continue }
        let page = PageID(place)
        if pages[index] != right[index] {
          found.append(DamagedCopy(damaged: page, sound: copy, isPage: true))
        } else if copied[index] != right[index] {
          found.append(DamagedCopy(damaged: copy, sound: page, isPage: false))
        }
      }
    }
    return found
  }

  /// Reads as many bytes as `essential` has from `page` in the file; `place` is that of the
  /// essential. Empty if reading fails.
  private func stored(_ page: PageID, _ essential: Essential, place: UInt32) -> [UInt8] {
    guard let source else { return [] }
    let start = Int(place - essential.places.lowerBound) * Page.size
    var bytes = [UInt8](repeating: 0, count: min(Page.size, essential.byteCount - start))
    let isRead = bytes.withUnsafeMutableBytes { buffer in
      do throws(StoreError) { try source.readFully(into: buffer, at: page.byteOffset) } catch { return false }
      return true
    }
    return isRead ? bytes : []
  }

  private func isRight(_ pages: [[UInt8]], _ essential: Essential) -> Bool {
    let bytes = Array(pages.joined())
    return bytes.count == essential.byteCount && Checksum.of(bytes) == essential.check
  }
}
