import { SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Loop } from '../../lib/loop.ts';
import { type Handlers, Reply } from '../../operations/index.ts';
import { SecretUnavailable } from '../definitions/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Claim } from '../queue/port.ts';
import type { RunEvent } from '../secrets/index.ts';
import { ALGORITHM, SigningKeys } from './signing-keys.ts';

type IdTokenHandlers = Required<Pick<Handlers<Operations>, 'getIdTokenConfiguration' | 'getIdTokenKeys'>>;

/** Tokens of OpenID Connect with which steps sign in elsewhere. */
export interface IdTokens {
  readonly handlers: IdTokenHandlers;
  /**
   * The tokens that the steps of a claim receive, by the names of their variables. `eventOf` tells what has started the
   * run. Rejects with `SecretUnavailable` if the service cannot sign.
   */
  tokensFor(claim: Claim, eventOf: () => Promise<RunEvent | undefined>): Promise<ReadonlyMap<string, string>>;
  start(): void;
  stop(): Promise<void>;
}

const HOUR = 3_600_000;

/** How long others may keep the answers. A new key is listed for longer before it signs. */
const CACHED = { 'Cache-Control': 'public, max-age=300' };

const CLAIMS = ['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'project', 'repository', 'ref', 'sha', 'event_name',
  'run_id', 'run_attempt', 'pipeline', 'actor'];

export function createIdTokens(env: RunsEnvironment): IdTokens {
  const keys = new SigningKeys(env);
  const issuer = (): string => env.config.current().config.id_tokens.issuer.replace(/\/$/, '');
  const renewal = new Loop({
    name: 'keys of tokens for steps',
    everyMs: HOUR,
    timer: env.timer,
    log: env.log,
    failure: 'the keys of tokens for steps could not be renewed',
  }, async () => {
    if (issuer() !== '') await keys.refresh();
  });
  return {
    handlers: idTokenHandlers(issuer, keys),
    async tokensFor(claim, eventOf) {
      const wanted = Object.entries(claim.definition.idTokens ?? {});
      if (wanted.length === 0) return new Map();
      try {
        if (issuer() === '') throw new Error('id_tokens.issuer is not set');
        const [{ kid, key }, event] = await Promise.all([keys.current(), eventOf()]);
        const { id_tokens: { max_lifetime: most } } = env.config.current().config;
        const now = unixSeconds(env.clock);
        const seconds = Math.floor(Math.min(claim.definition.timeoutMs, most) / 1000);
        const signed = await Promise.all(wanted.map(async ([name, audience]) =>
          [
            name,
            await new SignJWT(claimsOf(claim, event)).setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid }).setIssuer(
              issuer(),
            ).setSubject(subjectOf(claim, event)).setAudience(audience).setIssuedAt(now).setNotBefore(now)
              .setExpirationTime(now + Math.max(1, seconds)).setJti(randomUUID()).sign(key),
          ] as const
        ));
        return new Map(signed);
      } catch (error) {
        env.log.error({ err: error, run: claim.run.id }, 'tokens for steps could not be signed');
        throw new SecretUnavailable(wanted.map(([name]) => ({ name, why: 'the service cannot sign tokens now' })));
      }
    },
    start: () => renewal.start(),
    stop: () => renewal.stop(),
  };
}

/**
 * Whom a token is about, for the conditions of those who accept it. A branch or tag is part of it only if the run names
 * it in full: a short name may be a branch, and become a tag.
 */
function subjectOf({ run: { projectId, gitRef } }: Claim, event: RunEvent | undefined): string {
  if (event === 'pull_request') return `project:${projectId}:pull_request`;
  return gitRef?.startsWith('refs/')
    ? `project:${projectId}:ref:${gitRef}`
    : `project:${projectId}:event:${event ?? 'unknown'}`;
}

function claimsOf({ run, definition }: Claim, event: RunEvent | undefined): Record<string, unknown> {
  const { repository } = definition.assignment as { readonly repository?: string };
  return {
    project: run.projectId,
    repository,
    ...(run.gitRef !== null && { ref: run.gitRef }),
    ...(run.gitCommit !== null && { sha: run.gitCommit }),
    event_name: event ?? 'unknown',
    run_id: run.id,
    run_attempt: run.attempt,
    pipeline: run.task,
    actor: run.origin.by ?? run.source,
  };
}

function idTokenHandlers(issuer: () => string, keys: SigningKeys): IdTokenHandlers {
  const required = (): string => {
    const url = issuer();
    if (url === '') throw new ServiceError('not_found', 'this service issues no tokens: id_tokens.issuer is not set');
    return url;
  };
  return {
    async getIdTokenConfiguration() {
      const url = required();
      return new Reply({
        issuer: url,
        jwks_uri: `${url}/.well-known/jwks.json`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [ALGORITHM],
        scopes_supported: ['openid'],
        claims_supported: CLAIMS,
      }, CACHED);
    },
    async getIdTokenKeys() {
      required();
      return new Reply({ keys: await keys.listed() as never }, CACHED);
    },
  };
}
