import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseRunsConfig } from '../config/index.ts';
import { appendProject } from './append-project.ts';

const NEW = { id: 'new', repository: 'org/new', enabled: true, issue_label: 'a # b', release_interval: '', runs_on: ['os=linux'], content: { enabled: false, interval: '', min_score: 0 } };

/** Comments in the order of the text. */
const commentsOf = (text: string): string[] => text.split(/\r?\n/).flatMap((line) => /#c\d+/.exec(line)?.[0] ?? []);

describe('appendProject (run-queue decisions, section 3)', () => {
  it.each([
    ['an empty file', '', 'projects:\n  - id: new\n'],
    ['a file of comments', '# only this\n', '# only this\n'],
    ['no projects', 'version: 1 # v\n', 'version: 1 # v\nprojects:\n  - id: new\n'],
    ['an empty list', 'projects: [] # none yet\nversion: 1\n', 'projects:\n  - id: new\n'],
    ['a list on one line', 'projects: [{id: a, repository: o/a}]\n', 'projects: [ { id: a, repository: o/a }, { id: new'],
    ['projects without a value', 'projects:\n', 'projects:\n  - id: new\n'],
    ['an anchor', 'projects: &all\n  - {id: a, repository: o/a}\n', 'projects: &all\n  - { id: a, repository: o/a }\n  - id: new\n'],
  ])('%s', (_, text, start) => {
    const written = appendProject(text, NEW);
    expect(written.startsWith(start)).toBe(true);
    expect(parseRunsConfig(written).projects.at(-1)).toMatchObject(NEW);
  });

  it('keeps line ends and long lines', () => {
    const long = `# ${'word '.repeat(60)}\r\nprojects:\r\n  - id: a # first\r\n    repository: o/a\r\n`;
    const written = appendProject(long, NEW);
    expect(written).toContain(`# ${'word '.repeat(60).trim()}`);
    expect(written.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('keeps every comment, key and value in its order, whatever the file', () => {
    const name = fc.integer({ min: 0, max: 1e6 }).map((n) => `p${n}`);
    const file = fc.record({ names: fc.uniqueArray(name, { maxLength: 5 }), between: fc.boolean(), after: fc.boolean(), blank: fc.boolean(), quoted: fc.boolean() });
    fc.assert(fc.property(file, ({ names, between, after, blank, quoted }) => {
      let comments = 0;
      const comment = () => `#c${comments++}`;
      const projects = names.map((id) => `${between ? `  ${comment()}\n` : ''}  - id: ${quoted ? `"${id}"` : id} ${comment()}\n    repository: org/${id}\n${blank ? '\n' : ''}`).join('');
      const text = `${comment()}\nversion: 1 ${comment()}\n\nprojects:${names.length > 0 ? '\n' : ' []\n'}${projects}${after ? `queue: ${comment()}\n  max_attempts: 2\n` : ''}`;
      const written = appendProject(text, NEW);
      expect(commentsOf(written)).toEqual(commentsOf(text));
      const { projects: kept, ...rest } = parse(written) as { projects: object[] };
      const { projects: before, ...others } = parse(text) as { projects: object[] };
      expect([kept, Object.entries(rest)]).toEqual([[...before, NEW], Object.entries(others)]);
    }));
  });
});
