/// Forces a way that would be chosen by its cost. Tests compare the answers of all ways.
package enum ForcedWay {
  /// Whether groups are streamed over an index where that is possible; nil leaves it to the cost.
  @TaskLocal package static var streamsGroups: Bool?
  /// Whether joins read both sides in the order of the key where that is possible; nil leaves it to the cost.
  @TaskLocal package static var mergesJoins: Bool?
}
