internal import Foundation
internal import RoostFile

/// Finds what Roost knows of an expression's type.
///
/// A cast does that too. But each new type that is made of others is looked for among all conformances of all libraries, which
/// takes some hundred thousand instructions a type, and a predicate consists of ten. All types that are made by one generic type
/// share their witnesses here, so those of a sample serve, which is known by the name of the generic type. What has no sample is cast;
/// a debug build casts everything, and compares.
enum ExpressionTypes {
  /// What the runtime knows as `any Translatable.Type`.
  private struct Known {
    var type: UnsafeRawPointer
    var witnesses: UnsafeRawPointer

    init(type: UnsafeRawPointer, witnesses: UnsafeRawPointer) {
      self.type = type
      self.witnesses = witnesses
    }

    init(_ type: any Translatable.Type) { self = unsafeBitCast(Held(type: type), to: Known.self) }

    var translatable: any Translatable.Type { unsafeBitCast(self, to: Held.self).type }
  }

  /// By itself the compiler would look into what is passed, and pass that.
  private struct Held { var type: any Translatable.Type }

  static func translatable<Expression: PredicateExpression>(_ expression: Expression) -> (any Translatable)? {
    guard let known = translatable(type: Expression.self) else { return nil }
    func open<Same: Translatable>(_ type: Same.Type) -> any Translatable {
      // The two names stand for one type.
      withUnsafePointer(to: expression) { UnsafeRawPointer($0).assumingMemoryBound(to: Same.self).pointee }
    }
    return open(known)
  }

  static func translatable(type: Any.Type) -> (any Translatable.Type)? {
    let address = unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard let generic = MetadataKind.descriptor(address), let witnesses = witnesses(generic) else {
      return type as? any Translatable.Type
    }
    let found = Known(type: address, witnesses: witnesses).translatable
    assert(same(found, type as? any Translatable.Type), "\(type) has other witnesses than its sample")
    return found
  }

  private static func same(_ one: any Translatable.Type, _ other: (any Translatable.Type)?) -> Bool {
    guard let other else { return false }
    let (first, second) = (Known(one), Known(other))
    return first.type == second.type && first.witnesses == second.witnesses
  }

  /// The witnesses that all types of a generic one share; nil where there is no sample of it.
  ///
  /// A sample is made when a type of its kind is met first: all of them together take millions of instructions.
  private static func witnesses(_ generic: UnsafeRawPointer) -> UnsafeRawPointer? {
    if let known = table.lock.withLock({ table.entries.first { $0.generic == generic } }) { return known.witnesses }
    var found: UnsafeRawPointer?
    if let sample = ExpressionSamples.sample(MetadataKind.name(generic)) {
      let known = Known(sample)
      // Another module may have a type of that name.
      if MetadataKind.descriptor(known.type) == generic { found = known.witnesses }
    }
    table.lock.withLock { table.entries.append(Entry(generic: generic, witnesses: found)) }
    return found
  }

  /// Unchecked because of what is found, which is read and written under the lock.
  private final class Table: @unchecked Sendable {
    let lock = Lock()
    // As many as there are kinds of expressions. A dictionary's own types would cost more than all look-ups.
    var entries: [Entry] = []
  }

  private struct Entry {
    var generic: UnsafeRawPointer
    var witnesses: UnsafeRawPointer?
  }

  private static let table = Table()
}
