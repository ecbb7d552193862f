/// What floors above this one call their errors. It stands here so that there is one table.
extension ErrorCatalogue {
  static let others: [ErrorEntry] = rows + conditions + objects + door + swiftData + transfer + tool

  private static let rows: [ErrorEntry] = [
    .init(
      .rows, 1, "wrongType", "The value has another type than the field.",
      "Give a value of the field's type; the error names both."),
    .init(
      .rows, 2, "outOfRange", "The number does not fit into the type of the field.",
      "Give a smaller number, or give the field a larger type."),
    .init(
      .rows, 3, "missing", "A required field has no value.",
      "Give a value, or declare the property as optional."),
    .init(
      .rows, 4, "notUnique", "Another row already has these unique values.",
      "Change one of the two rows, or choose what an import does: update, merge, skip."),
    .init(
      .rows, 5, "unknown", "There is no entity, field, index or row with this name.",
      "`roost schema` lists the names."),
    .init(
      .rows, 6, "tooLarge", "The row is too large.",
      "Split the value, or store it outside the row; Docs/LIMITS.md has the limit."),
    .init(
      .rows, 7, "denied", "A delete rule forbids the deletion, because other rows reference this row.",
      "Delete those rows first, change their references, or choose another delete rule."),
    .init(
      .rows, 8, "conflict", "The change of the catalog does not fit the stored rows.",
      "The error names the obstacle. Add a new field, index or relationship instead of changing the old one."),
    .init(
      .rows, 9, "expired", "The history after this token was removed, or was never recorded.",
      "Read the rows again, and continue from the latest token."),
  ]

  private static let conditions: [ErrorEntry] = [
    .init(
      .conditions, 1, "wrongType", "Two parts of the condition have types that do not fit.",
      "Compare values of one type; the error names the part."),
    .init(
      .conditions, 2, "unknown", "The condition names an unknown field.",
      "`roost schema` lists the names."),
    .init(
      .conditions, 3, "tooDeep", "The condition is nested too deeply.",
      "Join its parts by && or || instead of nesting them."),
    .init(
      .conditions, 4, "badPattern", "The regular expression or pattern is invalid.",
      "Correct the pattern; the error says what is wrong."),
    .init(
      .conditions, 5, "nilUnwrapped", "A row has nil where the condition unwraps a value.",
      "Test for nil first, or give a default with ??."),
    .init(
      .conditions, 6, "overflow", "A number became too large when the condition was computed for a row.",
      "Compute with Double, or with smaller numbers."),
    .init(.conditions, 7, "dividedByZero", "The condition divides by zero for a row.", "Test for zero first."),
    .init(
      .conditions, 8, "outOfBounds", "The condition uses an index beyond the end of a list for a row.",
      "Test the count first."),
    .init(
      .conditions, 9, "missingRow", "A row references a row that does not exist.",
      "Run `roost verify`: the store is inconsistent."),
  ]

  private static let objects: [ErrorEntry] = [
    .init(
      .objects, 1, "unknownModel", "The store was not opened for this model.",
      "Name the model when you make the container."),
    .init(
      .objects, 2, "foreign", "The object belongs to another context.",
      "Fetch it in this context, by its persistentModelID."),
    .init(
      .objects, 3, "deleted", "The object is deleted.", "Do not change it any more. You can still read its last values."
    ),
    .init(
      .objects, 4, "closed", "The context or its store is closed.", "Make another context, or the container again."),
    .init(
      .objects, 5, "unreadable", "A value could not be read.", "Run `roost verify`; call `rollback()` to continue."),
    .init(
      .objects, 6, "wrongModel", "The relationship is of another class.",
      "Give an object of the class that the error names."),
    .init(
      .objects, 7, "conflict", "Another context changed the same property.",
      "Choose a merge policy, or roll back and try again."),
    .init(
      .objects, 8, "twoThreads", "Two threads used one context at the same time.",
      "Give each thread or actor a context of its own."),
    .init(
      .objects, 9, "readOneByOne", "A loop in a strict context read its objects one by one.",
      "Prefetch the relationship that the error names."),
    .init(
      .objects, 10, "notUnique", "Another object has the same unique values.",
      "Change one of the two, or choose a policy for such models."),
    .init(
      .objects, 11, "denied", "A delete rule or a required relationship forbids the deletion.",
      "Also delete the objects that the error names, or remove them from the relationship first."),
    .init(
      .objects, 12, "badValue", "A value is missing or cannot be stored.",
      "Give a value that fits; the error names the property."),
    .init(
      .objects, 13, "count", "A relationship has fewer members than its minimum, or more than its maximum.",
      "Add or remove members before the save."),
    .init(
      .objects, 14, "pendingChanges", "The context has unsaved changes that the call cannot take into account.",
      "Save or roll back first."),
  ]

  private static let door: [ErrorEntry] = [
    .init(
      .door, 1, "unknownModel", "The container was not made for this model.",
      "Name the model when you make the container."),
    .init(
      .door, 2, "foreign", "The object or identifier belongs to another context or container.",
      "Fetch the object in the context that uses it."),
    .init(
      .door, 3, "deleted", "The object is deleted.", "Do not change it any more. You can still read its last values."),
    .init(
      .door, 4, "closed", "The context or its container is closed.", "Make another context, or the container again."),
    .init(.door, 5, "unreadable", "A value could not be read.", "Run `roost verify`; call `rollback()` to continue."),
    .init(
      .door, 6, "conflict", "Another context changed the same property or object.",
      "Choose a merge policy, or roll back and try again."),
    .init(
      .door, 7, "notUnique", "Another model already has this unique value.",
      "Change one of the two, or choose a policy for such models."),
    .init(
      .door, 8, "denied", "A delete rule or a required relationship forbids the deletion.",
      "Also delete the models that the error names, or remove them from the relationship first."),
    .init(
      .door, 9, "twoThreads", "Two threads used one context at the same time.",
      "Give each thread or actor a context of its own."),
    .init(
      .door, 10, "readOneByOne", "A loop in a strict context read its models one by one.",
      "Prefetch the relationship that the error names."),
    .init(
      .door, 11, "badValue", "A value is missing, has another type, or is too large.",
      "Give a value that fits; the error names the property."),
    .init(
      .door, 12, "count", "A relationship has fewer members than its minimum, or more than its maximum.",
      "Add or remove members before the save."),
    .init(
      .door, 13, "pendingChanges", "The context has unsaved changes to the models of a bulk write.",
      "Save or roll back first."),
    .init(
      .door, 14, "badCondition", "A condition cannot be computed for a row.",
      "Test for nil, zero or the count first; the error names the part."),
    .init(.door, 15, "historyOff", "The store records no history.", "Turn the history on in the configuration."),
    .init(
      .door, 16, "store", "A call on the file of the store failed.",
      "`underlyingError` has the cause."),
    .init(
      .door, 17, "badInput", "A record of the import is invalid.",
      "`importFault` names the record, the field and the cause. Correct the record, or skip bad records with `.skip(upTo:)`."
    ),
  ]

  private static let swiftData: [ErrorEntry] = [
    .init(
      .swiftData, 1, "includePendingChangesWithBatchSize",
      "In SwiftData, a fetch in batches cannot include unsaved changes.",
      "Roost never throws it: both work together."),
    .init(
      .swiftData, 2, "unsupportedPredicate", "The predicate has a part that cannot be evaluated.",
      "Rewrite the part that the error names."),
    .init(
      .swiftData, 3, "unsupportedKeyPath", "The key path names no stored property.",
      "Use a stored property, or a part of one."),
    .init(
      .swiftData, 4, "sortingPendingChangesWithIdentifiers",
      "In SwiftData, a sorted fetch of identifiers cannot include unsaved changes.",
      "Roost never throws it: both work together."),
    .init(
      .swiftData, 5, "unsupportedSortDescriptor", "Models cannot be sorted by this value.",
      "Sort by a stored property that has an order."),
    .init(
      .swiftData, 6, "duplicateConfiguration", "Two configurations have the same file.",
      "Give each configuration its own file, or remove one."),
    .init(
      .swiftData, 7, "configurationFileNameTooLong", "The name of the configuration is too long for a file name.",
      "Choose a shorter name."),
    .init(
      .swiftData, 8, "configurationFileNameContainsInvalidCharacters",
      "The name of the configuration cannot be a file name.",
      "Choose a name without / and control characters."),
    .init(
      .swiftData, 9, "configurationSchemaNotFoundInContainerSchema",
      "A configuration names a model that the schema of the container lacks.",
      "Name the model in the schema of the container too."),
    .init(
      .swiftData, 10, "loadIssueModelContainer", "The container cannot be made.",
      "The error says why, and what to do."),
    .init(
      .swiftData, 11, "modelValidationFailure", "The save was refused, because models have invalid values.",
      "`RoostError.faults` lists each one."),
    .init(
      .swiftData, 12, "missingModelContext", "In SwiftData, a model has no context and needs one.",
      "Roost never throws it."),
    .init(
      .swiftData, 13, "backwardMigration", "In SwiftData, the store is newer than the models.", "Roost never throws it."
    ),
    .init(.swiftData, 14, "unknownSchema", "The schema has no classes.", "Make the schema from the model classes."),
    .init(
      .swiftData, 15, "historyTokenExpired", "The history after this token was removed, or was never recorded.",
      "Fetch the models again, and continue from the latest token."),
    .init(
      .swiftData, 16, "invalidTransactionFetchRequest", "The history descriptor is invalid.",
      "Correct the descriptor; the error names the part."),
  ]

  private static let transfer: [ErrorEntry] = [
    .init(
      .transfer, 1, "encoding", "The input is not UTF-8 text, or not a valid LZ4 file.",
      "Convert the file to UTF-8, or decompress it first."),
    .init(
      .transfer, 2, "syntax", "The text does not follow the format.",
      "Correct the line that the error names, or give the right format."),
    .init(
      .transfer, 3, "columns", "The record and the first line have different numbers of columns.",
      "Correct the line; a cell that contains the delimiter needs quotes."),
    .init(
      .transfer, 4, "duplicate", "A name or a unique value occurs twice.",
      "Remove one, or choose what the import does with such records: skip, update, merge."),
    .init(
      .transfer, 5, "unknown", "The store has no such name.",
      "`roost schema` lists the names; an import can rename or ignore columns."),
    .init(
      .transfer, 6, "missing", "A required value is missing.", "Give a value, or a default in the model."),
    .init(
      .transfer, 7, "wrongType", "The value has another type than the field.",
      "Correct the value; the error names the line and the field."),
    .init(
      .transfer, 8, "outOfRange", "The number does not fit into the type of the field.",
      "Correct the value; the error names the line and the field."),
    .init(
      .transfer, 9, "tooLarge",
      "A record, a field, the number of columns, the depth, or the number of bad records exceeds a limit.",
      "Raise the limit, or split the input."),
    .init(.transfer, 10, "truncated", "The input ends in the middle of a record.", "Get the whole file again."),
  ]

  private static let tool: [ErrorEntry] = [
    .init(
      .tool, 1, "question", "The condition or sort order on the command line is invalid.",
      "The mark below the text shows where; `roost schema` lists the names.")
  ]
}
