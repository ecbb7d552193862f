import RoostBytes

/// Splits texts into terms. It owns its memory and reuses it for the next text.
///
/// A scanner belongs to one thread. `scan` replaces the terms of the text before.
package final class TextScanner {
  /// The position of one term in the scanner's memory and in the text.
  struct Mark {
    var start: UInt32
    var length: UInt32
    var position: UInt32
    var sourceStart: UInt32
    var sourceEnd: UInt32
  }

  /// The most bytes of a term. Longer words are cut, in texts and in questions.
  static let mostTermBytes = 128
  /// The most bytes of a text; the rest is not indexed.
  static let mostTextBytes = 1 << 27 - 1 << 17

  let analyzer: TextAnalyzer
  let stopWords: StopWordSet
  private(set) var marks: UnsafeMutablePointer<Mark>
  private(set) var count = 0
  /// The number of positions that the text has: terms and stop words.
  private(set) var positionCount = 0
  private var markRoom: Int
  private(set) var bytes: UnsafeMutablePointer<UInt8>
  private(set) var byteCount = 0
  private var byteRoom: Int
  /// For each byte of ASCII its folded form, or 0 for a byte that separates words. Bytes above are 255.
  private let table: [UInt8]

  package init(_ analyzer: TextAnalyzer) {
    self.analyzer = analyzer
    stopWords = StopWordSet(analyzer)
    markRoom = 32
    marks = .allocate(capacity: markRoom)
    byteRoom = 256
    bytes = .allocate(capacity: byteRoom)
    table = analyzer.foldsCase ? Self.lowerTable : Self.plainTable
  }

  private static let lowerTable = makeTable(foldsCase: true)
  private static let plainTable = makeTable(foldsCase: false)

  private static func makeTable(foldsCase: Bool) -> [UInt8] {
    (0..<256).map { number in
      let byte = UInt8(number)
      switch byte {
      case 128...: return 255
      case 48...57, 95, 97...122: return byte
      case 65...90: return foldsCase ? byte | 32 : byte
      default: return 0
      }
    }
  }

  deinit {
    marks.deallocate()
    bytes.deallocate()
  }

  private static func folded(_ byte: UInt8, _ analyzer: TextAnalyzer) -> UInt8 {
    analyzer.foldsCase && byte &- 65 < 26 ? byte | 32 : byte
  }

  /// The bytes of a term of the last text.
  func term(_ place: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + Int(marks[place].start), count: Int(marks[place].length))
  }

  /// Finds the terms of a UTF-8 text. Invalid bytes separate words.
  package func scan(_ whole: UnsafeRawBufferPointer) {
    let text = UnsafeRawBufferPointer(rebasing: whole.prefix(Self.mostTextBytes))
    count = 0
    byteCount = 0
    positionCount = 0
    // Folding makes a text longer at most by this factor, because one letter becomes at most three.
    reserve(text.count &+ 16)
    switch analyzer.mode {
    case .words: scanWords(text)
    case .trigrams: scanTrigrams(text)
    }
  }

  private func reserve(_ more: Int) {
    if byteCount &+ more <= byteRoom { return }
    byteRoom = (byteCount &+ more) &* 2
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: byteRoom)
    larger.update(from: bytes, count: byteCount)
    bytes.deallocate()
    bytes = larger
  }

  private func growMarks() {
    let larger = UnsafeMutablePointer<Mark>.allocate(capacity: markRoom * 2)
    larger.update(from: marks, count: count)
    marks.deallocate()
    marks = larger
    markRoom *= 2
  }

  // MARK: Words

  private func scanWords(_ text: UnsafeRawBufferPointer) {
    table.withUnsafeBufferPointer { scanWords(text, $0.baseAddress!) }
  }

  private func scanWords(_ text: UnsafeRawBufferPointer, _ table: UnsafePointer<UInt8>) {
    guard let source = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let end = text.count
    let stems = analyzer.stemming == .english
    let hasStopWords = !stopWords.isEmpty
    var at = 0
    while at < end {
      let first = table[Int(source[at])]
      if first == 0 {
        at &+= 1
        continue
      }
      if first == 255 {
        at = scanAnyWord(text, at)
        continue
      }
      let start = at
      reserve(end &- start &+ 16)
      let out = bytes + byteCount
      var length = 0
      var isASCII = true
      while at < end {
        let byte = source[at]
        let folded = table[Int(byte)]
        if folded == 0 {
          // An apostrophe between letters belongs to the word.
          guard byte == 39, at &+ 1 < end, table[Int(source[at &+ 1])] != 0 else { break }
          if source[at &+ 1] >= 128 {
            isASCII = false
            break
          }
          out[length] = 39
        } else if folded == 255 {
          isASCII = false
          break
        } else {
          out[length] = folded
        }
        length &+= 1
        at &+= 1
      }
      if !isASCII {
        at = scanAnyWord(text, start)
        continue
      }
      if length > Self.mostTermBytes { length = Self.mostTermBytes }
      if hasStopWords, stopWords.contains(out, length) {
        positionCount &+= 1
        continue
      }
      if stems { length = EnglishStemmer.stem(out, length) }
      append(length, start: start, end: at)
    }
  }

  /// Makes a term of the bytes that were written after the last one.
  @inline(__always)
  private func append(_ length: Int, start: Int, end: Int) {
    if count == markRoom { growMarks() }
    marks[count] = Mark(
      start: UInt32(truncatingIfNeeded: byteCount), length: UInt32(truncatingIfNeeded: length),
      position: UInt32(truncatingIfNeeded: positionCount), sourceStart: UInt32(truncatingIfNeeded: start),
      sourceEnd: UInt32(truncatingIfNeeded: end))
    count &+= 1
    byteCount &+= length
    positionCount &+= 1
  }

  /// Reads one word with letters that are not ASCII, or skips one scalar that separates words. Returns its end.
  private func scanAnyWord(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
    var at = start
    var word = FoldedWord(analyzer)
    scalars: while at < text.count {
      let (scalar, length) = UTF8Reading.scalar(text, at)
      switch CharacterKind.of(scalar) {
      case .separator:
        let isApostrophe = scalar == 39 || scalar == 0x2019
        guard isApostrophe, !word.isEmpty, at + length < text.count else {
          if word.isEmpty { at += length }
          break scalars
        }
        let next = CharacterKind.of(UTF8Reading.scalar(text, at + length).scalar)
        guard next == .letter else { break scalars }
        word.append(39)
      case .letter: word.append(scalar)
      case .mark: if word.isEmpty { at += length; break scalars } else { word.append(scalar) }
      case .single:
        if !word.isEmpty { break scalars }
        word.append(scalar)
        at += length
        // Marks belong to the letter before them.
        while at < text.count {
          let (mark, length) = UTF8Reading.scalar(text, at)
          guard CharacterKind.of(mark) == .mark else { break }
          word.append(mark)
          at += length
        }
        break scalars
      }
      at += length
    }
    if word.isEmpty { return at }
    word.finish()
    let length = min(word.bytes.count, Self.mostTermBytes)
    reserve(word.bytes.count + text.count - at + 16)
    for place in 0..<length { bytes[byteCount + place] = word.bytes[place] }
    add(UTF8Reading.boundary(bytes + byteCount, length), isASCII: word.isASCII, start: start, end: at)
    return at
  }

  private func add(_ length: Int, isASCII: Bool, start: Int, end: Int) {
    if length == 0 { return }
    var length = length
    if !stopWords.isEmpty, stopWords.contains(bytes + byteCount, length) {
      positionCount += 1
      return
    }
    if analyzer.stemming == .english, isASCII { length = EnglishStemmer.stem(bytes + byteCount, length) }
    append(length, start: start, end: end)
  }

  // MARK: Trigrams

  /// Terms overlap: each begins one character after the one before.
  private func scanTrigrams(_ text: UnsafeRawBufferPointer) {
    /// The starts of the last two characters in `bytes` and in the text.
    var (before, last) = ((0, 0), (0, 0))
    var characters = 0
    var at = 0
    func take(_ length: Int, start: Int, end: Int) {
      if characters >= 2 {
        if count == markRoom { growMarks() }
        marks[count] = Mark(
          start: UInt32(truncatingIfNeeded: before.0),
          length: UInt32(truncatingIfNeeded: byteCount + length - before.0),
          position: UInt32(truncatingIfNeeded: characters - 2), sourceStart: UInt32(truncatingIfNeeded: before.1),
          sourceEnd: UInt32(truncatingIfNeeded: end))
        count += 1
      }
      before = last
      last = (byteCount, start)
      byteCount += length
      characters += 1
    }
    while at < text.count {
      let start = at
      let (scalar, length) = UTF8Reading.scalar(text, at)
      at += length
      let isFollowedByMark = at < text.count && text[at] >= 0x80 && isMark(text, at)
      if scalar < 128, !isFollowedByMark {
        reserve(16)
        bytes[byteCount] = Self.folded(UInt8(scalar), analyzer)
        take(1, start: start, end: at)
        continue
      }
      var word = FoldedWord(analyzer)
      word.append(scalar)
      while at < text.count, text[at] >= 0x80, word.scalarCount < 64, isMark(text, at) {
        let (mark, length) = UTF8Reading.scalar(text, at)
        word.append(mark)
        at += length
      }
      word.finish()
      word.bytes.withUnsafeBytes { folded in
        var place = 0
        while place < folded.count {
          let length = UTF8Reading.scalar(folded, place).length
          reserve(length + 16)
          for offset in 0..<length { bytes[byteCount + offset] = folded[place + offset] }
          take(length, start: start, end: at)
          place += length
        }
      }
    }
    positionCount = max(characters - 2, 0)
  }

  private func isMark(_ text: UnsafeRawBufferPointer, _ at: Int) -> Bool {
    CharacterKind.of(UTF8Reading.scalar(text, at).scalar) == .mark
  }
}
