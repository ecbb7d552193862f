internal import RoostRecords

/// Checks images and models against rules, for an import into another store, which makes no row
/// here.
///
/// It has one row, which it fills from each image, and its own context.
package final class ImageCheck {
  private let context: GraphContext
  private var encoders: [Int: (encoder: ImageEncoder, box: Saver.SinkBox)] = [:]
  /// Whether any class has rules.
  package let isNeeded: Bool

  package init(_ store: GraphStore) {
    context = GraphContext(store)
    isNeeded = store.hasChecks || store.hasJudges
  }

  deinit { context.close() }

  /// The error of the first rule that an image breaks in a property that it contains.
  package func fault(_ values: ValueImage) throws -> GraphFault? {
    guard let map = context.store.map(of: values.form.type.model), let check = context.store.checks[map.number] else {
      return nil
    }
    let known = encoders[map.number] ?? (ImageEncoder(map, context.store.relations[map.number]), .init(map.newest))
    encoders[map.number] = known
    known.box.sink.clear()
    try known.encoder.encode(values, into: &known.box.sink, leavesAbsent: true, skipsNil: false)
    let breach = check.breaches(known.box.sink.builder).first { values.isPresent($0.property) }
    return breach.map { context.saver.fault($0, map, name: ObjectName(map.type.name, 0)) }
  }

  /// The first error of a new model's own `validate`.
  package func judge(_ model: any _ModelObject) -> GraphFault? {
    let type = type(of: model)._$type
    return type.judge == nil ? nil : context.saver.judge(model, .insert, name: ObjectName(type.name, 0)).first
  }
}
