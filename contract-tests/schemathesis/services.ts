import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DocsProcess, MAIN } from '../../src/testkit/docs-process.ts';

/** A service with certain settings, and the expectations of Schemathesis. */
export interface Configuration {
  readonly checks: readonly string[];
  /** File of the accepted failures, each with its reason. */
  readonly accepted: string;
  readonly serve: (folder: string) => Promise<Started>;
}

export interface Started {
  readonly url: string;
  /** Credential of a caller who may do everything. */
  readonly token?: string;
  end(): Promise<{ readonly stderr: string }>;
}

const ALL = ['--checks', 'all'];

/** Without authentication no credential is checked, so a request without one, or with an invalid one, may succeed. */
const ALL_BUT_AUTHENTICATION = [...ALL, '--exclude-checks', 'ignored_auth', '--generation-with-security-parameters',
  'false'];

export const CONFIGURATIONS: Readonly<Record<string, Configuration>> = {
  'docs': { checks: ALL_BUT_AUTHENTICATION, accepted: 'accepted-docs.json', serve: (folder) => serveDocs(folder, {}) },
  'docs-with-authentication': { checks: ALL, accepted: 'accepted-docs.json', serve: serveDocsWithAuthentication },
  'runs': { checks: ALL_BUT_AUTHENTICATION, accepted: 'accepted-runs.json', serve: (folder) => serveRuns(folder) },
  'runs-with-authentication': {
    checks: ALL,
    accepted: 'accepted-runs.json',
    serve: (folder) => serveRuns(folder, randomBytes(16).toString('hex')),
  },
};

export const start = ({ serve }: Configuration, folder: string): Promise<Started> => serve(folder);

/** Every optional feature is switched on, so that as few operations as possible fail because of a missing setting. */
const DOCS = {
  SVC_EMBEDDING_PROVIDER: 'builtin',
  SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  SVC_AUDIT_ENABLED: 'true',
  SVC_MCP_API_KEY_ENABLED: 'true',
  SVC_OUTBOUND_ALLOW_PRIVATE: 'false',
  // The schemas allow additional fields for later versions, and Schemathesis sends some.
  SVC_STRICT_INPUT: 'false',
};

async function serveDocs(folder: string, settings: Readonly<Record<string, string>>): Promise<Started> {
  const server = DocsProcess.command(process.execPath, [MAIN, 'docs', '--http-addr', '127.0.0.1:0', '--db',
    join(folder, 'quire.db')], { env: { ...DOCS, ...settings } });
  return { url: await server.listening(), end: () => server.end() };
}

async function serveDocsWithAuthentication(folder: string): Promise<Started> {
  const password = randomBytes(16).toString('hex');
  const server = await serveDocs(folder, {
    SVC_AUTH_ENABLED: 'true',
    SVC_AUTH_JWT_SECRET: randomBytes(32).toString('base64'),
    SVC_AUTH_ADMIN_PASSWORD: password,
  });
  const answer = await fetch(`${server.url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  const { token } = await answer.json() as { token: string };
  return { ...server, token };
}

/**
 * The project, the pipelines and the role that the examples of the specification name. The provider's port has no
 * server.
 */
const RUNS = `
version: 1
listen: 127.0.0.1:0
local: {enabled: true, capacity: 2, sandbox: none, run_as: root}
fleet: {enabled: true, advertise: localhost, listen: 127.0.0.1:0}
pipelines:
  - {name: build, steps: [{name: say, run: 'cat "$QUIRE_INPUT_FILE"'}]}
  - {name: release, steps: [{name: fail, run: 'exit 1'}]}
scheduler: {release_pipeline: release}
ai:
  roles: [{name: writer, base_url: 'http://127.0.0.1:9/v1', model: none}]
projects:
  - {id: alpha, repository: example/alpha}
`;

async function serveRuns(folder: string, token?: string): Promise<Started> {
  const file = join(folder, 'runs.yaml');
  const runtime = token === undefined ? '{shutdown_grace: 1s}' : '{shutdown_grace: 1s, api_token_env: RUNS_API_TOKEN}';
  await writeFile(file, `data_dir: ${folder}\nruntime: ${runtime}${RUNS}`);
  const server = DocsProcess.command(process.execPath, [MAIN, 'runs', '--config', file], {
    env: token === undefined ? {} : { RUNS_API_TOKEN: token },
  });
  return { url: await server.listening(), ...(token === undefined ? {} : { token }), end: () => server.end() };
}
