import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseRunsConfig } from './parse.ts';
import { renderConfigReference } from './reference.ts';

const PAGE = join(import.meta.dirname, '../../../docs/run-queue-configuration.md');

it('stands in docs/ as the schema has it; `quire runs --reference` prints it', () => {
  const shown = /<!-- reference -->\n([\s\S]*)<!-- \/reference -->/.exec(readFileSync(PAGE, 'utf8'))?.[1];
  expect(shown).toBe(renderConfigReference());
});

it('has an example of checkout, secrets, retries and sandboxes that is a valid configuration', () => {
  const example = /```yaml\n([\s\S]*?)```/.exec(readFileSync(PAGE, 'utf8'))?.[1] ?? '';
  const { pipelines, secrets, tokens } = parseRunsConfig(example);
  expect(pipelines[0]).toMatchObject({
    checkout: 'shallow',
    secrets: ['REGISTRY_TOKEN'],
    retry: { on: ['step_failed', 'timeout'] },
    sandbox: 'bubblewrap',
  });
  expect([secrets.length, tokens.length]).toEqual([1, 1]);
});
