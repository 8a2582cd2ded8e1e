import type { Section } from './markdown.ts';

type Service = 'docs' | 'runs';

/** The targets that citations may name. */
export interface Cited {
  /** Anchors of decisions, in lower case: `d-85`. */
  readonly decisions: ReadonlySet<string>;
  /** Documents, by the name that citations use. */
  readonly sections: Readonly<Record<Work, Readonly<Record<Service, readonly Section[]>>>>;
}

type Work = 'contract' | 'decisions' | 'design';

interface Citation {
  readonly work: Work;
  readonly service: Service;
  /** Empty if only a name is cited. */
  readonly numbers: readonly string[];
  /** A name in quotes, or `rule 8`. */
  readonly within: readonly string[];
}

/** Files of the run queue, in which citations refer to its own contract. */
const RUN_QUEUE =
  /^(?:src\/(?:runs|ship)\/|src\/(?:app|testkit)\/(?:runs|ship)|src\/app\/commands\/(?:runs|ship)|src\/api\/grpc\/fleet\/|src\/storage\/migrations\/runs\/|openapi\/runs\/|proto\/quire\/fleet\/|bench\/run-queue\/|contract-tests\/(?:scenarios\/)?runs)/;

const DECISION = /\bD-\d+\b/g;
const WORK =
  /\b(run[- ]queue(?:'s)? +)?(contract|decisions?|design)(?:'s?)?( of the run queue)?,? +(?:\(?(?=sections? +\d)|(?=\d+\.\d|"))/gi;
const NUMBERS = /(?:sections? +)?(\d+(?:\.\d+)*(?:(?:,| and| to) +\d+(?:\.\d+)*)*)/iy;
const NAME = /,? *"([^"]{1,80})"/y;
const RULES = /,? +(?:identity )?(rules?|rows?) +(\d+(?:(?:,| and| to) +\d+)*)/iy;

/** One line for each citation in a text that does not resolve: the location in the file, then what is cited. */
export function brokenCitations(file: string, text: string, cited: Cited): string[] {
  const flat = withoutLeaders(text);
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length;
  const broken: string[] = [];
  for (const { 0: id, index } of flat.matchAll(DECISION)) {
    if (!cited.decisions.has(id.toLowerCase()))
      broken.push(`${file}:${lineOf(index)}: decision ${id} is not in docs/decisions.md`);
  }
  for (const match of flat.matchAll(WORK)) {
    const citation = readCitation(flat, match, RUN_QUEUE.test(file) ? 'runs' : 'docs');
    broken.push(...problemsOf(citation, cited).map((problem) => `${file}:${lineOf(match.index)}: ${problem}`));
  }
  return broken;
}

/** Joins the lines of comments, keeping every character at its position, so that a citation may span a line break. */
function withoutLeaders(text: string): string {
  return text.replaceAll(/\n[ \t]*(?:\*|\/\/|#)?/g, (leader) => ' '.repeat(leader.length)).replaceAll('\r', ' ');
}

function readCitation(text: string, match: RegExpExecArray, own: Service): Citation {
  const word = match[2]!.toLowerCase();
  const work: Work = word === 'decision' ? 'decisions' : (word as Work);
  const service = match[1] !== undefined || match[3] !== undefined ? 'runs' : own;
  let at = match.index + match[0].length;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found;
  };
  const numbers = next(NUMBERS)?.[1]?.split(/,| and | to /).map((number) => number.trim()) ?? [];
  const name = next(NAME)?.[1];
  const rules = next(RULES);
  const listed = rules === null
    ? []
    : rules[2]!.split(/,| and | to /).map((number) => `${rules[1]!.replace(/s$/i, '')} ${number.trim()}`);
  return { work, service, numbers, within: [...(name === undefined ? [] : [name.replaceAll(/\s+/g, ' ')]), ...listed] };
}

function problemsOf({ work, service, numbers, within }: Citation, cited: Cited): string[] {
  const sections = cited.sections[work][service];
  const known = numbers.filter((number) => sections.some((section) => isWithin(section, number)));
  const missing = numbers.filter((number) => !known.includes(number)).map((number) =>
    `${nameOf(work, service)} has no section ${number}`
  );
  if (missing.length > 0) return missing;
  const texts = sections.filter((section) =>
    numbers.length === 0 || numbers.some((number) => isWithin(section, number))
  ).map(({ text }) => text);
  return within.filter((name) => !texts.some((text) => holds(text, name))).map((name) =>
    `${nameOf(work, service)}: "${name}" is not in section ${numbers.join(', ') || 'any'}`
  );
}

/** Section 4 includes 4.1, 4.2 and so on. */
function isWithin({ number }: Section, wanted: string): boolean {
  return number === wanted || number.startsWith(`${wanted}.`);
}

/**
 * A rule is a line of a numbered list, a row is the first cell of a table; anything else is text, compared without
 * case.
 */
function holds(text: string, name: string): boolean {
  const rule = /^(rule|row) (\d+)$/i.exec(name);
  if (rule === null) return text.replaceAll('`', '').toLowerCase().includes(name.replaceAll('`', '').toLowerCase());
  const [, kind, number] = rule;
  return text.split('\n').some((line) =>
    line.startsWith(kind!.toLowerCase() === 'rule' ? `${number}. ` : `| ${number} |`)
  );
}

function nameOf(work: Work, service: Service): string {
  if (work === 'design') return 'docs/architecture.md';
  const what = work === 'contract' ? 'the contract' : 'the list of decisions';
  return `${what} of the ${service === 'docs' ? 'document service' : 'run queue'} in docs/contract/`;
}
