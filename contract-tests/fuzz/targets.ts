import fc from 'fast-check';
import type { OperationSpec } from '../../src/operations/index.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'SEARCH', 'PROPFIND', 'LINK'];

const SEGMENTS = ['', '.', '..', '%2e%2e', '%2E%2E%2f', '..%2f..%2f', '..%5c', '%00', '%', '%zz', '%E0%A4%A', '%ff',
  '~', '*', '__proto__', 'constructor', 'v1', 'V1', 'docs', 'health', 'add', 'get', 'package.json', 'etc', 'passwd',
  'swagger-ui.css', 'openapi.json', ';a=b', '@', ':', '[', '{id}', '%7Bid%7D', "'", '"', '|', 'x'.repeat(300)];

/** Methods and targets similar to those of the specification: unknown, doubled, encoded, with `..`. */
export function hostileTargets(specs: readonly OperationSpec[]): fc.Arbitrary<{ method: string; target: string }> {
  const known = fc.constantFrom(...specs.map(({ path }) => path), '/docs', '/openapi.json', '/docs/swagger-ui.css');
  const segment = fc.constantFrom(...SEGMENTS);
  const made = fc.array(segment, { minLength: 1, maxLength: 7 }).map((segments) => `/${segments.join('/')}`);
  const bent = fc.tuple(known, segment, fc.constantFrom('after', 'before', 'inside')).map(([path, extra, where]) =>
    bend(path, extra, where)
  );
  const odd = fc.constantFrom('*', '//', '///v1///add', 'http://evil.example/v1/stats', '/v1/add?', '/v1/add#x',
    '/?x=%', '/v1/v1/add', '/v1/v1/v1/add', `/${'x/'.repeat(5000)}`);
  return fc.record({
    method: fc.constantFrom(...METHODS),
    target: fc.oneof({ weight: 3, arbitrary: made }, { weight: 3, arbitrary: bent }, { weight: 1, arbitrary: odd }),
  });
}

function bend(path: string, extra: string, where: string): string {
  if (where === 'after') return `${path}/${extra}`;
  if (where === 'before') return `/${extra}${path}`;
  return path.replace(/\/(?=[^/]*$)/, `/${extra}/`);
}
