/// The errors of higher modules. They are listed here so that there is one table.
extension ErrorCatalogue {
  static let others: [ErrorEntry] = rows + conditions + objects + door + swiftData + transfer + tool

  private static let rows: [ErrorEntry] = [
    .init(
      .rows, 1, name: "wrongType", meaning: "The value has another type than the field.",
      advice: "Give a value of the field's type; the error names both."),
    .init(
      .rows, 2, name: "outOfRange", meaning: "The number does not fit into the type of the field.",
      advice: "Give a smaller number, or give the field a larger type."),
    .init(
      .rows, 3, name: "missing", meaning: "A required field has no value.",
      advice: "Give a value, or declare the property as optional."),
    .init(
      .rows, 4, name: "notUnique", meaning: "Another row already has these unique values.",
      advice: "Change one of the two rows, or choose what an import does: update, merge, skip."),
    .init(
      .rows, 5, name: "unknown", meaning: "There is no entity, field, index or row with this name.",
      advice: "`roost schema` lists the names."),
    .init(
      .rows, 6, name: "tooLarge", meaning: "The row is too large.",
      advice: "Split the value, or store it outside the row; Docs/LIMITS.md has the limit."),
    .init(
      .rows, 7, name: "denied", meaning: "A delete rule forbids the deletion, because other rows reference this row.",
      advice: "Delete those rows first, change their references, or choose another delete rule."),
    .init(
      .rows, 8, name: "conflict", meaning: "The change of the catalog does not fit the stored rows.",
      advice: "The error names the obstacle. Add a new field, index or relationship instead of changing the old one."),
    .init(
      .rows, 9, name: "expired", meaning: "The history after this token was removed, or was never recorded.",
      advice: "Read the rows again, and continue from the latest token."),
    .init(
      .rows, 10, name: "invalid", meaning: "The value breaks a rule of the model.",
      advice: "Give a value that keeps the rule; the error names the field."),
  ]

  private static let conditions: [ErrorEntry] = [
    .init(
      .conditions, 1, name: "wrongType", meaning: "Two parts of the condition have types that do not fit.",
      advice: "Compare values of one type; the error names the part."),
    .init(
      .conditions, 2, name: "unknown", meaning: "The condition names an unknown field.",
      advice: "`roost schema` lists the names."),
    .init(
      .conditions, 3, name: "tooDeep", meaning: "The condition is nested too deeply.",
      advice: "Join its parts by && or || instead of nesting them."),
    .init(
      .conditions, 4, name: "badPattern", meaning: "The regular expression or pattern is invalid.",
      advice: "Correct the pattern; the error says what is wrong."),
    .init(
      .conditions, 5, name: "nilUnwrapped", meaning: "A row has nil where the condition unwraps a value.",
      advice: "First test for nil, or for the type, or give a default with ??."),
    .init(
      .conditions, 6, name: "overflow", meaning: "A number became too large when the condition was computed for a row.",
      advice: "Compute with Double, or with smaller numbers."),
    .init(
      .conditions, 7, name: "dividedByZero", meaning: "The condition divides by zero for a row.",
      advice: "Test for zero first."),
    .init(
      .conditions, 8, name: "outOfBounds", meaning: "The condition uses an index beyond the end of a list for a row.",
      advice: "Test the count, or the order of the bounds, first."),
    .init(
      .conditions, 9, name: "missingRow", meaning: "A row references a row that does not exist.",
      advice: "Run `roost verify`: the store is inconsistent."),
    .init(
      .conditions, 10, name: "tooLong", meaning: "A regular expression is tested on a text of more than 64 KiB.",
      advice: "Put `text.count < 60000 &&` before the expression, or use contains."),
    .init(
      .conditions, 11, name: "tooLarge", meaning: "The groups, joined rows or selected rows need too much memory.",
      advice: "Ask for fewer with a condition or a limit; the error names what is too large."),
  ]

  private static let objects: [ErrorEntry] = [
    .init(
      .objects, 1, name: "unknownModel", meaning: "The store was not opened for this model.",
      advice: "Name the model when you make the container."),
    .init(
      .objects, 2, name: "foreign", meaning: "The object belongs to another context.",
      advice: "Fetch it in this context, by its persistentModelID."),
    .init(
      .objects, 3, name: "deleted", meaning: "The object is deleted.",
      advice: "Do not change it any more. You can still read its last values."
    ),
    .init(
      .objects, 4, name: "closed", meaning: "The context or its store is closed.",
      advice: "Make another context, or the container again."),
    .init(
      .objects, 5, name: "unreadable", meaning: "A value could not be read.",
      advice: "Run `roost verify`; call `rollback()` to continue."),
    .init(
      .objects, 6, name: "wrongModel", meaning: "The relationship is of another class.",
      advice: "Give an object of the class that the error names."),
    .init(
      .objects, 7, name: "conflict", meaning: "Another context changed the same property.",
      advice: "Choose a merge policy, or roll back and try again."),
    .init(
      .objects, 8, name: "twoThreads", meaning: "Two threads used one context at the same time.",
      advice: "Give each thread or actor a context of its own."),
    .init(
      .objects, 9, name: "readOneByOne", meaning: "A loop in a strict context read its objects one by one.",
      advice: "Prefetch the relationship that the error names."),
    .init(
      .objects, 10, name: "notUnique", meaning: "Another object has the same unique values.",
      advice: "Change one of the two, or choose a policy for such models."),
    .init(
      .objects, 11, name: "denied", meaning: "A delete rule or a required relationship forbids the deletion.",
      advice: "Also delete the objects that the error names, or remove them from the relationship first."),
    .init(
      .objects, 12, name: "badValue", meaning: "A value is missing or cannot be stored.",
      advice: "Give a value that fits; the error names the property."),
    .init(
      .objects, 13, name: "count",
      meaning: "A relationship has fewer members than its minimum, or more than its maximum.",
      advice: "Add or remove members before the save."),
    .init(
      .objects, 14, name: "pendingChanges",
      meaning: "The context has unsaved changes that the call cannot take into account.",
      advice: "Save or roll back first."),
    .init(
      .objects, 15, name: "invalid", meaning: "A value breaks a rule of its model.",
      advice: "Change the value; the error names the property and the rule."),
  ]

  private static let door: [ErrorEntry] = [
    .init(
      .door, 1, name: "unknownModel", meaning: "The container was not made for this model.",
      advice: "Name the model when you make the container."),
    .init(
      .door, 2, name: "foreign", meaning: "The object or identifier belongs to another context or container.",
      advice: "Fetch the object in the context that uses it."),
    .init(
      .door, 3, name: "deleted", meaning: "The object is deleted.",
      advice: "Do not change it any more. You can still read its last values."),
    .init(
      .door, 4, name: "closed", meaning: "The context or its container is closed.",
      advice: "Make another context, or the container again."),
    .init(
      .door, 5, name: "unreadable", meaning: "A value could not be read.",
      advice: "Run `roost verify`; call `rollback()` to continue."),
    .init(
      .door, 6, name: "conflict", meaning: "Another context changed the same property or object.",
      advice: "Choose a merge policy, or roll back and try again."),
    .init(
      .door, 7, name: "notUnique", meaning: "Another model already has this unique value.",
      advice: "Change one of the two, or choose a policy for such models."),
    .init(
      .door, 8, name: "denied", meaning: "A delete rule or a required relationship forbids the deletion.",
      advice: "Also delete the models that the error names, or remove them from the relationship first."),
    .init(
      .door, 9, name: "twoThreads", meaning: "Two threads used one context at the same time.",
      advice: "Give each thread or actor a context of its own."),
    .init(
      .door, 10, name: "readOneByOne", meaning: "A loop in a strict context read its models one by one.",
      advice: "Prefetch the relationship that the error names."),
    .init(
      .door, 11, name: "badValue", meaning: "A value is missing, has another type, or is too large.",
      advice: "Give a value that fits; the error names the property."),
    .init(
      .door, 12, name: "count", meaning: "A relationship has fewer members than its minimum, or more than its maximum.",
      advice: "Add or remove members before the save."),
    .init(
      .door, 13, name: "pendingChanges", meaning: "The context has unsaved changes to the models of a bulk write.",
      advice: "Save or roll back first."),
    .init(
      .door, 14, name: "badCondition", meaning: "A condition cannot be computed for a row.",
      advice: "Test for nil, zero or the count first; the error names the part."),
    .init(
      .door, 15, name: "historyOff", meaning: "The store records no history.",
      advice: "Turn the history on in the configuration."),
    .init(
      .door, 16, name: "store", meaning: "A call on the file of the store failed.",
      advice: "`underlyingError` has the cause."),
    .init(
      .door, 17, name: "badInput", meaning: "A record of the import is invalid.",
      advice:
        "`importFault` names the record, the field and the cause. Correct the record, or skip bad records with `.skip(upTo:)`."
    ),
    .init(
      .door, 18, name: "invalid", meaning: "A value breaks a rule of its model, or `validate` refuses a model.",
      advice: "`faults` lists each value with its rule. Change the values, and save again."),
    .init(
      .door, 19, name: "tooLarge", meaning: "A selection, a join or an aggregate needs more memory than `queryBytes`.",
      advice: "Ask for fewer rows with a predicate or a limit, group by fewer values, or set `queryBytes`."),
  ]

  private static let swiftData: [ErrorEntry] = [
    .init(
      .swiftData, 1, name: "includePendingChangesWithBatchSize",
      meaning: "In SwiftData, a fetch in batches cannot include unsaved changes.",
      advice: "Roost never throws it: both work together."),
    .init(
      .swiftData, 2, name: "unsupportedPredicate", meaning: "The predicate has a part that cannot be evaluated.",
      advice: "Rewrite the part that the error names."),
    .init(
      .swiftData, 3, name: "unsupportedKeyPath", meaning: "The key path names no stored property.",
      advice: "Use a stored property, or a part of one."),
    .init(
      .swiftData, 4, name: "sortingPendingChangesWithIdentifiers",
      meaning: "In SwiftData, a sorted fetch of identifiers cannot include unsaved changes.",
      advice: "Roost never throws it: both work together."),
    .init(
      .swiftData, 5, name: "unsupportedSortDescriptor", meaning: "Models cannot be sorted by this value.",
      advice: "Sort by a stored property that has an order."),
    .init(
      .swiftData, 6, name: "duplicateConfiguration", meaning: "Two configurations have the same file.",
      advice: "Give each configuration its own file, or remove one."),
    .init(
      .swiftData, 7, name: "configurationFileNameTooLong",
      meaning: "The name of the configuration is too long for a file name.",
      advice: "Choose a shorter name."),
    .init(
      .swiftData, 8, name: "configurationFileNameContainsInvalidCharacters",
      meaning: "The name of the configuration cannot be a file name.",
      advice: "Choose a name without / and control characters."),
    .init(
      .swiftData, 9, name: "configurationSchemaNotFoundInContainerSchema",
      meaning: "A configuration names a model that the schema of the container lacks.",
      advice: "Name the model in the schema of the container too."),
    .init(
      .swiftData, 10, name: "loadIssueModelContainer", meaning: "The container cannot be made.",
      advice: "The error says why, and what to do."),
    .init(
      .swiftData, 11, name: "modelValidationFailure",
      meaning: "The save was refused, because models have invalid values.",
      advice: "`RoostError.faults` lists each one."),
    .init(
      .swiftData, 12, name: "missingModelContext", meaning: "In SwiftData, a model has no context and needs one.",
      advice: "Roost never throws it."),
    .init(
      .swiftData, 13, name: "backwardMigration", meaning: "A newer version of the models wrote the store.",
      advice: "Open it with the newer program, or open a backup from before the migration."
    ),
    .init(
      .swiftData, 14, name: "unknownSchema", meaning: "The schema has no classes.",
      advice: "Make the schema from the model classes."),
    .init(
      .swiftData, 15, name: "historyTokenExpired",
      meaning: "The history after this token was removed, or was never recorded.",
      advice: "Fetch the models again, and continue from the latest token."),
    .init(
      .swiftData, 16, name: "invalidTransactionFetchRequest", meaning: "The history descriptor is invalid.",
      advice: "Correct the descriptor; the error names the part."),
  ]

  private static let transfer: [ErrorEntry] = [
    .init(
      .transfer, 1, name: "encoding", meaning: "The input is not UTF-8 text, or not a valid LZ4 file.",
      advice: "Convert the file to UTF-8, or decompress it first."),
    .init(
      .transfer, 2, name: "syntax", meaning: "The text does not follow the format.",
      advice: "Correct the line that the error names, or give the right format."),
    .init(
      .transfer, 3, name: "columns", meaning: "The record and the first line have different numbers of columns.",
      advice: "Correct the line; a cell that contains the delimiter needs quotes."),
    .init(
      .transfer, 4, name: "duplicate", meaning: "A name or a unique value occurs twice.",
      advice: "Remove one, or choose what the import does with such records: skip, update, merge."),
    .init(
      .transfer, 5, name: "unknown", meaning: "The store has no such name.",
      advice: "`roost schema` lists the names; an import can rename or ignore columns."),
    .init(
      .transfer, 6, name: "missing", meaning: "A required value is missing.",
      advice: "Give a value, or a default in the model."),
    .init(
      .transfer, 7, name: "wrongType", meaning: "The value has another type than the field.",
      advice: "Correct the value; the error names the line and the field."),
    .init(
      .transfer, 8, name: "outOfRange", meaning: "The number does not fit into the type of the field.",
      advice: "Correct the value; the error names the line and the field."),
    .init(
      .transfer, 9, name: "tooLarge",
      meaning: "A record, a field, the number of columns, the depth, or the number of bad records exceeds a limit.",
      advice: "Raise the limit, or split the input."),
    .init(
      .transfer, 10, name: "truncated", meaning: "The input ends in the middle of a record.",
      advice: "Get the whole file again."),
    .init(
      .transfer, 11, name: "invalid", meaning: "The value breaks a rule of the model.",
      advice: "Correct the value; the error names the line and the field."),
  ]

  private static let tool: [ErrorEntry] = [
    .init(
      .tool, 1, name: "question", meaning: "The condition or sort order on the command line is invalid.",
      advice: "The mark below the text shows where; `roost schema` lists the names.")
  ]
}
