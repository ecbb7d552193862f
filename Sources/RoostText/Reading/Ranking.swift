/// The formula BM25 with the statistics of an index: the weight of a term's frequency in a
/// document.
///
/// The score of a phrase is `idf × f × (k1 + 1) / (f + k1 × (1 - b + b × length / average))`. `f` is its frequency, in
/// which each field counts with its weight. `idf` is `ln(1 + (rows - n + 0.5) / (n + 0.5))` for a term of `n` rows; that of
/// a phrase is the sum of its terms'.
struct Ranking {
  static let saturation = 1.2
  static let lengthEffect = 0.75

  let rowCount: Int
  let averageLength: Double
  /// One factor for each field; `nil` for 1 everywhere.
  let weights: [Double]?
  let greatestWeight: Double

  init(_ statistics: TextStatistics, weights: [Double]) {
    rowCount = statistics.rowCount
    averageLength = max(statistics.averageLength, 1)
    let isPlain = weights.allSatisfy { $0 == 1 }
    self.weights = isPlain ? nil : statistics.fieldLengths.indices.map { $0 < weights.count ? max(weights[$0], 0) : 1 }
    greatestWeight = self.weights?.max() ?? 1
  }

  func inverseFrequency(_ count: Int) -> Double {
    let count = Double(min(count, rowCount))
    return Logarithm.of(1 + (Double(rowCount) - count + 0.5) / (count + 0.5))
  }

  @inline(__always)
  func score(_ frequency: Double, length: Double) -> Double {
    let share = 1 - Self.lengthEffect + Self.lengthEffect * length / averageLength
    return frequency * (Self.saturation + 1) / (frequency + Self.saturation * share)
  }

  /// The frequency in which fields count with their weights.
  @inline(__always)
  func weighted(_ places: UnsafeBufferPointer<UInt32>) -> Double {
    guard let weights else { return Double(places.count) }
    var sum = 0.0
    for place in places { sum += weights[TextPlace.field(place)] }
    return sum
  }
}
