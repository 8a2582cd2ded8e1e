import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ERRORS, ServiceError } from './index.ts';
import { RUN_ERRORS } from './registry.ts';

/** The codes that a service's specification lists, wherever its error body contains them. */
function specifiedCodes(file: string): string[] {
  const text = readFileSync(new URL(`../../openapi/${file}`, import.meta.url), 'utf8');
  const lists: string[][] = [];
  const walk = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    const { enum: values } = node as { enum?: string[] };
    if (Array.isArray(values) && values.includes('not_found')) lists.push(values);
    Object.values(node).forEach(walk);
  };
  walk(parse(text));
  return [...new Set(lists.flat())].sort();
}

describe('the error registry', () => {
  it('and the specification of the document service list the same codes', () => {
    const own = Object.keys(ERRORS).filter((code) => !(code in RUN_ERRORS)).sort();
    expect(specifiedCodes('docs/common.yaml')).toEqual(own);
  });

  it('has every code that the run-queue service specifies', () => {
    expect(specifiedCodes('runs/common.yaml').filter((code) => !(code in ERRORS))).toEqual([]);
    expect(Object.keys(RUN_ERRORS).filter((code) => !specifiedCodes('runs/common.yaml').includes(code))).toEqual([]);
  });

  it('maps each code to its status', () => {
    expect(new ServiceError('read_only', 'read-only mode').status).toBe(403);
    expect(new ServiceError('log_budget_exceeded', 'full').status).toBe(507);
  });
});
