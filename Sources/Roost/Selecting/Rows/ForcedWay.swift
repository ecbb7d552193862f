/// Forces an execution that is otherwise chosen by cost, so that tests can compare the results of
/// all.
package enum ForcedWay {
  /// Whether groups are streamed along an index if possible; nil to choose by cost.
  @TaskLocal package static var streamsGroups: Bool?
  /// Whether joins are merge joins if possible; nil to choose by cost.
  @TaskLocal package static var mergesJoins: Bool?
}
