import Foundation
import RoostQuery
import Testing
@Suite struct ProbeTests {
  @Test func probe() {
    let all = ["", "a", "A", "ab", "abc", "aB", "b", "\u{e9}", "e\u{301}", "\u{c9}", "e", "e\u{301}\u{323}", "\u{df}", "ss", "SS", "\u{1e9e}","\u{3c2}", "\u{3c3}", "\u{3a3}", "\u{130}", "i\u{307}", "\u{131}", "i", "I", "\r\n", "\r", "\n", "a\r\nb", "a\n", "\u{0}", "a\u{0}", "\u{212b}", "\u{e5}", "a\u{30a}", "\u{1f469}\u{200d}\u{1f467}","\u{1f469}", "\u{1f467}", "\u{ac00}", "\u{1100}\u{1161}", "\u{fb01}", "fi", "10", "9", "z", "\u{f8}", "\u{142}", "o", "l", "resume", "R\u{e9}sum\u{e9}", "stra\u{df}e", "STRASSE"]
    var n = 0, m = 0, k = 0, s = 0
    for a in all { for b in all {
      let ours = TextComparing.test(.containsLoosely, a, b), theirs = a.localizedStandardContains(b)
      if ours != theirs { n += 1; print("loosely", a.debugDescription, b.debugDescription, ours, theirs) }
      let o = TextComparing.order(.caseless, a, b), t = a.caseInsensitiveCompare(b).rawValue
      if o.signum() != t { m += 1; if m < 60 { print("caseless", a.debugDescription, b.debugDescription, o, t) } }
      let o2 = TextComparing.order(.localized, a, b), t2 = a.localizedCompare(b).rawValue
      if o2.signum() != t2 { k += 1; if k < 40 { print("localized", a.debugDescription, b.debugDescription, o2, t2) } }
      if TextComparing.isLess(a, b) != (a < b) { s += 1; print("less", a.debugDescription, b.debugDescription) }
    }}
    print(n, m, k, s, all.count * all.count)
    #expect(Bool(true))
  }
}
