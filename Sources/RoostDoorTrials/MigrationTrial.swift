package import RoostTestSupport

extension Trial {
  /// Trial 21: random chains of versions of models.
  package static let migrations = Trial(21, "random chains of versions", unit: "openings", quota: 800) {
    seed, record in
    var play = ChainPlay(seed: seed, record)
    do { try play.run() } catch { record.fail(seed: seed, "\(error)") }
  }
}
