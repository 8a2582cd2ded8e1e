import { parseJsonInSteps } from '../../../lib/json-in-steps.ts';
import { JsonTooLarge } from '../../../lib/json-scanner.ts';
import { Pace } from '../../../lib/pace.ts';
import { type ParsedReport, type ParsedResult, ResultList, UnreadableReport } from './parsed.ts';

/** Bounds of the JSON, far above what scanners write. */
const LIMITS = { maxDepth: 64, maxValues: 2_000_000 };

/** Findings between two rests. */
const STEP = 200;

type Json = Readonly<Record<string, unknown>>;

const object = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value as Json : {};
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Reads SARIF 2.1.0: each result of each run is a finding. Rejects with an `UnreadableReport`. */
export async function parseSarif(bytes: Buffer, most: number): Promise<ParsedReport> {
  const log = await parse(bytes);
  if (!Array.isArray(log['runs'])) throw new UnreadableReport('is no SARIF report: it has no list `runs`');
  const results = new ResultList(most);
  const pace = new Pace();
  let seen = 0;
  for (const run of log['runs'].map(object)) {
    const driver = object(object(run['tool'])['driver']);
    const rules = new Rules(list(driver['rules']).map(object));
    for (const result of list(run['results']).map(object)) {
      add(results, text(driver['name']), result, rules);
      if (++seen % STEP === 0) await pace.rest();
    }
  }
  return results.done();
}

async function parse(bytes: Buffer): Promise<Json> {
  try {
    return object(await parseJsonInSteps(bytes, { limits: LIMITS, decode: (part) => part.toString() }));
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof JsonTooLarge)) throw error;
    throw new UnreadableReport(`is not valid JSON: ${error.message.slice(0, 200)}`);
  }
}

class Rules {
  readonly #rules: readonly Json[];
  readonly #byId: ReadonlyMap<string, Json>;

  constructor(rules: readonly Json[]) {
    this.#rules = rules;
    this.#byId = new Map(rules.map((rule) => [text(rule['id']), rule]));
  }

  of(result: Json): Json {
    const index = number(result['ruleIndex']) ?? number(object(result['rule'])['index']);
    return (index === null ? undefined : this.#rules[index]) ?? this.#byId.get(idOf(result)) ?? {};
  }
}

const idOf = (result: Json): string => text(result['ruleId']) || text(object(result['rule'])['id']);

function add(results: ResultList, tool: string, result: Json, rules: Rules): void {
  const rule = rules.of(result);
  const place = object(object(list(result['locations'])[0])['physicalLocation']);
  const region = object(place['region']);
  const level = levelOf(result, rule);
  results.add({
    kind: 'finding',
    state: stateOf(result, level),
    suite: tool,
    name: idOf(result) || text(rule['id']) || 'finding',
    file: decoded(text(object(place['artifactLocation'])['uri'])),
    line: number(region['startLine']),
    level,
    message: messageOf(object(result['message']), rule),
    detail: text(object(region['snippet'])['text']) || text(object(rule['fullDescription'])['text']),
  });
}

/** Section 3.27.10 of the specification: that of the result, else that of its rule, else `warning`. */
function levelOf(result: Json, rule: Json): NonNullable<ParsedResult['level']> {
  const given = text(result['level']) || text(object(rule['defaultConfiguration'])['level']);
  return given === 'error' || given === 'note' || given === 'none' ? given : 'warning';
}

function stateOf({ kind, suppressions }: Json, level: string): ParsedResult['state'] {
  if (kind === 'pass') return 'passed';
  if (kind === 'notApplicable' || list(suppressions).some((each) => object(each)['status'] !== 'rejected'))
    return 'skipped';
  return level === 'error' ? 'failed' : 'warning';
}

/** A message is a text, or names one of its rule with places for arguments. */
function messageOf(message: Json, rule: Json): string {
  const given = text(message['text']) || text(message['markdown']);
  if (given !== '') return given;
  const named = text(object(object(rule['messageStrings'])[text(message['id'])])['text']);
  const values = list(message['arguments']);
  const filled = named.slice(0, 4000).replaceAll(/\{(\d{1,3})\}/g,
    (whole, index: string) => text(values[Number(index)]).slice(0, 500) || whole);
  return filled || text(object(rule['shortDescription'])['text']);
}

/** A file is a URI reference, in which spaces are escaped. */
function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
