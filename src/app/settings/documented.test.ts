import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderSettingsMarkdown } from './index.ts';

it('stands in docs/settings.md as the table has it', () => {
  const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
  const shown = /<!-- settings -->\n([\s\S]*)<!-- \/settings -->/.exec(page)?.[1];
  expect(shown).toBe(renderSettingsMarkdown());
});
