import { describe, expect, it } from 'vitest';
import { operations } from '../../../generated/runs/operations.ts';
import type { Grant } from '../../../generated/runs/sdk/types.gen.ts';
import type { OperationSpec } from '../../operations/index.ts';
import { type Guarded, NEEDS, permits } from './rights.ts';

const SPECS: Readonly<Record<string, OperationSpec>> = operations;

describe('what the console offers', () => {
  it('takes the scopes that the specification names', () => {
    const expected = Object.keys(NEEDS).map((id) => {
      const { access, scope = access === 'read' ? 'read' : 'admin', projectAdmin } = SPECS[id]!;
      return [id, scope === 'admin' && projectAdmin !== true ? { scope, of: 'service' } : { scope }];
    });
    expect(NEEDS).toEqual(Object.fromEntries(expected));
  });

  const of = (scopes: Grant['scopes'], projects: Grant['projects'] = null): Grant => ({ scopes, projects });

  it.each<[string, readonly Grant[], Guarded, string | undefined, boolean]>([
    ['nothing', [], 'cancelRun', 'alpha', false],
    ['reading', [of(['read'])], 'cancelRun', 'alpha', false],
    ['the scope', [of(['submit'])], 'cancelRun', 'alpha', true],
    ['all scopes', [of(['admin'])], 'approveRun', 'alpha', true],
    ['the scope in another project', [of(['submit'], ['beta'])], 'cancelRun', 'alpha', false],
    ['the scope in some project', [of(['submit'], ['beta'])], 'enqueueRun', undefined, true],
    ['a second grant', [of(['read']), of(['approve'], ['alpha'])], 'approveRun', 'alpha', true],
    ['administration of the project', [of(['admin'], ['alpha'])], 'pauseSchedule', 'alpha', true],
    ['administration of the project', [of(['admin'], ['alpha'])], 'drainShip', undefined, false],
    ['administration', [of(['admin'])], 'drainShip', undefined, true],
  ])('with %s: %#', (_with, grants, operation, project, expected) => {
    expect(permits(grants, operation, project)).toBe(expected);
  });
});
