import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseRunsConfig } from '../config/index.ts';
import { editProjects } from './edit-projects.ts';

const NEW = {
  id: 'new',
  repository: 'org/new',
  enabled: true,
  issue_label: 'a # b',
  release_interval: '',
  runs_on: ['os=linux'],
  content: { enabled: false, interval: '', min_score: 0 },
};

/** Comments in text order. */
const commentsOf = (text: string): string[] => text.split(/\r?\n/).flatMap((line) => /#c\d+/.exec(line)?.[0] ?? []);

const append = (text: string, project: object): string => editProjects(text, { add: project });

describe('adding a project (run-queue decisions, section 3)', () => {
  it.each([['an empty file', '', 'projects:\n  - id: new\n'], ['a file of comments', '# only this\n',
    '# only this\nprojects:\n  - id: new\n'], ['no projects', 'version: 1 # v\n',
    'version: 1 # v\nprojects:\n  - id: new\n'], ['an empty list', 'projects: [] # none yet\nversion: 1\n',
    'projects: # none yet\n  - id: new\n'], ['a list on one line', 'projects: [{id: a, repository: o/a}]\n',
    'projects: [ { id: a, repository: o/a }, { id: new'], ['projects without a value', 'projects:\n',
    'projects:\n  - id: new\n'], ['an anchor', 'projects: &all\n  - {id: a, repository: o/a}\n',
    'projects: &all\n  - { id: a, repository: o/a }\n  - id: new\n']])('%s', (_, text, start) => {
      const written = append(text, NEW);
      expect(written.startsWith(start)).toBe(true);
      expect(parseRunsConfig(written).projects.at(-1)).toMatchObject(NEW);
    });

  it('keeps line ends and long lines', () => {
    const long = `# ${'word '.repeat(60)}\r\nprojects:\r\n  - id: a # first\r\n    repository: o/a\r\n`;
    const written = append(long, NEW);
    expect(written).toContain(`# ${'word '.repeat(60).trim()}`);
    expect(written.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('keeps every comment, key and value in its order, whatever the file', () => {
    const name = fc.integer({ min: 0, max: 1e6 }).map((n) => `p${n}`);
    const file = fc.record({
      names: fc.uniqueArray(name, { maxLength: 5 }),
      between: fc.boolean(),
      after: fc.boolean(),
      blank: fc.boolean(),
      quoted: fc.boolean(),
    });
    fc.assert(fc.property(file, ({ names, between, after, blank, quoted }) => {
      let comments = 0;
      const comment = () => `#c${comments++}`;
      const projects = names.map((id) =>
        `${between ? `  ${comment()}\n` : ''}  - id: ${
          quoted ? `"${id}"` : id
        } ${comment()}\n    repository: org/${id}\n${blank ? '\n' : ''}`
      ).join('');
      const text = `${comment()}\nversion: 1 ${comment()}\n\nprojects:${names.length > 0 ? '\n' : ' []\n'}${projects}${
        after ? `queue: ${comment()}\n  max_attempts: 2\n` : ''
      }`;
      const written = append(text, NEW);
      expect(commentsOf(written)).toEqual(commentsOf(text));
      const { projects: kept, ...rest } = parse(written) as { projects: object[] };
      const { projects: before, ...others } = parse(text) as { projects: object[] };
      expect([kept, Object.entries(rest)]).toEqual([[...before, NEW], Object.entries(others)]);
    }));
  });
});

const FILE = `# head
version:   1   # spaces  that nobody else would keep
projects:   # all
    # before alpha
    - id:   alpha     # the first
      repository:  "org/alpha"
      # runs_on: [os=linux]
    - {id: beta,   repository: org/beta}

    - id: gamma
      content:   # of gamma
        enabled: false
      repository: org/gamma   # its place
      priority: 3

# tail
queue:   {max_attempts:   2}
`;

/** Lines that only the first text has, and lines that only the second text has. */
function difference(before: string, after: string): [string[], string[]] {
  const [one, other] = [before.split('\n'), after.split('\n')];
  return [one.filter((line) => !other.includes(line)), other.filter((line) => !one.includes(line))];
}

describe('only the lines of the project change', () => {
  it('when it is added: comments below the last project stay with it', () => {
    expect(difference(FILE, editProjects(FILE, { add: { id: 'new', repository: 'org/new' } }))).toEqual([[], [
      '    - id: new',
      '      repository: org/new',
    ]]);
    const example =
      'projects:\n  - id: demo\n    max_parallel: 2   # 0\n    # runs_on: [os=linux]\n\n    # more\n\n# fleet:\n# ' +
      '  enabled: true\n';
    expect(editProjects(example, { add: { id: 'new', repository: 'o/new' } })).toBe(
      example.replace('# more\n', '# more\n  - id: new\n    repository: o/new\n'),
    );
  });

  it('when it is replaced: keys that stay keep their place and comments', () => {
    const written = editProjects(FILE, {
      id: 'gamma',
      replaceBy: { id: 'gamma', repository: 'org/other', content: { enabled: true, interval: '1h' }, max_parallel: 2 },
    });
    const [gone, come] = difference(FILE, written);
    expect(gone.map((line) => line.trim())).toEqual(['content:   # of gamma', 'enabled: false',
      'repository: org/gamma   # its place', 'priority: 3']);
    expect(come.map((line) => line.trim())).toEqual(['content:', '# of gamma', 'enabled: true', 'interval: 1h',
      'repository: org/other # its place', 'max_parallel: 2']);
    expect(
      difference(FILE,
        editProjects(FILE, { id: 'beta', replaceBy: { id: 'beta', repository: 'org/beta', enabled: false } })),
    ).toEqual([['    - {id: beta,   repository: org/beta}'], [
      '    - {id: beta, repository: org/beta, enabled: false}',
    ]]);
  });

  it('when it is removed, also when it was the only one', () => {
    expect(difference(FILE, editProjects(FILE, { id: 'alpha', remove: true }))).toEqual([[
      '    - id:   alpha     # the first',
      '      repository:  "org/alpha"',
      '      # runs_on: [os=linux]',
    ], []]);
    const one = 'version: 1\r\nprojects: # all\r\n  - id: a\r\n    repository: o/a\r\n# tail\r\n';
    expect(editProjects(one, { id: 'a', remove: true })).toBe('version: 1\r\nprojects: [] # all\r\n# tail\r\n');
  });

  it('and where they cannot be distinguished, values and comments stay all the same', () => {
    const text =
      'base: &b {issue_label: x} # b\nprojects: [{id: a, repository: o/a, <<: *b}, {id: c, repository: o/c}] # p\n';
    expect(parse(editProjects(text, { id: 'c', remove: true }), { merge: true })).toMatchObject({
      projects: [{ id: 'a', issue_label: 'x' }],
    });
    expect(editProjects(text, { id: 'c', replaceBy: { id: 'c', repository: 'o/d' } })).toMatch(
      /# b\n[\s\S]*o\/d[\s\S]*# p/,
    );
  });

  it('whatever the file', () => {
    const name = fc.integer({ min: 0, max: 1e6 }).map((n) => `p${n}`);
    const file = fc.record({
      names: fc.uniqueArray(name, { minLength: 1, maxLength: 5 }),
      indent: fc.constantFrom(0, 2, 4),
      flow: fc.boolean(),
      comment: fc.boolean(),
      crlf: fc.boolean(),
      at: fc.nat(4),
      what: fc.constantFrom('add', 'replace', 'remove'),
    });
    fc.assert(fc.property(file, ({ names, indent, flow, comment, crlf, at, what }) => {
      const pad = ' '.repeat(indent);
      const projects = names.map((id) =>
        `${comment ? `${pad}# of ${id}\n` : ''}${pad}- ${
          flow ? `{id:  ${id}, repository: o/${id}}` : `id:  ${id}\n${pad}  repository:   o/${id}`
        } # ${id}\n`
      ).join('');
      const plain = `# head\nversion:  1\nprojects:\n${projects}queue:  {max_attempts:  2}\n`;
      const text = crlf ? plain.replaceAll('\n', '\r\n') : plain;
      const id = names[at % names.length]!;
      const value = { id: what === 'add' ? 'new' : id, repository: 'o/new', enabled: false };
      const written = editProjects(text,
        what === 'add' ? { add: value } : what === 'replace' ? { id, replaceBy: value } : { id, remove: true });
      const before = (parse(text) as { projects: { id: string }[] }).projects;
      expect(parse(written) as object).toEqual({
        version: 1,
        queue: { max_attempts: 2 },
        projects: what === 'add'
          ? [...before, value]
          : before.flatMap((project) => (project.id !== id ? [project] : what === 'replace' ? [value] : [])),
      });
      const own = new RegExp(`\\b(new|${id})\\b|enabled: false|^projects:`);
      const others = (from: string): string[] => from.split('\n').filter((line) => !own.test(line));
      expect(others(written)).toEqual(others(text));
    }));
  });
});
