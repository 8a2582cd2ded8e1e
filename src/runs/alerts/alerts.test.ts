import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { CONFIG, RunsApi } from '../../testkit/runs-api.ts';

let api: RunsApi;
beforeEach(async () => {
  api = await RunsApi.start();
});
afterEach(() => api.stop());

const ALERT = {
  status: 'firing',
  labels: { alertname: 'DiskFull' },
  annotations: { summary: 'Disk is full' },
  startsAt: '2026-01-01T00:00:00Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus',
  fingerprint: '4b1c7a0e9d2f6385',
};
const NOTIFICATION = {
  version: '4',
  groupKey: '{}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'quire',
  externalURL: 'http://alertmanager',
  groupLabels: { alertname: 'DiskFull' },
  commonLabels: { alertname: 'DiskFull', quire_project: 'alpha' } as Record<string, string>,
  commonAnnotations: {},
  alerts: [ALERT],
};
const receive = async (change: object = {}) => {
  const answer = await api.send('POST', '/webhooks/alertmanager', { body: { ...NOTIFICATION, ...change } });
  return {
    status: answer.status,
    text: answer.text,
    headers: answer.headers,
    runs: answer.status < 300 ? answer.json<{ data: { id: string; project_id: string }[] }>().data : [],
  };
};
const counted = async () => {
  const { text } = await api.client.send('GET', '/metrics', {
    headers: { Authorization: 'Bearer a-token-of-many-characters' },
  });
  return Object.fromEntries(
    [...text.matchAll(/quire_alerts_received_total\{result="(\w+)"\} (\d+)/g)].filter(([, , n]) => n !== '0').map((
      [, result, n],
    ) => [result, Number(n)]),
  );
};

describe('a firing notification', () => {
  it('queues one diagnostic run with what counts of it', async () => {
    const { status, runs: [run] } = await receive();
    expect([status, run]).toEqual([202,
      expect.objectContaining({ project_id: 'alpha', kind: 'diagnostic', task: 'alert', state: 'queued' })]);
    const { status: _, endsAt: __, generatorURL: ___, ...alert } = ALERT;
    expect(JSON.parse((await api.queue.material(run!.id))!.input!)).toEqual({
      status: 'firing',
      groupKey: NOTIFICATION.groupKey,
      commonLabels: NOTIFICATION.commonLabels,
      alerts: [alert],
      left_out: 0,
    });
    expect((await api.send('GET', '/audit')).json()).toMatchObject({
      data: [{ actor: 'alertmanager', action: 'enqueue', target: run!.id }],
    });
  });

  it('queues nothing more when it is repeated, in whatever order and with other texts', async () => {
    const other = { ...ALERT, fingerprint: 'ffff' };
    const first = await receive({ alerts: [ALERT, other] });
    const again = await receive({ alerts: [{ ...other, annotations: { summary: '96 %' } }, ALERT] });
    expect([again.status, again.runs[0]!.id]).toEqual([202, first.runs[0]!.id]);
    expect(await counted()).toEqual({ queued: 1, repeated: 1 });
    expect(await api.sql.all('SELECT count(*) AS n FROM runs')).toEqual([{ n: 1 }]);
  });

  it('queues another run when an alert joins, when it fires again, and for another group', async () => {
    const changes = [{}, { alerts: [ALERT, { ...ALERT, fingerprint: 'ffff' }] }, {
      alerts: [{ ...ALERT, startsAt: '2026-01-02T00:00:00Z' }],
    }, { groupKey: 'another' }];
    const ids = await Promise.all(changes.map(async (change) => (await receive(change)).runs[0]!.id));
    expect(new Set(ids).size).toBe(4);
  });

  it('of the same alerts for another project queues a run of that project, once', async () => {
    const labels = (project: string) => ({ commonLabels: { alertname: 'DiskFull', quire_project: project } });
    const { runs: [first] } = await receive(labels('alpha'));
    const [other, again] = [await receive(labels('beta')), await receive(labels('beta'))];
    expect([other.runs, again.runs]).toMatchObject([[{ project_id: 'beta' }], [{ id: other.runs[0]!.id }]]);
    expect((await receive(labels('alpha'))).runs[0]!.id).toBe(first!.id);
    expect(await counted()).toEqual({ queued: 2, repeated: 2 });
  });

  it('leaves out resolved alerts', async () => {
    const { runs: [run] } = await receive({ alerts: [ALERT, { ...ALERT, status: 'resolved', fingerprint: 'ffff' }] });
    expect(JSON.parse((await api.queue.material(run!.id))!.input!)).toMatchObject({
      alerts: [{ fingerprint: ALERT.fingerprint }],
    });
    expect((await receive()).runs[0]!.id).toBe(run!.id);
  });

  it('with U+0000 in names and texts of labels has another character there, which every database can read', async () => {
    const { status, runs: [run] } = await receive({
      commonLabels: { quire_project: 'alpha', 'a\0b': '\0' },
      alerts: [{ ...ALERT, annotations: { text: 'c\0' } }],
    });
    expect([status, run]).toEqual([202, expect.objectContaining({
      source: expect.objectContaining({ alert_labels: { quire_project: 'alpha', 'a\ufffdb': '\ufffd' } }),
    })]);
    expect(JSON.parse((await api.queue.material(run!.id))!.input!)).toMatchObject({
      alerts: [{ annotations: { text: 'c\ufffd' } }],
    });
  });

  it('is cut to the size of an input', async () => {
    const alerts = Array.from({ length: 90 },
      (_, i) => ({ ...ALERT, fingerprint: String(i), annotations: { text: 'ü'.repeat(5000) } }));
    const { status, runs: [run] } = await receive({
      alerts,
      commonLabels: { quire_project: 'alpha', long: 'x'.repeat(5000) },
    });
    const { input } = (await api.queue.material(run!.id))!;
    expect([status, Buffer.byteLength(input!) < 262_144]).toEqual([202, true]);
    const shown = JSON.parse(input!) as { alerts: unknown[]; left_out: number };
    expect([shown.alerts.length > 10, shown.alerts.length + shown.left_out]).toEqual([true, 90]);
  });
});

describe('the project of a notification', () => {
  const routed =
    `${CONFIG}\nalerts:\n  default_project: beta\n  routes:\n    - {match: {team: web, tier: front}, project: ` +
    `alpha}\n    - {match: {team: web}, project: beta}\n`;
  it.each([[{ quire_project: 'beta', team: 'web', tier: 'front' }, 'beta'], [{ team: 'web', tier: 'front' }, 'alpha'], [
    { team: 'web', tier: 'back' },
    'beta',
  ], [{ tier: 'front' }, 'beta'], [{ quire_project: '', team: 'web', tier: 'front' }, 'alpha']])(
    'by the labels %j is %s',
    async (commonLabels, project) => {
      api.configure(routed);
      expect((await receive({ commonLabels })).runs).toMatchObject([{ project_id: project }]);
    },
  );
});

describe('a notification that queues nothing', () => {
  it.each([['resolved', { status: 'resolved', alerts: [{ ...ALERT, status: 'resolved' }] }], ['resolved', {
    alerts: [],
  }], ['unmapped', { commonLabels: {} }], ['unavailable', { commonLabels: { quire_project: 'nope' } }], ['unavailable',
    { commonLabels: { quire_project: 'off' } }]])('returns 200 and an empty list, and is counted as %s',
      async (result, change) => {
        expect(await receive(change)).toMatchObject({ status: 200, text: '{"data":[]}' });
        expect(await counted()).toEqual({ [result]: 1 });
        expect(api.warnings.length).toBe(result === 'unavailable' ? 1 : 0);
      });

  it('is refused when it is not one of version 4, and has no token', async () => {
    expect(await receive({ version: '3' })).toMatchObject({
      status: 400,
      text: expect.stringContaining('version must be one of 4') as string,
    });
    expect(await receive({ alerts: [{ ...ALERT, fingerprint: undefined }] })).toMatchObject({ status: 400 });
    expect(
      (await api.send('POST', '/webhooks/alertmanager', { body: NOTIFICATION, headers: { Authorization: '' } })).status,
    ).toBe(401);
  });

  it('returns 503, so that it comes again, while the store is out', async () => {
    const { insert } = api.queue;
    Object.assign(api.queue, { insert: () => Promise.reject(new ServiceError('unavailable', 'the store is busy')) });
    const answer = await receive();
    expect([answer.status, answer.text, answer.headers['retry-after']]).toEqual([503,
      '{"error":{"code":"storage_unavailable"}}', '1']);
    expect(await counted()).toEqual({ failed: 1 });
    Object.assign(api.queue, { insert });
    expect((await receive()).status).toBe(202);
  });
});
