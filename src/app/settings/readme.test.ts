import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderSettingsMarkdown } from './index.ts';

it('stands in the README as the table has it', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const shown = /<!-- settings -->\n([\s\S]*)<!-- \/settings -->/.exec(readme)?.[1];
  expect(shown).toBe(renderSettingsMarkdown());
});
