import { flag, format, section, text } from './build.ts';

/** Remote ships. */
export const fleet = {
  fleet: section('remote ships', {
    enabled: flag('accept ships', false),
    listen: format('address', 'gRPC with mutual TLS', '0.0.0.0:11031'),
    enrol_listen: format('address', 'gRPC for joining', '0.0.0.0:11032'),
    advertise: text('host that ships connect to; empty for the host name', '', {
      pattern: '^[A-Za-z0-9.:\\[\\]-]*$',
      'x-expected': 'a host name',
    }),
    ca_dir: text('folder of the certificate authority, relative to data_dir; short form: dir', 'ca'),
    trust_domain: text('domain of the identities in certificates', 'quire.internal', {
      pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
      'x-expected': 'a domain name',
    }),
    ca_ttl: format('duration', 'lifetime of the authority', '87600h'),
    server_cert_ttl: format('duration', 'lifetime of a server certificate', '2160h'),
    ship_cert_ttl: format('duration', 'lifetime of a ship certificate', '720h'),
    outage_grace: format('duration-or-zero',
      'how long ships work on while this server is down: while its host refuses connections, or its store cannot ' +
        'be written; 0 for no longer than a lease, where a proxy or a firewall refuses connections in its place',
      '10m'),
    join_token_ttl: format('duration', 'lifetime of a join token', '15m'),
    min_ship_version: text('oldest version of ships; empty for all', '', {
      pattern: '^(\\d+\\.\\d+\\.\\d+)?$',
      'x-expected': 'a version such as 1.2.3',
    }),
  }),
} as const;
