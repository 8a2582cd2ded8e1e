import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { Client, credentials, type ChannelCredentials, type ClientOptions } from '@grpc/grpc-js';
import { formatAddress } from '../../lib/address.ts';

/** Messages of both sides are far smaller; an assignment holds an input of up to 256 KiB. */
const MAX_MESSAGE_BYTES = 4 << 20;

/** The ship's pauses between attempts decide when to connect again, not the library's. */
const CHANNEL: ClientOptions = {
  'grpc.initial_reconnect_backoff_ms': 200, 'grpc.min_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.keepalive_time_ms': 20_000, 'grpc.keepalive_timeout_ms': 10_000, 'grpc.keepalive_permit_without_calls': 1,
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES, 'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
};

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** What proves that a server is the right one and, with a certificate, who the ship is; PEM. */
export interface ClientTls {
  /** Roots to trust. */
  readonly roots: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** A client of a server that must show a certificate for its address. Connects with the first call. */
export function openClient({ host, port }: ServerAddress, tls: ClientTls): Client {
  const target = formatAddress({ kind: 'tcp', host, port });
  if (isIP(host) === 0) return new Client(target, credentialsOf(tls), CHANNEL);
  // The library would greet the server by its IP address, which TLS has no place for; what the certificate says is checked all the same.
  const isOfAddress: typeof checkServerIdentity = (_name, certificate) => checkServerIdentity(host, certificate);
  return new Client(target, credentialsOf(tls, isOfAddress), { ...CHANNEL, 'grpc.ssl_target_name_override': 'fleet.invalid' });
}

function credentialsOf({ roots, certificate, key }: ClientTls, isOfServer?: typeof checkServerIdentity): ChannelCredentials {
  const bytes = (pem: string | undefined): Buffer | null => (pem === undefined ? null : Buffer.from(pem));
  return credentials.createSsl(bytes(roots), bytes(key), bytes(certificate), isOfServer && { checkServerIdentity: isOfServer });
}
