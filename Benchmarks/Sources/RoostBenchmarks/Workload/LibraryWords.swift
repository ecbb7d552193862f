/// The words in names and titles.
enum LibraryWords {
  static let genres = [
    "Ambient", "Blues", "Classical", "Country", "Electronic", "Folk", "Hip-Hop", "Jazz", "Latin", "Metal", "Pop",
    "Rock",
  ]

  /// Some titles contain a spelling of "love", and some an accent.
  static let titles = words(
    """
    a after again all alone amber and anchor arrow autumn away back ballad beat before behind bell below between blue \
    bones born bridge broken burning café candle carnival chérie circle city cloud coast cold copper corazón crystal \
    dance dawn deep déjà delta desert distance door down dream drifting dust early echo edge electric empty engine \
    été evening every fable fading falling far feather fever field fire first flame floating flood flower fool \
    forever forêt fragile free garden ghost girl glass gold gone gravity grey harbour heart heavy hidden highway \
    hollow home honey horizon hour house hunger ice in indigo iron island jeune jungle keep kingdom lantern last \
    letter light lines little lonely long lost love Love LOVE low lullaby machine mañana maybe meadow memory midnight \
    mirror moon morning mountain murmur naïve near neon never night nobody noon north nothing ocean October old only \
    open orchid other over paper paradise parade pearl phantom pilot places planet promise quiet rain raven red \
    remember río river road romance room rose running sable sail salt satellite season secret señora shadow shelter \
    silence silver sister sky sleep slow small smoke snow soft someone song south spark spring stars station still \
    stone storm stranger street summer sun sway sweet tender thunder tide tomorrow train über under until velvet vida \
    violet voices waiting walls water wave west wild wind window winter wire without wonder years yellow young zenith
    """)

  struct Word {
    var bytes: [UInt8]
    var characters: Int
  }

  private static func words(_ text: String) -> [Word] {
    text.split(separator: " ").map { Word(bytes: Array($0.utf8), characters: $0.count) }
  }

  /// Appends 12 to 40 characters of words.
  static func appendTitle(to text: inout [UInt8], _ random: inout SplitMix64) {
    let most = 12 + random.next(below: 29)
    var characters = 0
    while true {
      let word = titles[random.next(below: titles.count)]
      let length = characters + word.characters + (characters > 0 ? 1 : 0)
      if characters >= 12 && length > most { return }
      if characters > 0 { text.append(0x20) }
      text += word.bytes
      characters = length
    }
  }

  /// Whether the title contains "love", in any case.
  static func hasLove(_ title: UnsafeRawBufferPointer) -> Bool {
    let love: (UInt8, UInt8, UInt8, UInt8) = (0x6C, 0x6F, 0x76, 0x65)
    guard title.count >= 4 else { return false }
    for at in 0...(title.count - 4)
    where title[at] | 0x20 == love.0 && title[at + 1] | 0x20 == love.1 && title[at + 2] | 0x20 == love.2
      && title[at + 3] | 0x20 == love.3
    { return true }
    return false
  }
}
