import { describe, expect, it } from 'vitest';
import { brokenCitations, type Cited } from './citations.ts';

const section = (number: string, text = '') => ({ number, text });
const DOCS = [section('2', '#### Code documents\n1. first\n'), section('4.3', '- **No provider**: `none`\n'),
  section('5', '8. eighth\n11. eleventh\n')];
const RUNS = [section('2.3', '| 12 | running to queued |\n'), section('2.10'), section('4', '**Leases**: 60 s\n')];
const CITED: Cited = {
  decisions: new Set(['d-85', 'd-30']),
  sections: {
    contract: { docs: DOCS, runs: [section('8')] },
    decisions: { docs: DOCS, runs: RUNS },
    design: { docs: [section('5')], runs: [section('5')] },
  },
};

const broken = (text: string, file = 'src/docs/a.ts') => brokenCitations(file, text, CITED);

describe('a citation', () => {
  it.each(['decision D-85', 'decisions D-30 and D-85', 'contract section 2, "Code documents"',
    'contract, "code documents"; decision D-85', 'contract section 4', 'Decisions, section 4.3, "No provider"',
    'contract section 2, identity rule 1', 'contract, section 5, rules 8 and 11', "the decisions', section 4.3",
    'design, section 5'])('%s resolves', (text) => expect(broken(text)).toEqual([]));

  it.each([['decisions, section 2.3, row 12', 'src/runs/queue/core.ts'], ['decisions, section 4, "Leases"',
    'src/ship/run/lease.ts'], ['run-queue decisions, section 2.10', 'src/lib/duration.ts'], [
    'run-queue decisions (section 2.3)',
    'src/lib/duration.ts',
  ], ['contract of the run queue, section 8', 'src/lib/duration.ts']])('%s in %s means the run queue', (text, file) => {
    expect(broken(text, file)).toEqual([]);
    expect(broken(text.replace(/run-queue | of the run queue/, ''))).toHaveLength(1);
  });

  it('may go over the end of a line of a comment', () => {
    expect(broken('/**\n * As it must (contract,\n * section 5, rule\n * 8).\n */')).toEqual([]);
    expect(broken('// (decisions,\n// section 9)')).toEqual([
      'src/docs/a.ts:1: the list of decisions of the document service in docs/contract/ has no section 9',
    ]);
  });

  it.each([['one line\n\nD-99', 'src/docs/a.ts:3: decision D-99 is not in docs/decisions.md'], [
    'contract sections 4 and 7',
    'src/docs/a.ts:1: the contract of the document service in docs/contract/ has no section 7',
  ], ['decisions, section 4.1',
    'src/docs/a.ts:1: the list of decisions of the document service in docs/contract/ has no section 4.1'], [
    'design section 6',
    'src/docs/a.ts:1: docs/architecture.md has no section 6',
  ], ['contract section 5, rule 9',
    'src/docs/a.ts:1: the contract of the document service in docs/contract/: "rule 9" is not in section 5'], [
    'contract section 4, "Leases"',
    'src/docs/a.ts:1: the contract of the document service in docs/contract/: "Leases" is not in section 4',
  ]])('%s does not resolve', (text, message) => expect(broken(text)).toEqual([message]));

  it('is none of another work', () => {
    expect(broken('RFC 9110, section 99; the contract holds; a design of 1999; UUID-12')).toEqual([]);
  });
});
