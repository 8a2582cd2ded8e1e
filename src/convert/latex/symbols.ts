/** Combining characters of the accents, by the name of the macro. */
export const ACCENTS: ReadonlyMap<string, string> = new Map(Object.entries({
  '`': '\u0300', "'": '\u0301', '^': '\u0302', '~': '\u0303', '=': '\u0304', u: '\u0306', '.': '\u0307', '"': '\u0308', r: '\u030a', H: '\u030b', v: '\u030c', d: '\u0323', c: '\u0327', k: '\u0328', b: '\u0331', t: '\u0361',
}));

/** Macros that stand for characters. */
export const SYMBOLS: ReadonlyMap<string, string> = new Map(Object.entries({
  '%': '%', '&': '&', '#': '#', _: '_', '{': '{', '}': '}', $: '$', ' ': ' ', '\n': ' ', ',': ' ', ';': ' ', ':': ' ', '>': ' ', '!': '', '-': '', '/': '', '@': '', quad: ' ', qquad: ' ', enspace: ' ', thinspace: ' ', space: ' ', nobreakspace: ' ', xspace: '',
  ss: 'ß', SS: 'ẞ', ae: 'æ', AE: 'Æ', oe: 'œ', OE: 'Œ', aa: 'å', AA: 'Å', o: 'ø', O: 'Ø', l: 'ł', L: 'Ł', i: 'ı', j: 'ȷ', dh: 'ð', DH: 'Ð', dj: 'đ', DJ: 'Đ', th: 'þ', TH: 'Þ', ng: 'ŋ', NG: 'Ŋ',
  dots: '…', ldots: '…', textellipsis: '…', textendash: '–', textemdash: '—', textbullet: '•', textperiodcentered: '·', textquoteleft: '‘', textquoteright: '’', textquotedblleft: '“', textquotedblright: '”', textquotesingle: "'", textquotedbl: '"', lq: '‘', rq: '’', guillemotleft: '«', guillemotright: '»', guilsinglleft: '‹', guilsinglright: '›', glqq: '„', grqq: '“', flqq: '«', frqq: '»', quotedblbase: '„', quotesinglbase: '‚',
  textbackslash: '\\', textless: '<', textgreater: '>', textbar: '|', textasciitilde: '~', textasciicircum: '^', textunderscore: '_', textdollar: '$', textpercent: '%', textbraceleft: '{', textbraceright: '}', slash: '/', textasteriskcentered: '*', textvisiblespace: '␣',
  copyright: '©', textcopyright: '©', textregistered: '®', texttrademark: '™', S: '§', textsection: '§', P: '¶', textparagraph: '¶', dag: '†', textdagger: '†', ddag: '‡', textdaggerdbl: '‡', pounds: '£', textsterling: '£', euro: '€', texteuro: '€', textyen: '¥', textcent: '¢', textdegree: '°', degree: '°', textmu: 'µ', texttimes: '×', textpm: '±', textonehalf: '½', textexclamdown: '¡', textquestiondown: '¿', textordfeminine: 'ª', textordmasculine: 'º', textrightarrow: '→', textleftarrow: '←', checkmark: '✓',
  LaTeX: 'LaTeX', TeX: 'TeX', LaTeXe: 'LaTeX2e', BibTeX: 'BibTeX', XeTeX: 'XeTeX', XeLaTeX: 'XeLaTeX', LuaTeX: 'LuaTeX', LuaLaTeX: 'LuaLaTeX', pdfTeX: 'pdfTeX', pdfLaTeX: 'pdfLaTeX',
}));

/** The printed form of two or three characters of text. */
export const LIGATURES: readonly (readonly [string, string])[] = [['---', '—'], ['--', '–'], ['``', '“'], ["''", '”'], ['!`', '¡'], ['?`', '¿'], ['`', '‘'], ["'", '’']];
