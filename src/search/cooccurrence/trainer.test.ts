import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CooccurrenceKernel } from '../../kernels/cooccurrence.ts';
import { referenceNeighbours } from '../../testkit/cooccurrence/ppmi.ts';
import { formsOf } from '../../text/tokenize.ts';
import { Neighbours } from './neighbours.ts';
import { termOf, type TermRules, Trainer, trainHere, type TrainingDocument, TrainingThread } from './training.ts';

const RULES: TermRules = { lang: 'en', stemming: true, stopWords: new Set(['the', 'of']) };

const prose = (...texts: string[]): TrainingDocument => texts.map((text) => ({ text, code: false }));

function train(documents: readonly TrainingDocument[], rules = RULES): Neighbours {
  const trainer = new Trainer(rules, { counter: new CooccurrenceKernel({ build: 'debug' }) });
  for (const document of documents) trainer.add(document);
  return new Neighbours(trainer.finish());
}

const formsNear = (neighbours: Neighbours, term: string): string[] => neighbours.of(term).map(({ form }) => form);

const word = fc.oneof({
  weight: 6,
  arbitrary: fc.constantFrom('fox', 'foxes', 'dog', 'hunting', 'hunted', 'cat', 'mouse', 'été', 'the', 'of'),
}, fc.constantFrom('__proto__', 'constructor', 'ß', '名前', '3.14', '\ud800', "don't"));
const text = fc.array(word, { maxLength: 25, size: 'max' }).map((words) => words.join(' '));
const corpus = fc.array(fc.array(text, { maxLength: 3 }), { maxLength: 8, size: 'max' });

describe('what terms stand together (decision D-84)', () => {
  it('is what the definition says, of random texts', () => {
    const toTerm = termOf(RULES);
    fc.assert(fc.property(corpus, (documents) => {
      const expected = referenceNeighbours(documents.map((texts) => texts.map((one) => formsOf(one).map(toTerm))));
      const found = train(documents.map((texts) => prose(...texts)));
      for (const [term, near] of expected) {
        const neighbours = found.of(term);
        const best = [...near.values()].sort((a, b) => b - a).slice(0, 5);
        expect(neighbours.length).toBe(best.length);
        for (const [i, { form, weight }] of neighbours.entries()) {
          // Among equal weights, the counter may choose which are omitted.
          expect(weight).toBeCloseTo(best[i]!, 5);
          expect(weight).toBeCloseTo(near.get(toTerm(form)!)!, 5);
        }
      }
    }), { numRuns: 150 });
  });

  it('joins any two of five words in a row, stop words counted', () => {
    const near = train([prose('alpha the of the omega'), prose('alpha the of the omega'),
      prose('beta the of the the kappa'), prose('beta the of the the kappa')]);
    expect(formsNear(near, 'alpha')).toEqual(['omega']);
    expect(formsNear(near, 'beta')).toEqual([]);
    expect(near.of('the')).toEqual([]);
  });

  it('ends at the end of a text', () => {
    const document = prose('alpha beta', 'omega kappa');
    expect(formsNear(train([document, document]), 'beta')).toEqual(['alpha']);
  });

  it('takes pairs of several documents, and those of one for a term that has no other', () => {
    const documents = [prose('fox rare rare fox'), prose('fox hound'), prose('fox hound'),
      prose('mouse and cheese, mouse and cheese')];
    expect(formsNear(train(documents), 'fox')).toEqual(['hound']);
    expect(formsNear(train(documents), 'rare')).toEqual(['fox']);
    expect(formsNear(train(documents), 'chees').sort()).toEqual(['and', 'mouse']);
  });

  it('leaves out terms that occur once', () => {
    expect(train([prose('alpha beta'), prose('alpha')]).size).toBe(0);
  });

  it('goes by stems, and by forms without diacritics where nothing is stemmed', () => {
    const documents = [prose('running shoes café'), prose('runs shoe café')];
    expect(formsNear(train(documents), 'run').sort()).toEqual(['café', 'shoes']);
    expect(train(documents, { ...RULES, stemming: false }).of('run')).toEqual([]);
    expect(formsNear(train([prose('élan vital'), prose('élan vital')], { ...RULES, lang: 'xx' }), 'elan')).toEqual([
      'vital',
    ]);
  });

  it('cuts code as the index does', () => {
    const code: TrainingDocument = [{ text: 'getUserName(session)', code: true }];
    const near = train([code, code]);
    expect(formsNear(near, 'getusernam').sort()).toEqual(['get', 'name', 'session', 'user']);
  });

  it('has nothing to say of no documents, of one without words, and of unknown terms', () => {
    for (const documents of [[], [[]], [prose('')], [prose('... !!')], [prose('the of the')]]) {
      expect(train(documents).size).toBe(0);
      expect(train(documents).of('fox')).toEqual([]);
    }
    const near = train([prose('alpha beta'), prose('alpha beta')]);
    for (const term of ['', 'a', 'alphabet', 'zzz', '__proto__']) expect(near.of(term)).toEqual([]);
  });

  it('keeps what comes often when there is no room for all words', () => {
    const maxTerms = 64;
    const trainer = new Trainer(RULES, {
      counter: new CooccurrenceKernel({ build: 'debug', maxSlots: 256 }),
      maxTerms,
    });
    let next = 0;
    const noise = (count: number): string => Array.from({ length: count }, () => `w${next++}`).join(' ');
    for (let i = 0; i < 200; i++) trainer.add(prose(`${noise(i % 90)} salt pepper ${noise(5)}`));
    trainer.add(prose(noise(50_000)));
    for (let i = 0; i < 200; i++) trainer.add(prose(`${noise(7)} salt pepper`));
    const data = trainer.finish();
    expect(data.terms.ends.length).toBeLessThan(maxTerms);
    expect(formsNear(new Neighbours(data), 'salt')).toEqual(['pepper']);
  });

  it('learns the same in a thread, which can be ended at any time', async () => {
    const documents = [prose('salt and pepper', 'Naïve 名前'), prose('salt with pepper'), [{
      text: 'getUser',
      code: true,
    }]];
    const [here, thread] = [trainHere(RULES), new TrainingThread(RULES)];
    for (const training of [here, thread]) {
      await training.add(documents);
      await training.add([]);
      await training.add(documents);
    }
    const [one, other] = [await here.finish(), await thread.finish()];
    expect(other.size).toBe(one.size);
    for (const term of ['salt', 'pepper', 'naiv', 'getus', 'user']) expect(other.of(term)).toEqual(one.of(term));
    expect(other.bytes).toBe(one.bytes);
    await thread.close();
    await expect(thread.add(documents)).rejects.toThrow('has ended');
    const early = new TrainingThread(RULES);
    const adding = expect(early.add(documents)).rejects.toThrow('has ended');
    await early.close();
    await adding;
    await early.close();
  });
});
