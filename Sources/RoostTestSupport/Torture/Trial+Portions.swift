/// A part of a trial's work, beginning with the seed `first`.
package struct Portion: Sendable, Equatable {
  package var first: UInt64
  /// The number of seeds; nil if the quota ends the work.
  package var seeds: Int?
  /// The number of cases that must happen.
  package var quota: Int

  package init(first: UInt64, seeds: Int? = nil, quota: Int) {
    self.first = first
    self.seeds = seeds
    self.quota = quota
  }
}

extension Trial {
  /// A number of tenths of the work, beginning with a seed.
  package func portion(from first: UInt64, tenths: Int = 10) -> Portion {
    portion(from: first, cases: Self.tenths(tenths, of: cases ?? quota))
  }

  /// A number of cases, beginning with a seed. A part of a list may lack as many cases as the
  /// whole, because all of them may be in this part.
  package func portion(from first: UInt64, cases count: Int) -> Portion {
    guard let cases else { return Portion(first: first, quota: count) }
    return Portion(first: first, seeds: count, quota: max(1, count - (cases - quota)))
  }

  /// The work of `ci`: the fixed seeds, those that failed once, and a tenth more from a seed that
  /// is new for each commit.
  package func portions(from first: UInt64 = 1, fresh: UInt64? = nil) -> [Portion] {
    let failed = (Self.failedOnce[number] ?? []).map { Portion(first: $0, seeds: 1, quota: 1) }
    return [portion(from: first)] + failed + (fresh.map { [portion(from: $0, tenths: 1)] } ?? [])
  }

  private static func tenths(_ tenths: Int, of count: Int) -> Int { (count * tenths + 9) / 10 }

  /// The first seed of a commit's hash: at most ten digits, and outside the fixed seeds.
  package static func freshSeed(of hash: String) -> UInt64 {
    // FNV-1a, so that any text can be hashed.
    let sum = hash.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return 1_000_000 + sum % 1_000_000_000
  }

  /// Seeds outside the fixed ones with which a trial failed once. Add each seed that fails.
  package static let failedOnce: [Int: [UInt64]] = [
    // When opened for reading only, a read that returned nothing was treated as the log's end.
    // The second: `verify` reported an index page that a lying device had lost, which was treated
    // as a failure.
    // The third and fourth: a backup's failed sync of the folder lost the name of the log, and the commits with it.
    // The fifth: a failed commit reappeared after a crash, because of the link of the next one.
    // The sixth: the empty log of a new store could not be removed, so the store's name had never
    // been synced.
    // The seventh: `verify` reported a page that a lying device had lost, which was treated as a
    // failure.
    // The eighth: a sync that failed while a close moved pages, and a crash in the first write of the next opening, damaged both superblocks.
    4: [77_310_025, 768_693_847, 63_910_011, 64_910_014, 64_910_016, 71_230_004, 28_740_021, 69_607_649],
    // A compaction that gained nothing made a small file a page longer.
    5: [63_910_103],
    // An empty leaf and its neighbour were divided again, and the empty one's bound was lost.
    6: [936_176_986, 936_176_987, 936_176_991, 936_176_994, 500_000_001, 250_000_006],
    // A superblock with the state of a closed store and the log of an open one was accepted.
    // The second: two superblocks had the same number, and the older state was shown.
    10: [77_310_005, 64_910_011],
    // A branch with a child outside the file was written again, and the checksum of that child was
    // looked up.
    11: [27_740_180],
    // A plan that finds one row does not compute its sort key, so it does not fail where the key cannot be computed.
    // The second: a regular expression took quadratic time in a long text, and the worker seemed to
    // hang.
    15: [53_711_873, 721_058_793],
    // A sentence about a predicate counted the elements of `Int.min...Int.max`.
    18: [91_110_336],
    // A many-to-many link was shown or hidden wrongly after deletions that were undone.
    20: [2552, 2710, 2939, 3028, 3054, 3300, 4450, 4553, 4856],
  ]
}
