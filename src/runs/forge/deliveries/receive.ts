import { createHash } from 'node:crypto';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import { digestInSteps } from '../../../lib/digest.ts';
import { turns } from '../../../lib/turns.ts';
import { parseJsonBody, type StreamedBody } from '../../../operations/index.ts';
import type { ForgeConfig } from '../../config/index.ts';
import type { RunsEnvironment } from '../../environment.ts';
import { RECEIVERS } from '../kinds/index.ts';
import type { ForgeEvent, RawDelivery, Receiver, SecretReader } from '../port.ts';
import { projectsOf } from '../processing/match.ts';
import { withSignedBody } from './read-body.ts';
import { type Delivery, findReceived, insertDelivery, type NewDelivery, readDelivery } from './rows.ts';

export interface ReceiveDeps {
  readonly env: Pick<RunsEnvironment, 'sql' | 'clock' | 'config' | 'log'>;
  readonly nextId: () => string;
  /** The current value of a secret; undefined if it is not set. */
  readonly secretValue: SecretReader;
}

/** What a webhook sends. */
export interface Received {
  readonly kind: ForgeConfig['kind'];
  /** Name of the forge; undefined to try all of the kind. */
  readonly forge: string | undefined;
  readonly body: StreamedBody;
}

/** The delivery, and whether it is new and waits to be processed. */
export interface Recorded {
  readonly delivery: Delivery;
  readonly isNew: boolean;
}

/** Of a payload; a push of 2,000 commits has some 100,000 values. */
const LIMITS = { maxValues: 1_000_000, maxDepth: 40 };
/** Characters of an id that a forge gives. */
const MAX_ID = 200;

/** Gitea and Forgejo send the same. */
const familyOf = (kind: ForgeConfig['kind']): string => (kind === 'forgejo' ? 'gitea' : kind);

/**
 * Records what a forge has sent, before it is answered. Throws `unauthenticated` unless it is signed by a forge of the
 * configuration, and `invalid_input` for a payload that has no such form.
 */
export async function receiveDelivery({ kind, forge: wanted, body }: Received, deps: ReceiveDeps): Promise<Recorded> {
  const forges = deps.env.config.current().config.forges.filter((forge) =>
    familyOf(forge.kind) === familyOf(kind) && (wanted === undefined || forge.name === wanted) &&
    forge.webhook_secret !== ''
  );
  // Nothing is read for nobody.
  if (forges.length === 0) throw unauthenticated();
  return withSignedBody(body, async (bytes) => {
    // Events that are complete in one turn of the event loop would block it for their sum.
    if (turns.isSpent) await turns.request();
    const raw: RawDelivery = { headers: plainHeaders(body.headers ?? {}), body: bytes };
    const sender = await senderOf(raw, RECEIVERS[kind], forges, deps);
    return record(sender, RECEIVERS[kind], raw.headers, bytes, deps);
  });
}

/** The forge that has signed a delivery. The others are asked, too, so that the time does not tell which one it is. */
async function senderOf(raw: RawDelivery, receiver: Receiver, forges: readonly ForgeConfig[],
  { env, secretValue }: ReceiveDeps): Promise<ForgeConfig>
{
  const now = unixSeconds(env.clock);
  const signed = await Promise.all(forges.map(async ({ webhook_secret: name }) => {
    const secret = await secretValue(name);
    return secret !== undefined && await receiver.isAuthentic(raw, secret, now);
  }));
  const sender = forges.find((_, i) => signed[i]);
  if (sender === undefined) throw unauthenticated();
  return sender;
}

async function record(sender: ForgeConfig, receiver: Receiver, headers: RawDelivery['headers'], bytes: Buffer,
  deps: ReceiveDeps): Promise<Recorded>
{
  const bodyHash = await digestInSteps(createHash('sha256'), bytes);
  const deliveryId = receiver.idOf(headers).replace(/[^ -~]/g, '').slice(0, MAX_ID) || bodyHash.toString('hex');
  const known = await findReceived(deps.env.sql, sender.name, deliveryId, bodyHash);
  if (known !== undefined) return { delivery: known, isNew: false };
  const payload = await parseJsonBody(bytes, { limits: LIMITS });
  const name = receiver.nameOf(headers).slice(0, MAX_ID);
  return store(sender, { deliveryId, bodyHash, name, events: receiver.parse(headers, payload) }, deps);
}

/** A push of Bitbucket may be several events, each a delivery of its own. */
async function store(forge: ForgeConfig,
  { deliveryId, bodyHash, name, events }: { readonly deliveryId: string; readonly bodyHash: Buffer;
    readonly name: string; readonly events: readonly ForgeEvent[] }, { env, nextId }: ReceiveDeps): Promise<Recorded>
{
  const { config } = env.config.current();
  const parts = events.length === 0 ? [undefined] : events;
  const deliveries = parts.map((event, at): NewDelivery => {
    const projects = event === undefined ? [] : projectsOf(config, forge.name, event);
    return {
      id: nextId(),
      forge: forge.name,
      deliveryId: at === 0 ? deliveryId : `${deliveryId}/${at + 1}`,
      bodyHash: at === 0 ? bodyHash : createHash('sha256').update(bodyHash).update(String(at)).digest(),
      name: event?.name ?? name,
      event,
      receivedAt: unixSeconds(env.clock),
      projects: projects.map(({ id }) => id),
      ...stateOf(event, name, projects.length > 0),
    };
  });
  const isNew = await env.sql.transaction(async (tx) => {
    for (const delivery of deliveries) if (!(await insertDelivery(tx, delivery))) return false;
    return true;
  });
  const first = isNew
    ? await readDelivery(env.sql, deliveries[0]!.id)
    // Another request with it was faster.
    : await findReceived(env.sql, forge.name, deliveryId, bodyHash);
  return { delivery: first!, isNew: isNew && deliveries.some(({ state }) => state === 'pending') };
}

function stateOf(event: ForgeEvent | undefined, name: string,
  hasProject: boolean): Pick<NewDelivery, 'state' | 'reason'>
{
  if (event === undefined) return { state: 'ignored', reason: `the event ${name || 'without a name'} starts nothing` };
  if (!hasProject)
    return {
      state: 'ignored',
      reason: `no project of this forge has the repository ${event.repository || event.addresses.join(', ')}`,
    };
  return { state: 'pending', reason: null };
}

/** Of a header that comes twice, none counts. */
function plainHeaders(headers: NonNullable<StreamedBody['headers']>): RawDelivery['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  );
}

const unauthenticated = (): ServiceError =>
  new ServiceError('unauthenticated',
    'no forge of the configuration has signed this: its signature is missing or wrong');
