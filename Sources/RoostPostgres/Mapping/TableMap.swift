#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// All tables of a schema.
  struct TableMap {
    var tables: [Table] = []
    var links: [LinkTable] = []
    private(set) var relationships: [KeptRelationship] = []
    /// By name of a class: its table, and its place among the table's classes.
    private(set) var places: [String: (table: Int, place: Int)] = [:]
    /// By name.
    private(set) var classes: [String: _ModelType] = [:]
    /// By name of a class, the properties whose values the history preserves when an object is
    /// deleted.
    private(set) var kept: [String: [Int]] = [:]
    private var names: Set<SQLName> = OwnTable.all

    init(_ schema: Schema) throws {
      let plans = schema.models.compactMap { model in
        schema.entitiesByName[model._$type.name].map { ModelPlan($0, model) }
      }
      for plan in plans where plan.type.superType == nil {
        let family = [plan] + plans.filter { $0.type !== plan.type && $0.type.root === plan.type }
        try add(family)
      }
      for plan in plans where places[plan.type.name] == nil {
        throw RoostError(
          .unknownModel, "\(plan.type.name) inherits from \(plan.type.root.name), which is not among the models")
      }
      for pair in try RelationshipPair.all(plans) { try add(pair) }
      for plan in plans {
        for paths in plan.uniques { addUnique(plan, paths) }
        for rule in plan.definitions where rule.isUnique { try addUnique(plan, rule) }
        addIndexes(plan)
        classes[plan.type.name] = plan.type
        let names = plan.preserved.union(plan.uniques.flatMap { $0 })
        kept[plan.type.name] = plan.type.properties.indices.filter { names.contains(plan.type.propertyName($0)) }
      }
      try checkNames()
    }

    func place(_ type: _ModelType) throws -> (table: Int, place: Int) {
      guard let place = places[type.name] else {
        throw RoostError(.unknownModel, "\(type.name) is not among the models of this store")
      }
      return place
    }

    // MARK: Making

    private mutating func add(_ family: [ModelPlan]) throws {
      let root = family[0].type
      var table = Table(name: unique(SQLName(root.name), among: names), root: root)
      names.insert(table.name)
      for plan in family {
        let type = plan.type
        let prefix = type.superType == nil ? "" : type.name + "/"
        for (name, before) in plan.originalNames { table.formerNames[prefix + name] = prefix + before }
        var members: [TableClass.Member?] = []
        for (number, property) in type.properties.enumerated() {
          guard case .value(let known) = property.storage else {
            members.append(nil)
            continue
          }
          let field = type.fieldName(number)
          if let known = table.column(field) {
            members.append(.value(column: known))
            continue
          }
          let form = ValueForm(try known.coder())
          members.append(.value(column: table.columns.count))
          table.columns.append(
            Column(
              name: columnName(field, in: table), field: field, kind: .value(form),
              isOptional: form.isOptional || type.isAdded(number), isNeeded: !form.isOptional))
        }
        places[type.name] = (tables.count, table.classes.count)
        table.classes.append(TableClass(type: type, form: ImageForm.of(type), members: members))
      }
      tables.append(table)
    }

    private func columnName(_ field: String, in table: Table) -> SQLName {
      unique(SQLName(field), among: Table.reserved.union(table.columns.map(\.name)))
    }

    private func unique(_ name: SQLName, among others: Set<SQLName>) -> SQLName {
      var name = name
      while others.contains(name) { name = name.adding("_") }
      return name
    }

    private func table(of end: RelationshipEnd) throws -> Int { try place(end.model.type).table }

    private mutating func add(_ pair: RelationshipPair) throws {
      guard let target = places[pair.target]?.table else {
        throw RoostError(.unknownModel, "\(pair.target) is not among the models of this store")
      }
      guard let holder = pair.holder else { return try addLinks(pair, to: target) }
      let isOne = holder.model.type === pair.one.model.type && holder.property == pair.one.property
      let other = isOne ? pair.other : pair.one
      let (from, to) = (try table(of: holder), isOne ? target : try table(of: pair.one))
      let column = tables[from].columns.count
      let isRequired = holder.isNeeded && !holder.model.type.isAdded(holder.property)
      let rule: Column.DeletionRule =
        switch other?.plan.deleteRule {
        case .cascade: .delete
        case .deny: .refuse
        default: holder.isNeeded ? .refuse : .setNull
        }
      tables[from].columns.append(
        Column(
          name: columnName(holder.name, in: tables[from]), field: holder.name,
          kind: .reference(table: to, onDeletion: rule), isOptional: !isRequired, isNeeded: holder.isNeeded))
      set(holder, .reference(column: column))
      let sides = (one: Side(table: from, field: holder.name), other: other.map { Side(table: to, field: $0.name) })
      let targetClass = isOne ? pair.one.plan.target : pair.other?.plan.target
      let hasPlace = other?.isToMany == true
      relationships.append(
        KeptRelationship(
          holder: sides.one, other: sides.other, target: to,
          form: .reference(column: column, place: hasPlace ? column + 1 : nil), targetClass: targetClass,
          isOwnInverse: holder.plan.isOwnInverse(of: holder.model.type.name)))
      guard let other else { return }
      if !hasPlace { return set(other, .found(table: from, column: column)) }
      let place = tables[from].columns.count
      let name = columnName(tables[from].columns[column].name.text + "_place", in: tables[from])
      tables[from].columns.append(
        Column(name: name, field: nil, kind: .place(of: column), isOptional: true, isNeeded: false))
      set(other, .list(table: from, column: column, place: place))
    }

    private mutating func addLinks(_ pair: RelationshipPair, to target: Int) throws {
      let name = unique(SQLName(pair.one.entity + "_" + pair.one.name), among: names)
      names.insert(name)
      set(pair.one, .links(links.count, isFirst: true))
      if let other = pair.other { set(other, .links(links.count, isFirst: false)) }
      let first = try table(of: pair.one)
      relationships.append(
        KeptRelationship(
          holder: Side(table: first, field: pair.one.name),
          other: pair.other.map { Side(table: target, field: $0.name) }, target: target, form: .links(links.count),
          targetClass: pair.one.plan.target, otherClass: pair.other?.plan.target))
      links.append(LinkTable(name: name, first: first, second: target))
    }

    /// Records where a relationship is stored, for the class that declares it and for its
    /// subclasses.
    private mutating func set(_ end: RelationshipEnd, _ member: TableClass.Member) {
      guard let table = places[end.model.type.name]?.table else { return }
      for place in tables[table].classes.indices
      where tables[table].classes[place].type.isKind(of: end.model.type) {
        tables[table].classes[place].members[end.property] = member
      }
    }

    private mutating func addUnique(
      _ plan: ModelPlan, _ paths: [String], where tests: [[ColumnTest]] = [], condition: String? = nil
    ) {
      guard let (table, _) = places[plan.type.name] else { return }
      let parts = paths.compactMap { part(plan, $0) }
      guard parts.count == paths.count else { return }
      let rule = UniqueRule(parts: parts, tests: tests, condition: condition)
      if !tables[table].uniques.contains(rule) { tables[table].uniques.append(rule) }
    }

    /// Indexes with a condition or with forms are left out: they only make fetches faster. A
    /// uniqueness rule cannot be left out, so one that the server cannot enforce is refused.
    private mutating func addUnique(_ plan: ModelPlan, _ rule: IndexPlan) throws {
      let tests = rule.tests.map { test in
        let alternatives = if case .any(let all) = test { all } else { [test] }
        return alternatives.compactMap { columnTest(plan, $0) }
      }
      let isWhole = zip(rule.tests, tests).allSatisfy { test, found in
        if case .any(let all) = test { all.count == found.count } else { found.count == 1 }
      }
      guard isWhole, rule.parts.allSatisfy({ $0.form == .value && part(plan, $0.path) != nil }) else {
        throw RoostError(
          .badValue,
          "\(plan.type.name) has a #Unique with a condition that PostgreSQL stores cannot enforce (\(rule.text)): compare "
            + "properties that are no parts of structs with numbers, texts, dates, UUIDs or nil, or keep the model in a file"
        )
      }
      let text = rule.tests.map { $0.text { $0 } }.joined(separator: " && ")
      addUnique(plan, rule.parts.map(\.path), where: tests, condition: text)
    }

    private func part(_ plan: ModelPlan, _ path: String) -> UniquePart? {
      guard let (table, place) = places[plan.type.name], let number = plan.type.number(ofPath: path) else { return nil }
      let steps = path.split(separator: ".").dropFirst().map(String.init)
      switch tables[table].classes[place].members[number] {
      case .value(let column)?, .reference(let column)?: return UniquePart(column: column, path: steps)
      default: return nil
      }
    }

    private func columnTest(_ plan: ModelPlan, _ test: IndexPlan.Test) -> ColumnTest? {
      guard let table = places[plan.type.name]?.table, let part = test.paths.first.flatMap({ self.part(plan, $0) }),
        part.path.isEmpty
      else { return nil }
      var type: FieldType?
      if case .value(let form) = tables[table].columns[part.column].kind { type = form.plainType }
      return ColumnTest(test, column: part.column, type: type)
    }

    /// References and unique values have indexes already. JSON and `Data` get none: no comparison
    /// would use it, and long values do not fit.
    private mutating func addIndexes(_ plan: ModelPlan) {
      guard let (table, place) = places[plan.type.name] else { return }
      for paths in plan.indexes {
        let columns = paths.compactMap { path -> Int? in
          guard let number = plan.type.number(ofPath: path), !path.contains(".") else { return nil }
          switch tables[table].classes[place].members[number] {
          case .value(let column)?: return [.jsonb, .bytea].contains(tables[table].columns[column].type) ? nil : column
          case .reference(let column)? where paths.count > 1: return column
          default: return nil
          }
        }
        let isUnique = tables[table].uniques.contains(
          UniqueRule(parts: columns.map { UniquePart(column: $0, path: []) }))
        guard columns.count == paths.count, !isUnique, !tables[table].indexes.contains(columns) else { continue }
        tables[table].indexes.append(columns)
      }
    }

    private func checkNames() throws {
      for name in tables.map(\.name) + links.map(\.name) + tables.flatMap({ $0.columns.map(\.name) })
      where name.text.utf8.count > SQLName.longest {
        throw RoostError(
          .badValue,
          "a name in PostgreSQL has at most \(SQLName.longest) bytes, and \(name) is longer: give the class or the property a shorter one"
        )
      }
    }
  }

  /// A relationship, and the way in which the tables store it.
  struct KeptRelationship {
    /// The side whose rows have the reference, or the owners of links.
    var holder: Side
    /// Nil if the other side has no property.
    var other: Side?
    /// The table of the other side.
    var target: Int
    let form: Form
    /// The class to which the holder's property refers, and the class to which the other side's
    /// property refers.
    var targetClass: String?
    var otherClass: String?
    /// Whether it is its own inverse, such as `partner`.
    var isOwnInverse = false

    enum Form {
      /// A column of the holder's table, and one for the place in the other side's list.
      case reference(column: Int, place: Int?)
      case links(Int)
    }

    var sides: [Side] { [holder] + (other.map { [$0] } ?? []) }
  }

  /// A side of a relationship: the number of a table, and the name of a field.
  struct Side: Hashable {
    var table: Int
    var field: String
  }

  extension TableMap {
    /// Exchanges the owners and the members of links, because the database stores them in the other
    /// order.
    mutating func turn(link: Int, of relationship: Int) {
      (links[link].first, links[link].second) = (links[link].second, links[link].first)
      relationships[relationship].turn()
      for table in tables.indices {
        for kind in tables[table].classes.indices {
          for (number, member) in tables[table].classes[kind].members.enumerated() {
            guard case .links(link, let isFirst)? = member else { continue }
            tables[table].classes[kind].members[number] = .links(link, isFirst: !isFirst)
          }
        }
      }
    }
  }

  extension KeptRelationship {
    fileprivate mutating func turn() {
      guard let other else { return }
      (holder, self.other, target) = (other, holder, holder.table)
      (targetClass, otherClass) = (otherClass, targetClass)
    }
  }
#endif
