import { createLocalJWKSet, type JSONWebKeySet, jwtVerify, type JWTVerifyResult } from 'jose';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import type { Context } from '../../operations/index.ts';
import { RUN_QUEUE_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { parseRunsConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Claim, RunRecord } from '../queue/port.ts';
import type { RunEvent } from '../secrets/index.ts';
import { createIdTokens, type IdTokens } from './id-tokens.ts';

const ISSUER = 'https://runs.example.org';
const DAY = 86_400_000;

let sql: Sql;
let folder: string;
const clock = { ms: 0, now: (): number => clock.ms };
beforeEach(async () => {
  clock.ms = Date.parse('2026-01-01T00:00:00Z');
  sql = await openMigrated({ path: ':memory:' }, RUN_QUEUE_MIGRATIONS);
  folder = await mkdtemp(join(tmpdir(), 'id-tokens-'));
});
afterEach(() => Promise.all([sql.close(), rm(folder, { recursive: true })]));

/** A server over the store of the test, with a folder of its own. */
function server({ data = folder, issuer = ISSUER } = {}): IdTokens {
  const config = parseRunsConfig(`data_dir: ${data}\nid_tokens: {issuer: '${issuer}', key_rotation: 10d}`);
  const loaded = { config, apiTokens: [], source: '', folder, readOnly: false, hash: '' };
  const env = {
    sql,
    clock,
    timer: new ManualTimer(),
    log: silentLog,
    config: { current: () => loaded, onChange: () => () => {} },
  };
  return createIdTokens(env as unknown as RunsEnvironment);
}

function claim(run: Partial<RunRecord> = {}, timeoutMs = 600_000): Claim {
  const record = {
    id: 'r1',
    projectId: 'alpha',
    task: 'deploy',
    attempt: 2,
    gitRef: null,
    gitCommit: null,
    source: 'api',
    origin: { by: 'user:anna@example.org' },
    ...run,
  };
  return {
    run: record,
    definition: { assignment: { repository: 'org/alpha' }, idTokens: { TOKEN: 'sts.amazonaws.com' }, timeoutMs },
  } as unknown as Claim;
}

const tokenOf = async (tokens: IdTokens, of = claim(), event: RunEvent = 'manual'): Promise<string> =>
  (await tokens.tokensFor(of, async () => event)).get('TOKEN')!;

async function listed(tokens: IdTokens): Promise<JSONWebKeySet> {
  const { value } = await tokens.handlers.getIdTokenKeys({}, {} as Context) as unknown as { value: JSONWebKeySet };
  return value;
}

/** Checks a token as those do who accept it. */
async function check(token: string, tokens: IdTokens): Promise<JWTVerifyResult> {
  return jwtVerify(token, createLocalJWKSet(await listed(tokens)), {
    issuer: ISSUER,
    audience: 'sts.amazonaws.com',
    currentDate: new Date(clock.ms),
  });
}

describe('a token of a step', () => {
  it('says which run it is of, and can be checked with the listed keys', async () => {
    const tokens = server();
    const { payload, protectedHeader } = await check(
      await tokenOf(tokens, claim({ gitRef: 'refs/heads/main', gitCommit: 'a'.repeat(40) })),
      tokens,
    );
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: (await listed(tokens)).keys[0]!.kid });
    expect(payload).toEqual({
      iss: ISSUER,
      sub: 'project:alpha:ref:refs/heads/main',
      aud: 'sts.amazonaws.com',
      iat: clock.ms / 1000,
      nbf: clock.ms / 1000,
      exp: clock.ms / 1000 + 600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      project: 'alpha',
      repository: 'org/alpha',
      ref: 'refs/heads/main',
      sha: 'a'.repeat(40),
      event_name: 'manual',
      run_id: 'r1',
      run_attempt: 2,
      pipeline: 'deploy',
      actor: 'user:anna@example.org',
    });
  });

  it('is about a branch only if the run names it in full, and never for a pull request', async () => {
    const tokens = server();
    const subject = async (run: Partial<RunRecord>, event: RunEvent): Promise<string | undefined> =>
      (await check(await tokenOf(tokens, claim(run), event), tokens)).payload.sub;
    expect(await subject({ gitRef: 'main' }, 'manual')).toBe('project:alpha:event:manual');
    expect(await subject({}, 'schedule')).toBe('project:alpha:event:schedule');
    expect(await subject({ gitRef: 'refs/heads/main' }, 'pull_request')).toBe('project:alpha:pull_request');
  });

  it('lasts no longer than its attempt, and a day at most', async () => {
    const tokens = server();
    const life = async (timeoutMs: number): Promise<number> => {
      const { payload } = await check(await tokenOf(tokens, claim({}, timeoutMs)), tokens);
      return payload.exp! - payload.iat!;
    };
    expect([await life(90_000), await life(3 * DAY)]).toEqual([90, 86_400]);
    const token = await tokenOf(tokens);
    clock.ms += 600_000;
    await expect(check(token, tokens)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });

  it('is not made where the service cannot sign', async () => {
    await writeFile(join(folder, 'id-token-keys.json'), '{broken');
    await expect(tokenOf(server())).rejects.toThrow(
      'the secret TOKEN is not available: the service cannot sign tokens now',
    );
    await expect(tokenOf(server({ issuer: '' }))).rejects.toThrow('cannot sign');
  });
});

describe('keys', () => {
  it('are in a file that others cannot read, and remain over a restart', async () => {
    const token = await tokenOf(server());
    const file = join(folder, 'id-token-keys.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const next = server();
    expect((await check(await tokenOf(next), next)).protectedHeader.kid).toBe(
      (await check(token, next)).protectedHeader.kid,
    );
    const { keys } = await listed(next);
    expect(Object.keys(keys[0]!).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    // The store never has the private part.
    const [row] = await sql.all<{ jwk: string }>('SELECT jwk FROM id_token_keys');
    const [{ jwk }] = JSON.parse(await readFile(file, 'utf8')) as [{ jwk: { d: string } }];
    expect(row!.jwk).not.toContain(jwk.d);
  });

  it('are replaced; the next one is listed before it signs, and the former one as long as tokens of it count', async () => {
    const tokens = server();
    tokens.start();
    await expect.poll(async () => (await listed(tokens)).keys.length).toBe(1);
    await tokens.stop();
    const before = await tokenOf(tokens, claim({}, DAY));
    const kid = async (): Promise<string | undefined> =>
      (await check(await tokenOf(tokens), tokens)).protectedHeader.kid;
    const first = await kid();
    clock.ms += 10 * DAY;
    const announcing = server();
    const late = await tokenOf(announcing, claim({}, DAY));
    expect((await check(late, announcing)).protectedHeader.kid).toBe(first);
    expect((await listed(announcing)).keys).toHaveLength(2);
    clock.ms += 3_600_000;
    const next = server();
    const second = (await check(await tokenOf(next), next)).protectedHeader.kid;
    expect(second).not.toBe(first);
    expect((await check(late, next)).protectedHeader.kid).toBe(first);
    clock.ms += DAY - 3_600_001;
    expect((await check(late, next)).protectedHeader.kid).toBe(first);
    clock.ms += 3 * 3_600_000;
    const { keys } = await listed(server());
    expect(keys.map((each) => each.kid)).toEqual([second]);
    await expect(check(before, next)).rejects.toThrow();
  });

  it('of all servers over one store are listed by each', async () => {
    const other = await mkdtemp(join(tmpdir(), 'id-tokens-'));
    const [one, two] = [server(), server({ data: other })];
    const token = await tokenOf(one);
    await tokenOf(two);
    expect((await check(token, two)).payload.sub).toBe('project:alpha:event:manual');
    await rm(other, { recursive: true });
  });
});
