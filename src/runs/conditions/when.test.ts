import { describe, expect, it } from 'vitest';
import { parseRunsConfig } from '../config/index.ts';
import { expressionProblem } from './expression.ts';
import { type Facts, MANUAL, unmet } from './when.ts';

const PUSH: Facts = {
  ...MANUAL,
  event: 'push',
  branch: 'main',
  author: 'ada',
  labels: ['ci'],
  paths: async () => ['src/a.ts', 'docs/b.md'],
};

const when = (text: string) =>
  parseRunsConfig(`pipelines: [{name: a, when: ${text}, steps: [{name: s, run: x}]}]`).pipelines[0]!.when;
const reason = (text: string, facts = PUSH): Promise<string | undefined> => unmet(when(text), facts);

describe('conditions', () => {
  it('hold together, and are explained when one does not', async () => {
    expect(await reason('{}')).toBeUndefined();
    expect(await reason('{event: push, branch: [main, release/*], author: "a*", paths: ["src/**"]}')).toBeUndefined();
    expect(await reason('{event: [tag, pull_request]}')).toBe('is for tag, pull_request, not for push');
    expect(await reason('{branch: "!main"}')).toBe('is not for the branch main');
    expect(await reason('{tag: "v*"}')).toBe('needs a tag, and the event has none');
    expect(await reason('{author: bob}')).toBe('is not for the author ada');
    expect(await reason('{paths: ["**/*.css"]}')).toBe('is for other files than those that have changed');
  });

  it('about paths hold where the changed files are not known', async () => {
    expect(await reason('{paths: ["**/*.css"]}', { ...PUSH, paths: async () => undefined })).toBeUndefined();
  });

  it('may be an expression', async () => {
    expect(await reason(`{expression: 'branch == "main" && paths.exists(p, p.endsWith(".ts"))'}`)).toBeUndefined();
    expect(await reason(`{expression: '"ci" in labels && pull_request.number == 0'}`)).toBeUndefined();
    expect(await reason(`{expression: 'author == "bob"'}`)).toBe('has an expression that is not true');
  });
});

describe('an expression', () => {
  it('is checked with the configuration', () => {
    expect(expressionProblem('author +')).toBeDefined();
    expect(expressionProblem('author')).toContain('expected true or false');
    expect(expressionProblem('process.exit(1)')).toContain('process');
    expect(() => when(`{expression: 'nobody == "a"'}`)).toThrow('pipelines[0].when.expression');
  });

  it('is ended when it takes too long', async () => {
    const many = { ...PUSH, paths: async () => Array.from({ length: 1000 }, (_, i) => `f${i}`) };
    await expect(
      reason(`{expression: 'paths.all(a, paths.all(b, paths.all(c, paths.all(d, a + b + c + d != "x"))))'}`, many),
    ).rejects.toThrow('it takes longer than');
    const evil = { ...PUSH, author: 'a'.repeat(60) };
    await expect(reason(`{expression: 'author.matches("^(a|aa|a+)+$b")'}`, evil)).rejects.toThrow('takes longer');
  });
});
