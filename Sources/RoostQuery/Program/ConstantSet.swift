internal import RoostBytes
internal import RoostRecords

/// A constant collection in which a program looks cells up.
struct ConstantSet {
  private var hasNull = false
  private var words: [UInt64] = []
  private var texts: Set<[UInt8]> = []
  private let order: CellOrder

  /// nil if no cells can hold the elements.
  init?(_ values: [Value], _ kind: Kind) {
    guard let order = CellOrder(kind) else { return nil }
    self.order = order
    let arena = Arena()
    for value in values {
      guard let cell = arena.cell(value) else { return nil }
      if cell.isNull {
        hasNull = true
        continue
      }
      switch order {
      case .signed, .unsigned: words.append(cell.bits)
      // No number equals NaN; adding 0 turns -0 into 0.
      case .double: if !cell.double.isNaN { words.append((cell.double + 0).bitPattern) }
      case .bytes: texts.insert([UInt8](cell.bytes))
      case .text: texts.insert(Self.composed(cell.bytes))
      }
    }
    words.sort()
  }

  private static func composed(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    NormalForm.isPlain(text) ? [UInt8](text) : NormalForm.composed(text)
  }

  func contains(_ cell: Cell) -> Bool {
    if cell.isNull { return hasNull }
    switch order {
    case .signed, .unsigned: return contains(word: cell.bits)
    case .double: return !cell.double.isNaN && contains(word: (cell.double + 0).bitPattern)
    case .bytes: return texts.contains([UInt8](cell.bytes))
    case .text: return texts.contains(Self.composed(cell.bytes))
    }
  }

  private func contains(word: UInt64) -> Bool {
    var low = 0
    var high = words.count
    while low < high {
      let middle = (low &+ high) / 2
      if words[middle] < word { low = middle &+ 1 } else { high = middle }
    }
    return low < words.count && words[low] == word
  }
}
