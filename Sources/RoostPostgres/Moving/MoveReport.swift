#if Postgres
  /// The progress of a move.
  public struct MoveProgress: Sendable, Hashable {
    /// The steps of a move, in their order.
    public enum Step: String, Sendable {
      /// Objects are written.
      case objects
      /// Lists get their order, and objects that reference each other in a circle get their
      /// references.
      case relationships
      /// Both sides are read and compared.
      case comparison
    }

    /// The current step.
    public let step: Step
    /// The base class of the current objects.
    public let model: String
    /// The number of objects that the step has finished, of all classes.
    public let objects: Int
  }

  /// The result of a move: the objects on both sides.
  public struct MoveReport: Sendable, Hashable, CustomStringConvertible {
    /// The objects of one side.
    public struct Figures: Sendable, Hashable {
      /// How many objects there are.
      public internal(set) var count = 0
      /// The sum of a 64-bit hash of each object. A hash covers the values and the objects in
      /// relationships, lists in their order.
      public internal(set) var checksum: UInt64 = 0
    }

    /// The objects of one class, without those of subclasses.
    public struct Model: Sendable, Hashable {
      /// The name of the class.
      public let name: String
      /// The objects of the container that the move read.
      public let source: Figures
      /// The objects of the store that the move wrote.
      public let target: Figures
      /// Whether both sides have the same number of objects with the same checksum.
      public var agrees: Bool { source == target }
    }

    /// By name.
    public let models: [Model]
    /// Whether both sides are the same in all classes.
    public var agrees: Bool { models.allSatisfy(\.agrees) }

    public var description: String {
      func figures(_ one: Figures) -> String {
        let hex = String(one.checksum, radix: 16)
        return "\(one.count) objects, checksum \(String(repeating: "0", count: 16 - hex.count))\(hex)"
      }
      return models.map { model in
        model.agrees
          ? "\(model.name): \(figures(model.source)), on both sides"
          : "\(model.name): \(figures(model.source)) at the source; \(figures(model.target)) at the target"
      }.joined(separator: "\n")
    }
  }

  /// An error of a move between a file and a database. Match on ``code``.
  public struct MoveError: Error, CustomStringConvertible, Sendable {
    /// The kinds of errors of a move.
    public enum Code: String, Sendable, CaseIterable {
      /// The tables have rows that this move did not write.
      case notEmpty
      /// There is a file at the place for the new one.
      case fileExists
      /// The container has no store of the needed kind.
      case wrongStore
      /// The configuration has no rule for zones.
      case noZones
      /// Source and target differ: ``MoveError/report`` names the classes.
      case differs
    }

    /// The kind of error, for programs to match on.
    public let code: Code
    /// A sentence for a person: the cause, and the remedy.
    public let detail: String
    /// The result of the comparison; nil if there was none.
    public let report: MoveReport?

    init(_ code: Code, _ detail: String, report: MoveReport? = nil) {
      (self.code, self.detail, self.report) = (code, detail, report)
    }

    public var description: String { "\(code.rawValue): \(detail)" + (report.map { "\n\($0)" } ?? "") }
  }
#endif
