import RoostDoorTrials
import RoostTestSupport

/// All trials, in the order of their numbers.
enum Arsenal {
  static let trials: [Trial] = [
    .crashes, .exhaustive, .nested, .faults, .order, .model, .kills, .systemCalls, .damage, .foreign, .decoders, .crowd,
    .fullDisk, .memory, .conditions, .golden, .sabotage,
    .predicates, .singlePages, .objects, .migrations, .questions,
  ]

  /// Why a trial cannot run on this machine; nil if it can.
  static func obstacle(_ trial: Trial) -> String? { trial.number == 8 ? Trial.systemCallsAreMissing : nil }

  static func trial(_ number: Int) -> Trial? { trials.first { $0.number == number } }
}
