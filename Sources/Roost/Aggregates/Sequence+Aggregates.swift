/// Sums, averages and bounds of a property of models, also in `#Predicate` and `#Expression`:
///
///     #Predicate<Order> { $0.amount > ($0.customer?.orders.average(\.amount) ?? 0) }
///
/// Values that are nil are left out. If a program has its own functions with these names for all
/// sequences, the compiler prefers those outside of predicates.
extension Sequence where Element: PersistentModel {
  /// The sum; 0 if there are no models. If the sum is too large for its type, the program ends; in
  /// a predicate the fetch throws.
  @_disfavoredOverload
  public func sum<Number: Summable>(_ keyPath: KeyPath<Element, Number>) -> Number.Sum {
    total(map { $0[keyPath: keyPath] })
  }

  /// The sum of the values that are not nil.
  @_disfavoredOverload
  public func sum<Number: Summable>(_ keyPath: KeyPath<Element, Number?>) -> Number.Sum {
    total(compactMap { $0[keyPath: keyPath] })
  }

  /// The average; nil if there are no models.
  @_disfavoredOverload
  public func average<Number: Summable>(_ keyPath: KeyPath<Element, Number>) -> Number.Average? {
    mean(map { $0[keyPath: keyPath] })
  }

  /// The average of the values that are not nil.
  @_disfavoredOverload
  public func average<Number: Summable>(_ keyPath: KeyPath<Element, Number?>) -> Number.Average? {
    mean(compactMap { $0[keyPath: keyPath] })
  }

  /// The least value; nil if there are no models.
  @_disfavoredOverload
  public func min<Value: Comparable>(_ keyPath: KeyPath<Element, Value>) -> Value? {
    SequenceAggregation.min.result(of: map { $0[keyPath: keyPath] }, Value.self, as: Value?.self) ?? nil
  }

  /// The least of the values that are not nil.
  @_disfavoredOverload
  public func min<Value: Comparable>(_ keyPath: KeyPath<Element, Value?>) -> Value? {
    SequenceAggregation.min.result(of: compactMap { $0[keyPath: keyPath] }, Value.self, as: Value?.self) ?? nil
  }

  /// The greatest value; nil if there are no models.
  @_disfavoredOverload
  public func max<Value: Comparable>(_ keyPath: KeyPath<Element, Value>) -> Value? {
    SequenceAggregation.max.result(of: map { $0[keyPath: keyPath] }, Value.self, as: Value?.self) ?? nil
  }

  /// The greatest of the values that are not nil.
  @_disfavoredOverload
  public func max<Value: Comparable>(_ keyPath: KeyPath<Element, Value?>) -> Value? {
    SequenceAggregation.max.result(of: compactMap { $0[keyPath: keyPath] }, Value.self, as: Value?.self) ?? nil
  }

  private func total<Number: Summable>(_ numbers: [Number]) -> Number.Sum {
    var sum = _NumberSum()
    for number in numbers { number._add(to: &sum) }
    if let result = Number._sum(sum) { return result }
    preconditionFailure("the sum does not fit into \(Number.Sum.self): ask for the average, or store it as a Double")
  }

  private func mean<Number: Summable>(_ numbers: [Number]) -> Number.Average? {
    var sum = _NumberSum()
    sum.count = numbers.count
    for number in numbers { number._add(to: &sum) }
    return numbers.isEmpty ? nil : Number._average(sum)
  }
}
