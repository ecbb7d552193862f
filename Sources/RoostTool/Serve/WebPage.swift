/// The page of `roost serve`: its structure and style. ``WebScript`` has its behaviour.
enum WebPage {
  static let html = #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Roost</title>
    <link rel="stylesheet" href="/page.css">
    <script src="/page.js" defer></script>
    </head>
    <body>
    <a class="skip" href="#main">Skip to the rows</a>
    <header>
      <h1 id="name">Roost</h1>
      <nav id="views" aria-label="Views">
        <a href="#/" data-view="rows">Rows</a>
        <a href="#/history" data-view="history">History</a>
        <a href="#/sizes" data-view="sizes">Sizes</a>
        <a href="#/models" data-view="models">Models</a>
      </nav>
      <span id="commit"></span>
    </header>
    <div id="frame">
      <nav id="entities" aria-label="Entities"></nav>
      <main id="main" tabindex="-1"></main>
    </div>
    <footer>
      <kbd>/</kbd> filter <kbd>e</kbd> entities <kbd>↑</kbd><kbd>↓</kbd> move <kbd>Enter</kbd> open <kbd>n</kbd><kbd>p</kbd> pages
      <kbd>1</kbd>–<kbd>4</kbd> views <kbd>r</kbd> read again <kbd>Esc</kbd> back
    </footer>
    <div id="status" role="status" aria-live="polite"></div>
    </body>
    </html>
    """#

  static let css = #"""
    :root {
      color-scheme: light dark;
      --ground: #fbfaf8; --panel: #f2f0ec; --ink: #23211e; --faint: #6d6862; --line: #dedad3;
      --accent: #9a3b12; --mark: #fbe9dd; --bad: #a4161a;
      --rows: #9a3b12; --index: #2d6a80; --large: #8a6d1f; --history: #5a7d3a; --other: #77716a; --free: #d8d3ca;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #1b1a18; --panel: #242220; --ink: #eae6df; --faint: #a19a91; --line: #3a3733;
        --accent: #f0976b; --mark: #3a2a20; --bad: #ff8a80;
        --rows: #e0845a; --index: #6fb0c8; --large: #cdb05a; --history: #98bd74; --other: #99928a; --free: #45413c;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; height: 100vh; display: flex; flex-direction: column; background: var(--ground); color: var(--ink);
      font: 14px/1.45 system-ui, "Segoe UI", "Noto Sans", sans-serif;
    }
    .skip { position: absolute; left: -999px; }
    .skip:focus { left: 8px; top: 8px; background: var(--ground); padding: 4px 8px; z-index: 9; }
    header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 20px; padding: 10px 16px; border-bottom: 1px solid var(--line); }
    h1 { font-size: 17px; margin: 0; overflow-wrap: anywhere; }
    h2 { font-size: 16px; margin: 0 0 12px; }
    h3 { font-size: 14px; margin: 20px 0 6px; }
    #views { display: flex; gap: 4px; }
    #views a { padding: 3px 10px; border-radius: 5px; text-decoration: none; color: var(--faint); }
    #views a[aria-current] { background: var(--mark); color: var(--accent); }
    #commit { margin-left: auto; color: var(--faint); font-size: 12px; }
    a { color: var(--accent); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    #frame { flex: 1; min-height: 0; display: flex; }
    #entities { width: 190px; flex: none; overflow-y: auto; padding: 10px 8px; background: var(--panel); border-right: 1px solid var(--line); }
    #entities a { display: flex; justify-content: space-between; gap: 10px; padding: 4px 8px; border-radius: 5px; text-decoration: none; color: var(--ink); }
    #entities a span:first-child { overflow: hidden; text-overflow: ellipsis; }
    #entities a[aria-current] { background: var(--mark); color: var(--accent); font-weight: 600; }
    #entities .count { color: var(--faint); font-variant-numeric: tabular-nums; font-weight: 400; }
    main { flex: 1; min-width: 0; overflow: auto; padding: 14px 16px; }
    main:focus { outline: none; }
    form { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 10px; }
    input { font: 13px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; color: var(--ink); background: var(--ground); border: 1px solid var(--line); border-radius: 5px; padding: 5px 8px; min-width: 0; }
    #where { flex: 3 1 220px; }
    #sort { flex: 1 1 110px; }
    button { font: inherit; padding: 4px 12px; border: 1px solid var(--line); border-radius: 5px; background: var(--panel); color: var(--ink); cursor: pointer; }
    button:disabled { opacity: .45; cursor: default; }
    .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
    table { border-collapse: collapse; min-width: 100%; }
    th, td { text-align: left; padding: 4px 10px; max-width: 320px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; border-bottom: 1px solid var(--line); }
    tbody tr:last-child td { border-bottom: 0; }
    th { background: var(--panel); font-weight: 600; position: sticky; top: 0; }
    th button { border: 0; background: none; padding: 0; font-weight: 600; }
    td, dd { unicode-bidi: isolate; }
    .number { text-align: right; font-variant-numeric: tabular-nums; }
    tbody tr { cursor: pointer; }
    tbody tr:hover { background: var(--panel); }
    tbody tr:focus { background: var(--mark); outline: none; }
    .nil { color: var(--faint); font-style: italic; }
    .old { opacity: .55; }
    #fault { margin: 0 0 10px; color: var(--bad); white-space: pre-wrap; overflow-wrap: anywhere; }
    #fault:empty { display: none; }
    input[aria-invalid] { border-color: var(--bad); }
    .bar { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin: 10px 0; color: var(--faint); }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 0; }
    dt { color: var(--faint); }
    dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
    dd a { margin-right: 10px; display: inline-block; }
    pre { margin: 0; padding: 12px; background: var(--panel); border-radius: 6px; overflow-x: auto; font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
    .change { padding: 10px 0; border-bottom: 1px solid var(--line); }
    .change ul { margin: 4px 0 0; padding-left: 20px; }
    .change .faint, .faint { color: var(--faint); }
    .insert { color: var(--history); } .update { color: var(--index); } .delete { color: var(--bad); }
    .strip { display: flex; height: 30px; border-radius: 6px; overflow: hidden; margin: 0 0 10px; background: var(--free); }
    .key { display: inline-flex; align-items: center; gap: 6px; margin-right: 16px; }
    .key i { width: 12px; height: 12px; border-radius: 3px; }
    .rows { background: var(--rows); } .index { background: var(--index); } .large { background: var(--large); }
    .history { background: var(--history); } .other { background: var(--other); } .free { background: var(--free); }
    .gauge { width: 180px; height: 10px; border-radius: 5px; background: var(--panel); overflow: hidden; }
    .gauge div { height: 100%; min-width: 1px; }
    footer { padding: 6px 16px; border-top: 1px solid var(--line); color: var(--faint); font-size: 12px; }
    kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 4px; font: 11px ui-monospace, "DejaVu Sans Mono", monospace; margin-left: 6px; }
    kbd + kbd { margin-left: 1px; }
    #status { position: fixed; right: 16px; bottom: 40px; max-width: min(640px, 90vw); padding: 8px 14px; border-radius: 6px; background: var(--ink); color: var(--ground); white-space: pre-wrap; overflow-wrap: anywhere; }
    #status:empty { display: none; }
    @media (max-width: 640px) {
      #frame { flex-direction: column; }
      #entities { width: auto; display: flex; gap: 4px; overflow-x: auto; padding: 6px 8px; border-right: 0; border-bottom: 1px solid var(--line); }
      main { padding: 10px; }
      footer { display: none; }
      #commit { margin-left: 0; }
    }
    """#
}
