import { expect, it } from 'vitest';
import { unknownVariables, variablesOf } from './variables.ts';

it('reports variables of a page that are no settings', () => {
  const settings = variablesOf('| `SVC_PATH`, `--db` | |\n| `SVC_HTTP_ADDR` |\n');
  expect(unknownVariables('a.md', 'SVC_PATH=x SVC_HTTP_ADDR=:1, `SVC_…` and SVC_EMBEDDING_*\nSVC_PATHS=x\n', settings))
    .toEqual(['a.md:2: SVC_PATHS is no setting']);
});
