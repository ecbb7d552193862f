#if Postgres
  /// Counts how fetches ran, for tests. The first four counters include only queries with a
  /// condition.
  package struct AskTally: Sendable {
    /// The server alone chose the rows.
    package var whole = 0
    /// The server alone chose the rows, except for rows in doubt.
    package var doubted = 0
    /// The server tested a part of the condition.
    package var narrowed = 0
    /// The server returned all rows.
    package var all = 0
    /// The server sorted, and returned only the first rows.
    package var limited = 0
    /// The condition named the zones of the rows.
    package var zoned = 0
    /// The largest number of loads between two fetches or saves. A loop that loads one object at a
    /// time makes it large.
    package var mostLoads = 0
    private var loads = 0

    package init() {}

    package var count: Int { whole + doubted + narrowed + all }

    package mutating func add(_ other: AskTally) {
      whole += other.whole
      doubted += other.doubted
      narrowed += other.narrowed
      all += other.all
      limited += other.limited
      zoned += other.zoned
      mostLoads = max(mostLoads, other.mostLoads)
    }

    mutating func noteLoad() {
      loads += 1
      mostLoads = max(mostLoads, loads)
    }

    /// A fetch or a save begins.
    mutating func endLoads() { loads = 0 }
  }
#endif
