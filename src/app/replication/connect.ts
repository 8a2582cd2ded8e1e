import { readFile } from 'node:fs/promises';
import { NodeLink, readSchema } from '../../api/grpc/index.ts';
import type { ConnectNode } from '../../docs/index.ts';
import { parseAddress } from '../../lib/address.ts';
import type { Log } from '../../lib/log.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { readCertificates } from '../certificates.ts';
import type { Settings } from '../settings/index.ts';

/** The image that `npm run generate` makes of the proto files. */
const IMAGE = new URL('../../../generated/proto/docs.binpb', import.meta.url);

/**
 * Connects to the node of `SVC_REPLICATION_LEADER_ADDR`: over TLS if this server uses it, with its own certificate and
 * the authority of `SVC_TLS_CLIENT_CA`, or the system's authorities without that. Throws a `ConfigError`.
 */
export async function connectToLeader(settings: Settings, log: Log): Promise<() => NodeLink> {
  const { leaderAddr, secret } = settings.replication;
  if (leaderAddr === '')
    return () => {
      throw new Error('there is no leader to connect to');
    };
  const address = parseAddress(leaderAddr);
  if (address === undefined)
    throw new ConfigError([`SVC_REPLICATION_LEADER_ADDR: expected host:port or unix:/path, got "${leaderAddr}"`]);
  const schema = readSchema(await readFile(IMAGE));
  const certificates = await readCertificates(settings, log);
  return () => new NodeLink({ address, schema, secret, tls: certificates?.current });
}

/** Whether this node holds only its share of the indexes: that needs the secret by which nodes ask each other. */
export function holdsShare({ storage, grpc, replication: { secret } }: Settings): boolean {
  return storage.driver === 'postgres' && grpc.enabled && secret !== '';
}

/** Connects to the other nodes over PostgreSQL, as to a leader; undefined if they do not ask each other. */
export async function connectToNodes(settings: Settings, log: Log): Promise<ConnectNode | undefined> {
  if (!holdsShare(settings)) return undefined;
  const { secret } = settings.replication;
  const schema = readSchema(await readFile(IMAGE));
  const certificates = await readCertificates(settings, log);
  return (text) => {
    const address = parseAddress(text);
    if (address === undefined) throw new Error(`another node has no address that can be read: "${text}"`);
    return new NodeLink({ address, schema, secret, tls: certificates?.current });
  };
}
