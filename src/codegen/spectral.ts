import { type IFunctionResult, type IRuleResult, type RuleDefinition, Ruleset, type RulesetFunctionContext,
  Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { createHash } from 'node:crypto';
import { type MediaTypeObject, type OpenApiDocument, type OperationObject, operationsOf, type ParameterObject, resolve,
  type ResponseObject, type SchemaObject, SpecificationError } from './openapi-types.ts';

/**
 * Throws SpecificationError if the description lacks examples. Each operation needs an example of its body in one media
 * type, of every required parameter (or of one parameter if none is required), and of each successful JSON response, so
 * that it can be tried from its description alone. Linters check that examples conform to their schemas; the contract
 * tests send them.
 */
export function checkExamples(document: OpenApiDocument, name: string): void {
  const lacking = [...operationsOf(document)].flatMap(({ operation }) =>
    [...requestWithout(document, operation), ...answersWithout(document, operation)].map((what) =>
      `${operation.operationId}: ${what}`
    )
  );
  if (lacking.length === 0) return;
  throw new SpecificationError(
    `${lacking.length} examples are missing in the ${name} specification:\n${lacking.join('\n')}`,
  );
}

function requestWithout(document: OpenApiDocument, { parameters = [], requestBody }: OperationObject): string[] {
  const all = parameters.map((each) => resolve(document, each));
  const required = all.filter((each) => each.required === true && !parameterHasExample(document, each)).map((each) =>
    `the ${each.in} parameter ${each.name} has no example`
  );
  if (requestBody !== undefined) {
    return Object.values(requestBody.content).some(hasExample) ? required : [...required, 'the body has no example'];
  }
  const tried = all.length === 0 || all.some((each) => each.required === true || parameterHasExample(document, each));
  return tried ? required : ['none of the parameters has an example'];
}

function answersWithout(document: OpenApiDocument, { responses }: OperationObject): string[] {
  return Object.entries(responses).filter(([status]) => status.startsWith('2')).flatMap(([status, response]) => {
    const media = resolve<ResponseObject>(document, response).content?.['application/json'];
    return media === undefined || hasExample(media) ? [] : [`the answer ${status} has no example`];
  });
}

const hasExample = ({ example, examples }: MediaTypeObject): boolean =>
  example !== undefined || Object.values(examples ?? {}).some(({ value }) => value !== undefined);

/** The values that a schema lists count as examples. */
function parameterHasExample(document: OpenApiDocument, parameter: ParameterObject & { example?: unknown }): boolean {
  return parameter.example !== undefined ||
    [parameter.schema, resolve<SchemaObject>(document, parameter.schema)].some((schema) =>
      schema['examples'] !== undefined || schema['enum'] !== undefined
    );
}

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
