/// A topic that `roost help` explains, and that is not a subcommand.
struct HelpTopic {
  let name: String
  let summary: String
  let lines: [String]

  static let all = [conditions, groups]

  private static let conditions = HelpTopic(
    name: "conditions", summary: "How conditions, orders and columns are written.",
    lines: Syntax.wrapped(
      "A condition is written as in Swift. 'query', 'export', 'set', 'delete', the shell and the page of 'serve' take it. "
        + "Put it into single quotes, so that your shell leaves it alone.", indent: 0)
      + [""]
      + Syntax.columns([
        ("numbers", "year >= 1959 && year != 1960, (1959...1969).contains(year), -plays < 3"),
        ("texts", "title.hasPrefix(\"A\"), title.contains(\"blue\"), title.localizedStandardContains(\"été\")"),
        ("lists of values", "[\"jazz\", \"folk\"].contains(genre), words.contains(\"x\"), words.count > 2"),
        ("nil", "rating != nil, rating ?? 0 > 3. A comparison with nil is false: rating < 3 leaves nil out."),
        ("dates and others", "date > date(\"2026-01-31\"), key == uuid(\"…\"), price < decimal(\"9.99\")"),
        ("parts of values", "date.utc.month == 12, title.folded == \"ete\", labels.keys.contains(\"x\")"),
        ("relationships", "album?.title == \"Low\", tags.contains { $0.name == \"jazz\" }, tracks.count > 10"),
        ("rows", "album == #12, where 12 is the number in the column '#'"),
        ("parts of structs", "home.city == \"Bonn\", office == nil"),
        ("words", "matches(\"berlin wall*\"), in a class with #FullText"),
        ("together", "a && b, a || b, !a, a ? b : c, ( )"),
        ("names", "`where` in backticks, if a name looks like something else"),
      ]) + ["", "ORDERS AND COLUMNS:"]
      + Syntax.columns([
        (
          "--sort", "'-year,title': by year, the greatest first, then by title. Paths and computed values are keys too."
        ),
        ("--columns", "'#,title,album.title,minutes = seconds / 60': a name before '=' is the title of the column."),
      ]) + [
        "", "EXAMPLES:", "  roost query music.roost Track 'plays > 7 && album?.title == \"Blue\"' --sort -plays",
        "  roost query music.roost Track 'rating == nil' --count",
        "  roost set music.roost Track 'plays = plays + 1' 'title == \"Low\"' --dry-run",
      ])

  private static let groups = HelpTopic(
    name: "groups", summary: "How rows are grouped and measured.",
    lines: Syntax.wrapped(
      "'roost query' prints a line for each group of rows. In the shell, a statement begins with 'group'.", indent: 0)
      + [""]
      + Syntax.columns([
        (
          "--group-by",
          "'genre,decade = year / 10 * 10': what the rows of a group have in common. Without it, all rows are one group."
        ),
        ("--count", "How many rows a group has."),
        ("--sum, --average", "'plays,total = plays * seconds'. Nil is left out. The average of no values is nil."),
        ("--min, --max", "The least and the greatest value."),
        ("--having", "A condition for groups: 'count > 3 && sum(plays) > 100'. It uses keys and measures, not rows."),
        ("--sort", "'-sum(plays),genre'; without it, groups come in the order of their keys."),
        ("--columns", "'genre, share = sum(plays) / count'; other columns than keys and measures."),
        ("--limit, --offset", "Count groups, and not rows."),
      ]) + [
        "", "EXAMPLES:",
        "  roost query music.roost Track --group-by genre --count --sum plays --sort -count",
        "  roost query music.roost Track 'year > 1970' --group-by album.title --having 'count > 3'",
        "  roost query music.roost Track --sum plays --average rating", "", "IN THE SHELL:",
        "  group Track by genre count sum plays having count > 3 sort -count limit 10",
      ])
}
