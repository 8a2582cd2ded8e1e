/** A macro's or environment's definition. */
export interface Definition {
  readonly parameters: number;
  /** The default value of the first parameter. */
  readonly first: string | undefined;
  readonly body: string;
}

/**
 * The arguments of macros that have no entry of their own in the reader: `s` is a star, `o` an option, `m` an argument
 * that is not text, `t` one that is text. A macro that is not listed takes no arguments.
 */
export const SIGNATURES: ReadonlyMap<string, string> = new Map(Object.entries({
  m: 'label pagestyle thispagestyle pagenumbering bibliographystyle graphicspath lstset hypersetup geometry ' +
    'newlength theoremstyle hyphenation tikzset pgfplotsset usetikzlibrary cline phantom hphantom vphantom ' +
    'markright newsavebox usebox stepcounter refstepcounter arabic roman Roman alph Alph hypertarget special ' +
    'allowdisplaybreaks urlstyle selectlanguage address email curraddr keywords dedicatory institute affil ' +
    'glsaddall makeglossary  setmainfont setsansfont setmonofont bigskipamount nocite marginpar glossary ' +
    'printglossary usetheme usecolortheme usefonttheme useinnertheme useoutertheme setbeamercovered logo sisetup ' +
    'titlegraphic',
  mm: 'setbeamertemplate setbeamercolor setbeamerfont setbeamersize SetKwInOut SetKwFunction SetKwInput ' +
    'SetKwProg fontsize setlength addtolength setcounter addtocounter settowidth numberwithin markboth lstdefinestyle',
  mmm: 'definecolor addcontentsline',
  om:
    'usepackage RequirePackage documentclass documentstyle color index captionsetup subjclass includepdf bibliography',
  omm: 'rule DeclareSIUnit DeclareSIPrefix',
  sm: 'vspace hspace',
  soom: 'includegraphics',
  omom: 'lstdefinelanguage',
  mo: 'newcounter',
  som: 'newcolumntype',
  t: 'text textrm textsf textnormal textsc mbox hbox underline uline MakeUppercase ' +
    'MakeLowercase uppercase lowercase textup textmd textlf emphasis centerline leftline rightline fbox makecell ' +
    'shortstack boxed textulc term subtitle alert only uncover visible onslide invisible structure action',
  tt: 'alt',
  ttt: 'temporal',
  omt: 'foreignlanguage textcolor colorbox rotatebox',
  oot: 'makebox framebox',
  ooomt: 'parbox',
  mot: 'scalebox',
  moot: 'raisebox',
  mmt: 'fcolorbox resizebox multirow multicolumn',
  ot: 'hyperref',
  o: 'linebreak nolinebreak pagebreak nopagebreak footnotemark printindex printbibliography printnomenclature',
}).flatMap(([signature, names]) => names.split(' ').map((name) => [name, signature] as const)));

/** Macros and environments that a document defines, with a limit on their total expansion. */
export class Macros {
  readonly #macros = new Map<string, Definition>();
  readonly #environments = new Map<string, { begin: Definition; end: string }>();
  /** Names of theorems, by environment. */
  readonly theorems = new Map<string, string>([['proof', 'Proof']]);
  /** Environments whose text is code, with the number of their arguments. */
  readonly listings = new Map<string, number>();
  /** Characters that begin and end code in the text. */
  readonly shortVerbs = new Set<string>();

  define(name: string, parameters: number, first: string | undefined, body: string): void {
    this.#macros.set(name, { parameters: Math.min(9, parameters), first, body });
  }

  defineEnvironment(name: string, parameters: number, first: string | undefined, begin: string, end: string): void {
    this.#environments.set(name, { begin: { parameters: Math.min(9, parameters), first, body: begin }, end });
  }

  get(name: string): Definition | undefined {
    return this.#macros.get(name);
  }

  environment(name: string): { begin: Definition; end: string } | undefined {
    return this.#environments.get(name);
  }
}

/** Number of characters of a definition's body with its parameters filled in; at least that of a number. */
export function filledLength(body: string, values: readonly string[]): number {
  let length = body.length + 1;
  for (const [, mark] of body.matchAll(/#([1-9])/g)) length += values[Number(mark) - 1]?.length ?? 0;
  return length;
}

/** The body of a definition with its parameters filled in. */
export function filled(body: string, values: readonly string[]): string {
  return body.replace(/#(#|[1-9])/g, (_, mark: string) => (mark === '#' ? '#' : (values[Number(mark) - 1] ?? '')));
}
