import { type IFunctionResult, type IRuleResult, type RuleDefinition, Ruleset, type RulesetFunctionContext,
  Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { createHash } from 'node:crypto';
import { type OpenApiDocument, SpecificationError } from './openapi-types.ts';

type Check = (target: object, options: object, context: RulesetFunctionContext) => IFunctionResult[] | undefined;

/**
 * Spectral compiles the schema of each example again, and most examples are those of errors, which all operations
 * share. So what has passed at one place of a description passes wherever else the same stands.
 */
function checkedOnce(name: 'oas3-valid-media-example' | 'oas3-valid-schema-example'): RuleDefinition {
  const rule = oas.rules[name] as { readonly then: { readonly function: Check } } & Omit<RuleDefinition, 'then'>;
  const check = rule.then.function;
  const passed = new WeakMap<object, Set<string>>();
  const checkOnce: Check = (target, options, context) => {
    const known = passed.get(context.document) ?? new Set();
    passed.set(context.document, known);
    const key = createHash('sha256').update(`${sideOf(context)} ${JSON.stringify([options, target])}`).digest('base64');
    if (known.has(key)) return undefined;
    const results = check(target, options, context);
    if (results === undefined || results.length === 0) known.add(key);
    return results;
  };
  return { ...rule, then: { ...rule.then, function: Object.assign(checkOnce, check) } } as RuleDefinition;
}

/** Requests and responses leave out different fields. */
function sideOf({ path }: RulesetFunctionContext): string {
  return String(path[0] === 'components' ? path[1] : path[3]);
}

/**
 * `spectral:oas`, including its optional rules, except two: `contact-properties` requires a page and a mailbox, and the
 * tags are in the order in which `/docs` shows them, not in alphabetical order.
 */
const ruleset = new Ruleset({
  extends: [[oas, 'recommended']],
  rules: {
    'info-license': 'error',
    'license-url': 'error',
    'openapi-tags': 'error',
    'operation-singular-tag': 'error',
    'tag-description': 'error',
    'oas3-parameter-description': 'error',
    'oas3-server-not-example.com': 'error',
    'oas3-valid-media-example': checkedOnce('oas3-valid-media-example'),
    'oas3-valid-schema-example': checkedOnce('oas3-valid-schema-example'),
  },
});

/** Throws SpecificationError if Spectral reports anything about a bundled document, including hints. */
export async function lintWithSpectral(document: OpenApiDocument, name: string): Promise<void> {
  const spectral = new Spectral();
  spectral.setRuleset(ruleset);
  // Spectral keeps its input; the copy protects ours.
  const results = await spectral.run(structuredClone(document) as unknown as Record<string, unknown>);
  if (results.length === 0) return;
  throw new SpecificationError(
    `Spectral reports ${results.length} problems in the ${name} specification:\n${
      results.slice(0, 50).map(line).join('\n')
    }`,
  );
}

const SEVERITIES = ['error', 'warning', 'information', 'hint'];

function line({ severity, code, message, path }: IRuleResult): string {
  return `${SEVERITIES[severity] ?? 'problem'} ${code}: ${message}\n    at #/${
    path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
  }`;
}
