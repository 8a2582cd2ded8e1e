import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../../generated/runs/operations.ts';
import { CONFIG, RunsApi } from '../../testkit/runs-api.ts';

/** What each operation takes (decisions, section 2.1), written by hand. */
const SCOPES = {
  nothing:
    'getLiveness getReadiness getSignInMethods startOidcSignIn finishOidcSignIn getIdTokenConfiguration getIdTokenKeys receiveForgeEvent',
  any: 'getCurrentUser logout',
  read:
    `listRuns getRun getRunResult getRunSummary listRunAttempts listRunArtifacts getRunArtifact listRunTests listProjectTests listTestHistory
    listRunStatuses listRunJobs listRunLogs streamRunLogs searchLogs listProjects listCaches getBadge
    listPipelines listRoles listShips listSchedules getMetrics`,
  submit: 'enqueueRun cancelRun retryRun rerunRun runSchedule',
  approve: 'approveRun rejectRun',
  alerts: 'receiveAlerts',
  admin:
    `createProject replaceProject deleteProject deleteCaches deleteRunLogs deleteShip revokeShip drainShip undrainShip createJoinToken
    pauseSchedule resumeSchedule listAudit listForges getProjectForge listNotifications listNotificationDeadLetters redeliverNotifications
    listForgeDeliveries getForgeDelivery redeliverForgeEvent`,
} as const;
const NEEDS = new Map(
  Object.entries(SCOPES).flatMap(([scope, ids]) => ids.split(/\s+/).map((id) => [id, scope] as const)),
);

/** Operations about one project or run, which a token for other projects does not reach; lists leave others out. */
const OF_ALPHA = new Set(
  `listRuns getRun getRunResult getRunSummary listRunAttempts listRunArtifacts getRunArtifact listRunTests listProjectTests listTestHistory listRunLogs
  listRunStatuses listRunJobs streamRunLogs searchLogs listCaches getBadge enqueueRun
  cancelRun retryRun rerunRun runSchedule approveRun rejectRun`.split(/\s+/),
);

interface Token {
  readonly scopes: readonly string[];
  readonly projects?: readonly string[];
  readonly expired?: true;
}

const TOKENS: Readonly<Record<string, Token>> = {
  eye: { scopes: ['read'] },
  ci: { scopes: ['submit'] },
  judge: { scopes: ['approve'] },
  bell: { scopes: ['alerts'] },
  root: { scopes: ['admin'] },
  worker: { scopes: ['submit', 'approve', 'read'], projects: ['alpha'] },
  elsewhere: { scopes: ['submit', 'approve', 'read'], projects: ['beta'] },
  late: { scopes: ['admin'], expired: true },
};

let api: RunsApi;
let run: string;
beforeAll(async () => {
  api = await RunsApi.start();
  const entries = Object.entries(TOKENS).map(([name, { scopes, projects, expired }]) =>
    `  - {name: ${name}, sha256: ${createHash('sha256').update(name).digest('hex')}, scopes: [${scopes.join(', ')}]${
      projects ? `, projects: [${projects.join(', ')}]` : ''
    }${expired ? ', expires: 2000-01-02' : ''}}`
  );
  api.configure(
    `${CONFIG}schedules: [{name: nightly, project: alpha, cron: '0 3 * * *', kind: diagnostic}]\ntokens:\n${
      entries.join('\n')
    }\n`,
  );
  run = await api.queued('a-run-of-alpha', 'alpha');
  // The stream of its log ends then.
  expect((await api.send('POST', `/runs/${run}/cancel`)).status).toBeLessThan(300);
});
afterAll(() => api.stop());

it('the table says of each operation once what it takes', () => {
  expect([...NEEDS.keys()].sort()).toEqual(Object.keys(operations).sort());
});

const CALLERS = ['nobody', 'a wrong token', ...Object.keys(TOKENS)];
it.each(CALLERS)('%s may do what the scopes of the token say, on its projects', async (caller) => {
  const verdicts = [];
  for (const { id, method, path } of Object.values(operations))
    verdicts.push({ id, verdict: await verdictOf(caller, id, method, path), expected: expectedOf(caller, id) });
  expect(verdicts.filter(({ verdict, expected }) => verdict !== 'not built' && verdict !== expected)).toEqual([]);
  expect(verdicts.filter(({ verdict }) => verdict === 'not built').length).toBeLessThan(20);
});

const QUERIES: Readonly<Record<string, string>> = {
  listRuns: '?project_id=alpha',
  searchLogs: '?project_id=alpha&q=words',
  listTestHistory: `?test=${'0'.repeat(32)}`,
};

/** `not built` are operations without a handler in this fixture, which come after the check of scopes. */
type Verdict = 'in' | 'unauthenticated' | 'refused' | 'hidden' | 'not built';

function expectedOf(caller: string, id: string): Verdict {
  const need = NEEDS.get(id)!;
  if (need === 'nothing') return 'in';
  const token = TOKENS[caller];
  if (token === undefined || token.expired) return 'unauthenticated';
  if (need === 'any') return 'in';
  if (!token.scopes.includes(need) && !token.scopes.includes('admin')) return 'refused';
  if (token.projects === undefined || token.projects.includes('alpha') || !OF_ALPHA.has(id)) return 'in';
  return ['enqueueRun', 'runSchedule', 'listRuns', 'searchLogs'].includes(id) ? 'refused' : 'hidden';
}

async function verdictOf(caller: string, id: string, method: string, template: string): Promise<Verdict> {
  const path = template.replace('{project_id}', 'alpha').replace('/projects/{id}', '/projects/alpha').replace(
    '/schedules/alpha/{name}',
    '/schedules/alpha/nightly',
  ).replace('/runs/{id}', `/runs/${run}`).replaceAll(/\{\w+\}/g, 'none');
  const headers = {
    ...(caller !== 'nobody' && { Authorization: `Bearer ${caller}` }),
    'Content-Type': 'application/json',
    'Idempotency-Key': `key-${caller}-${id}`,
  };
  const body = id === 'enqueueRun' ? JSON.stringify({ project_id: 'alpha', kind: 'diagnostic' }) : '{}';
  const answer = await api.client.send(method, `${path}${QUERIES[id] ?? ''}`, {
    headers,
    ...(method !== 'GET' && method !== 'DELETE' && { body }),
  });
  const code = answer.status < 400 || !answer.text.startsWith('{')
    ? ''
    : answer.json<{ error: { code: string } }>().error.code;
  if (code === 'unauthenticated') return 'unauthenticated';
  if (code === 'forbidden') return 'refused';
  if (code === 'not_implemented') return 'not built';
  return (code === 'run_not_found' || code === 'project_not_found') &&
      TOKENS[caller]?.projects?.includes('alpha') === false
    ? 'hidden'
    : 'in';
}
