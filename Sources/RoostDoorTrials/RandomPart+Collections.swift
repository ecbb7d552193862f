internal import Foundation

extension RandomPart where Value: Sequence, Value.Element: Equatable {
  func holds(_ element: RandomPart<Value.Element>) -> RandomPart<Bool> {
    func open(_ list: some Known<Value>, _ element: some Known<Value.Element>) -> any Known<Bool> {
      Words.build_contains(list, element)
    }
    return RandomPart<Bool>(
      "\(text).contains(\(element.text))", { open(self.build($0), element.build($0)) },
      value: { try self.value($0).contains(element.value($0)) })
  }
}

extension RandomPart where Value: Sequence, Value.Element: Comparable {
  func most(isLeast: Bool) -> RandomPart<Value.Element?> {
    func open(_ list: some Known<Value>) -> any Known<Value.Element?> {
      isLeast ? Words.build_min(list) : Words.build_max(list)
    }
    return RandomPart<Value.Element?>(
      "\(text).\(isLeast ? "min" : "max")()", { open(self.build($0)) },
      value: { isLeast ? try self.value($0).min() : try self.value($0).max() })
  }
}

enum Quantifier: CaseIterable { case some, all, howMany }

extension RandomPart where Value: Sequence {
  /// Whether some elements, or all, fulfil a test.
  func asks(_ isAll: Bool, _ number: Int, test: RandomPart<Bool>) -> RandomPart<Bool> {
    func open(_ list: some Known<Value>, _ probe: some Known<Bool>, variables: Variables) -> any Known<Bool> {
      func body<Body: Known<Bool>>(_ probe: Body) -> any Known<Bool> {
        func make(_ variable: Words.Variable<Value.Element>) -> Body {
          variables.set(number, variable)
          return same(test.build(variables))
        }
        return isAll
          ? Words.build_allSatisfy(list) { make($0) } : Words.build_contains(list, where: { make($0) })
      }
      return body(probe)
    }
    return RandomPart<Bool>(
      "\(text).\(isAll ? "allSatisfy" : "contains") { $\(number) in \(test.text) }",
      { variables in
        variables.set(number, Words.Variable<Value.Element>())
        return open(self.build(variables), test.build(variables), variables: variables)
      },
      value: { frame in
        for element in try self.value(frame) where try test.value(frame.with(number, element)) != isAll {
          return !isAll
        }
        return isAll
      })
  }

  func filtered(_ number: Int, _ test: RandomPart<Bool>) -> RandomPart<[Value.Element]> {
    func open(
      _ list: some Known<Value>, _ probe: some Known<Bool>, variables: Variables
    ) -> any Known<[Value.Element]> {
      func body<Body: Known<Bool>>(_ probe: Body) -> any Known<[Value.Element]> {
        Words.build_filter(list) { (variable: Words.Variable<Value.Element>) -> Body in
          variables.set(number, variable)
          return same(test.build(variables))
        }
      }
      return body(probe)
    }
    return RandomPart<[Value.Element]>(
      "\(text).filter { $\(number) in \(test.text) }",
      { variables in
        variables.set(number, Words.Variable<Value.Element>())
        return open(self.build(variables), test.build(variables), variables: variables)
      }, value: { frame in try self.value(frame).filter { try test.value(frame.with(number, $0)) } })
  }
}

extension RandomPart {
  func element<Element>(_ index: RandomPart<Int>) -> RandomPart<Element> where Value == [Element] {
    func open(_ list: some Known<[Element]>, _ index: some Known<Int>) -> any Known<Element> {
      Words.build_subscript(list, index)
    }
    return RandomPart<Element>(
      "\(text)[\(index.text)]", { open(self.build($0), index.build($0)) },
      value: {
        let (list, index) = (try self.value($0), try index.value($0))
        guard list.indices.contains(index) else { throw NodeFault.outOfBounds }
        return list[index]
      })
  }

  func entry<Entry>(_ key: RandomPart<String>) -> RandomPart<Entry?> where Value == [String: Entry] {
    func open(_ table: some Known<[String: Entry]>, _ key: some Known<String>) -> any Known<Entry?> {
      Words.build_subscript(table, key)
    }
    return RandomPart<Entry?>(
      "\(text)[\(key.text)]", { open(self.build($0), key.build($0)) }, value: { try self.value($0)[key.value($0)] })
  }

  func entry<Entry>(_ key: RandomPart<String>, _ instead: RandomPart<Entry>) -> RandomPart<Entry>
  where Value == [String: Entry] {
    func open(
      _ table: some Known<[String: Entry]>, _ key: some Known<String>, instead: some Known<Entry>
    ) -> any Known<Entry> { Words.build_subscript(table, key, default: instead) }
    return RandomPart<Entry>(
      "\(text)[\(key.text), default: \(instead.text)]",
      { open(self.build($0), key.build($0), instead: instead.build($0)) },
      value: { try self.value($0)[key.value($0)] ?? instead.value($0) })
  }

  // MARK: Classes

  func isOf<Class>(_ type: Class.Type) -> RandomPart<Bool> {
    func open<Root: Known<Value>>(_ root: Root) -> any Known<Bool> { Words.TypeCheck<Root, Class>(root) }
    return RandomPart<Bool>(
      "(\(text) is \(Class.self))", { open(self.build($0)) }, value: { try self.value($0) is Class })
  }

  func cast<Class>(_ type: Class.Type) -> RandomPart<Class?> {
    func open<Root: Known<Value>>(_ root: Root) -> any Known<Class?> { Words.ConditionalCast<Root, Class>(root) }
    return RandomPart<Class?>(
      "(\(text) as? \(Class.self))", { open(self.build($0)) }, value: { try self.value($0) as? Class })
  }
}
