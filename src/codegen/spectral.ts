import { Ruleset, Spectral, type IRuleResult } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { SpecificationError } from './specification-error.ts';
import type { OpenApiDocument } from './openapi-types.ts';

/**
 * `spectral:oas`, including its optional rules, except two: `contact-properties` requires a page and a mailbox, and the tags
 * are in the order in which `/docs` shows them, not in alphabetical order.
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
  },
});

/** Throws SpecificationError if Spectral reports anything about a bundled document, including hints. */
export async function lintWithSpectral(document: OpenApiDocument, name: string): Promise<void> {
  const spectral = new Spectral();
  spectral.setRuleset(ruleset);
  // Spectral keeps its input; the copy protects ours.
  const results = await spectral.run(structuredClone(document) as unknown as Record<string, unknown>);
  if (results.length === 0) return;
  throw new SpecificationError(`Spectral reports ${results.length} problems in the ${name} specification:\n${results.slice(0, 50).map(line).join('\n')}`);
}

const SEVERITIES = ['error', 'warning', 'information', 'hint'];

function line({ severity, code, message, path }: IRuleResult): string {
  return `${SEVERITIES[severity] ?? 'problem'} ${code}: ${message}\n    at #/${path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
}
