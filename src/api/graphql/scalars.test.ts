import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphqlFixture } from '../../testkit/graphql/graphql-fixture.ts';

/** The operation accepts no later time. */
const YEAR_9999 = 253_402_300_799;

describe('the scalars', () => {
  let fixture: GraphqlFixture;
  const envs: unknown[] = [];
  beforeAll(async () => {
    fixture = await GraphqlFixture.open({
      handlers: {
        getDocument: async ({ env }) => {
          envs.push(env);
          return {
            id: 'i',
            key: 'k',
            lang: 'en',
            contentMd: '',
            addedAt: 1,
            updatedAt: 2 ** 33,
            meta: { tags: ['x'] },
          };
        },
        createApiKey: async ({ expiresAt = 0 }) => ({
          key: 'k',
          keyHash: 'h',
          description: '',
          createdAt: 0,
          expiresAt,
        }),
        getStats: async () => ({ databaseSize: 2 ** 53 - 1, collections: [] }) as never,
      },
    });
  });
  afterAll(() => fixture.close());

  const document = (env: string) => `document(collection: "c", key: "k", lang: "en", env: ${env}) { meta updatedAt }`;

  it('JSONObject reaches the operation as it was sent, as a variable and as a literal', async () => {
    const env = { a: 'x', ['__proto__']: 'y', 'a b': 'z' };
    await fixture.ask(`query($env: JSONObject) { ${document('$env')} }`, { env });
    await fixture.ask(`query($v: String) { ${document('{a: "x", __proto__: $v}')} }`, { v: 'y' });
    expect(Object.entries(envs[0] as object)).toEqual(Object.entries(env));
    expect(Object.entries(envs[1] as object)).toEqual([['a', 'x'], ['__proto__', 'y']]);
  });

  it('JSONObject refuses everything else, and the operation what it does not take', async () => {
    for (const [env, type] of [[1, 'a number'], ['x', 'a string'], [[{}], 'a list'], [true, 'a boolean']] as const) {
      const { errors } = await fixture.ask(`query($env: JSONObject) { ${document('$env')} }`, { env });
      expect(errors![0]).toMatchObject({
        message: expect.stringContaining(`JSONObject must be an object, got ${type}`),
        extensions: { code: 'invalid_argument', status: 400 },
      });
    }
    expect((await fixture.ask(`{ ${document('5')} }`)).errors![0]!.message).toBe(
      'JSONObject must be an object, got an int',
    );
    expect((await fixture.ask(`{ ${document('{a: 5}')} }`)).errors![0]!.message).toBe('env.a must be a string, got 5');
    const deep = `${'['.repeat(900)}${']'.repeat(900)}`;
    expect((await fixture.ask(`{ ${document(`{a: ${deep}}`)} }`)).errors![0]!.message).toMatch(
      /^env\.a.* must not be nested deeper than 64 levels$/,
    );
  });

  it('Time and Long are whole numbers beyond 32 bits', async () => {
    expect((await fixture.ask(`{ ${document('{}')} stats { databaseSize } }`)).data).toEqual({
      document: { meta: { tags: ['x'] }, updatedAt: 2 ** 33 },
      stats: { databaseSize: 2 ** 53 - 1 },
    });
  });

  it('Time takes whole numbers only, as a variable and as a literal alike', async () => {
    const asVariable = (value: unknown) =>
      fixture.ask('mutation($t: Time) { createAPIKey(input: {expiresAt: $t}) { expiresAt } }', { t: value });
    const asLiteral = (text: string) =>
      fixture.ask(`mutation { createAPIKey(input: {expiresAt: ${text}}) { expiresAt } }`);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.maxSafeInteger(), fc.double({ min: -5, max: 2 ** 60, noNaN: true }), fc.constantFrom(2 ** 53, 1.5)),
        async (value) => {
          const valid = Number.isSafeInteger(value);
          // A literal with a fraction or an exponent is no integer in GraphQL, whatever its value.
          for (const answer of [await asVariable(value),
            await asLiteral(valid ? value.toFixed(0) : JSON.stringify(value))])
          {
            if (!valid) expect(answer.errors![0]!.message).toContain('Time must be whole Unix seconds');
            else if (value >= 0 && value <= YEAR_9999)
              expect(answer.data).toEqual({ createAPIKey: { expiresAt: value === 0 ? 0 : value } });
          }
        },
      ),
      { numRuns: 40 },
    );
    for (const value of ['5', true, [5], {}])
      expect((await asVariable(value)).errors![0]!.message).toContain('Time must be whole Unix seconds');
  });
});
