import RoostBytes

/// Reads the places of one term of a draft, one document after the other.
struct DraftPlaces {
  private let arena: UnsafePointer<UInt8>
  private let fieldCount: UInt64
  private let end: Int
  private var at: Int
  private var limit: Int
  private var level: UInt32 = 0
  private(set) var document: UInt32 = 0
  private var pending: UInt64
  private var isAtEnd = false

  init(_ draft: TextDraft, _ index: Int) {
    let term = draft.terms[index]
    arena = UnsafePointer(draft.arena)
    fieldCount = UInt64(draft.fieldCount)
    at = Int(term.head)
    limit = Int(term.head &+ TextDraft.payload(0))
    end = Int(term.next)
    pending = 0
    pending = number()
  }

  /// Reads the places of the next document. Returns their number, 0 at the end.
  @inline(__always)
  mutating func next(into places: PlaceList) -> Int {
    places.clear()
    if isAtEnd { return 0 }
    // `pending` begins a document.
    let step = pending >> 1
    let field: UInt32
    if fieldCount == 1 {
      document &+= UInt32(truncatingIfNeeded: step)
      field = 0
    } else {
      document &+= UInt32(truncatingIfNeeded: step / fieldCount)
      field = UInt32(truncatingIfNeeded: step % fieldCount)
    }
    var place = field << 27 | UInt32(truncatingIfNeeded: number())
    places.append(place)
    while at != end {
      let code = number()
      if code & 1 == 0 {
        place &+= UInt32(truncatingIfNeeded: code >> 1)
      } else if fieldCount > 1, code >> 1 < fieldCount {
        place = UInt32(truncatingIfNeeded: code >> 1) << 27 | UInt32(truncatingIfNeeded: number())
      } else {
        pending = code
        return places.count
      }
      places.append(place)
    }
    isAtEnd = true
    return places.count
  }

  @inline(__always)
  private mutating func number() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      if at == limit { advance() }
      let byte = arena[at]
      at &+= 1
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return value }
      shift &+= 7
    }
  }

  private mutating func advance() {
    level += 1
    at = Int(UnsafeRawPointer(arena + limit).u32(0))
    limit = at + Int(TextDraft.payload(level))
  }
}
