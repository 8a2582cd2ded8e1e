import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AutomationFixture } from '../../testkit/automation-fixture.ts';

describe('automation rules (decisions, section 2.3)', () => {
  let fixture: AutomationFixture;
  beforeEach(async () => {
    fixture = await AutomationFixture.open();
  });
  afterEach(() => fixture.close());

  it('report documents that a trigger finds, with headers, template variables and a signature', async () => {
    const { documents, endpoint } = fixture;
    const target = await fixture.create({
      type: 'webhook',
      url: `${endpoint.url}/{{doc.key}}?tags={{doc.meta.tags}}&{{unknown}}`,
      headers: { 'X-Name': '{{trigger.name}} {{doc.key}}', 'user-agent': 'mine' },
      secret: 'own',
    });
    const trigger = await fixture.create({ name: 'Über', query: 'router', webhookUrl: '', webhookId: target.id });
    await documents.write('other', 'nothing of the kind');
    await documents.write('a/b', 'the new router', { tags: ['x', 'y z'] });
    await endpoint.until(1);
    const { path, headers, text, body } = endpoint.received[0]!;
    expect(path).toBe('/hook/a%2Fb?tags=x%2Cy%20z&{{unknown}}');
    expect(body).toMatchObject({
      event: 'trigger.matched',
      trigger: { id: trigger.id, name: 'Über' },
      collection: 'c',
      document: { key: 'a/b', contentMd: 'the new router' },
    });
    expect(Object.keys(body).sort()).toEqual(['collection', 'document', 'event', 'score', 'timestamp', 'trigger']);
    expect(headers).toMatchObject({
      'x-svc-event': 'trigger.matched',
      'x-svc-trigger-id': trigger.id,
      'x-svc-webhook-id': target.id,
      'x-name': 'Über a/b',
      'user-agent': 'mine',
    });
    expect(headers['x-svc-signature']).toBe(
      `sha256=${createHmac('sha256', 'own').update(`${String(headers['x-svc-timestamp'])}.${text}`).digest('hex')}`,
    );
  });

  it('fire for the events that they name, and only for what is written after them', async () => {
    const { documents, endpoint } = fixture;
    await documents.write('before', 'router');
    await fixture.create({ name: 'added', query: 'router', events: ['insert'] });
    await fixture.create({ name: 'updated', query: 'router', events: ['doc.update'] });
    await fixture.create({ name: 'elsewhere', query: 'router', collection: 'd' });
    await documents.write('a', 'router');
    await documents.write('a', 'another router');
    await endpoint.until(2);
    expect(fixture.toldBy).toEqual(['added a', 'updated a']);
  });

  it('fire once for what was written while the server was down', async () => {
    const { documents, endpoint } = fixture;
    await fixture.create({ query: 'router' });
    await fixture.stop();
    await documents.write('a', 'router');
    await fixture.start();
    await endpoint.until(1);
    await documents.write('b', 'router');
    await endpoint.until(2);
    expect(fixture.told).toEqual(['a', 'b']);
  });

  it('compare raw scores with the threshold', async () => {
    const { documents, endpoint } = fixture;
    for (const key of ['x', 'y', 'z']) await documents.write(key, 'filler text');
    await documents.write('scored', 'router');
    const { matches } = await fixture.call('testAutomationRule', {
      id: (await fixture.create({ query: 'router', name: 'any' })).id,
    });
    const { score } = matches[0]!;
    await fixture.create({ query: 'router', name: 'high', threshold: score * 2 });
    await documents.write('a', 'router');
    await endpoint.until(1);
    expect(fixture.toldBy).toEqual(['any a']);
  });

  it('look at the sentiment beside the search, or instead of it', async () => {
    const { documents, endpoint } = fixture;
    await fixture.create({ name: 'both', query: 'router', sentimentEnabled: true, sentimentMax: -0.2 });
    await fixture.create({
      name: 'either',
      query: 'router',
      sentimentEnabled: true,
      sentimentMax: -0.2,
      conditionLogic: 'or',
    });
    await fixture.create({ name: 'mood', sentimentEnabled: true, sentimentMax: -0.2 });
    await documents.write('good', 'a wonderful router');
    await documents.write('bad', 'a terrible disaster');
    await documents.write('both', 'a terrible router');
    await endpoint.until(6);
    expect(fixture.toldBy).toEqual(['both both', 'either bad', 'either both', 'either good', 'mood bad', 'mood both']);
    expect(endpoint.received.find((_, i) => fixture.told[i] === 'bad')!.body).toMatchObject({ sentiment: -1 });
  });

  it('wait for the vectors of a document where they compare them, and hold up no others', async () => {
    const { documents, endpoint } = fixture;
    const held = Promise.withResolvers<void>();
    await fixture.create({ name: 'vector', searchType: 'vector', query: 'broken router', threshold: 90 });
    await fixture.create({ name: 'hybrid', searchType: 'hybrid', query: 'broken router', threshold: 0.9 });
    await fixture.create({
      name: 'ranks',
      searchType: 'hybrid',
      query: 'broken router',
      searchParams: { strategy: 'rrf' },
      threshold: 100,
    });
    await fixture.create({ name: 'words', query: 'router' });
    documents.base.meaning.held = held.promise;
    await documents.write('else', 'a garden of roses');
    await documents.write('like', 'broken router');
    await endpoint.until(1);
    expect(fixture.toldBy).toEqual(['words like']);
    held.resolve();
    await endpoint.until(4);
    expect(fixture.toldBy).toEqual(['hybrid like', 'ranks like', 'vector like', 'words like']);
    // The body stays, so no new vectors come.
    await documents.call('updateDocument', { collection: 'c', key: 'like', lang: 'en', meta: { tags: ['x'] } });
    await endpoint.until(8);
  });

  it('are tested over all documents, without sending or logging anything', async () => {
    const rule = await fixture.create({ query: 'router', enabled: false });
    await fixture.documents.write('a', 'router router');
    await fixture.documents.write('b', 'a router and more words');
    await fixture.documents.write('c', 'else');
    const tested = await fixture.call('testAutomationRule', { id: rule.id });
    expect(tested).toMatchObject({ trigger: rule, total: 2, threshold: 0 });
    expect(tested.matches.map(({ docId }) => docId)).toEqual(['c|a|en', 'c|b|en']);
    expect(fixture.told).toEqual([]);
    const target = await fixture.create({ type: 'webhook', url: fixture.endpoint.url });
    await expect(fixture.call('testAutomationRule', { id: target.id })).rejects.toThrow(
      'only a trigger or a cron can be tested',
    );
  });

  it('skip deliveries that are not allowed, and log why', async () => {
    const { documents } = fixture;
    const target = await fixture.create({ type: 'webhook', name: 'Off', enabled: false, url: fixture.endpoint.url });
    const gone = await fixture.create({ type: 'webhook', name: 'Gone', url: fixture.endpoint.url });
    await fixture.create({ name: 'disabled', query: 'router', enabled: false });
    await fixture.create({ name: 'target off', query: 'router', webhookId: target.id });
    await fixture.create({ name: 'target gone', query: 'router', webhookId: gone.id });
    await fixture.create({ name: 'private', query: 'router', webhookUrl: 'http://{{doc.meta.host}}/' });
    await fixture.call('deleteAutomationRule', { id: gone.id });
    await documents.write('a', 'router', { host: ['169.254.169.254'] });
    await vi.waitFor(async () => expect(await fixture.logs({ status: 'skipped' })).toMatchObject({ total: 4 }));
    const { logs } = await fixture.logs();
    expect(Object.fromEntries(logs.map(({ ruleName, error }) => [ruleName, error]))).toMatchObject({
      disabled: 'the rule is disabled',
      'target off': 'its webhook target is disabled',
      'target gone': 'its webhook target does not exist',
      private: expect.stringContaining('169.254.169.254') as string,
    });
    expect(logs.every(({ attempt, httpStatus }) => attempt === 0 && httpStatus === 0)).toBe(true);
    expect(fixture.told).toEqual([]);
  });

  it('log each delivery once, page by page', async () => {
    const rule = await fixture.create({ query: 'router' });
    for (const key of ['a', 'b', 'c']) await fixture.documents.write(key, 'router');
    await vi.waitFor(async () => expect(await fixture.logs()).toMatchObject({ total: 3 }));
    const page = await fixture.logs({ limit: 2, ruleId: rule.id, status: 'success' });
    expect(page).toMatchObject({
      total: 3,
      hasMore: true,
      logs: [{
        ruleName: 'Rule',
        ruleType: 'trigger',
        status: 'success',
        httpStatus: 204,
        attempt: 1,
        webhookUrl: fixture.endpoint.url,
      }, {}],
    });
    const rest = await fixture.logs({ limit: 2, cursor: page.nextCursor });
    expect(rest).toMatchObject({ hasMore: false, nextCursor: '' });
    expect([...page.logs, ...rest.logs].map(({ docId }) => docId).toSorted()).toEqual(['c|a|en', 'c|b|en', 'c|c|en']);
    expect(await fixture.logs({ ruleId: 'auto_0' })).toMatchObject({ logs: [], total: 0 });
    await expect(fixture.logs({ cursor: 'nonsense' })).rejects.toThrow('cursor');
  });

  it('evaluate only what the words of a document leave possible', async () => {
    const { documents, endpoint, automation } = fixture;
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => fixture.create({ name: `any ${i}`, query: `word${i} common` })),
    );
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => fixture.create({ name: `all ${i}`, query: `other${i} AND common` })),
    );
    await documents.write('a', 'other7 common');
    await endpoint.until(51);
    expect(automation.counts).toEqual({ documents: 1, evaluated: 51 });
  });

  it('take no secret whsec_ without a key of 24 bytes', async () => {
    const refusal = {
      code: 'invalid_argument',
      message: expect.stringContaining('secret: after "whsec_", expected the base64') as string,
    };
    const target = { type: 'webhook', url: fixture.endpoint.url } as const;
    await expect(fixture.create({ ...target, secret: 'whsec_my own secret' })).rejects.toMatchObject(refusal);
    const { id } = await fixture.create({ ...target, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' });
    await expect(fixture.call('updateAutomationRule', {
      id,
      ...target,
      name: 'New',
      enabled: true,
      method: 'PUT',
      secret: 'whsec_password',
    })).rejects.toMatchObject(refusal);
  });

  it(
    'show neither the values of headers nor the query of a URL, and keep both where they are written back (decision ' +
      'D-173)',
    async () => {
      const url = `${fixture.endpoint.url}?token=t0ken`;
      const target = await fixture.create({
        type: 'webhook',
        url,
        headers: { Authorization: 'Bearer k3y', 'X-Name': '{{trigger.name}}' },
      });
      expect(target).toMatchObject({ url: fixture.endpoint.url, headers: { 'Authorization': '', 'X-Name': '' } });
      const { id } = await fixture.create({
        query: 'router',
        webhookId: target.id,
        webhookUrl: 'https://h.example/?token=t0ken',
      });
      expect(await fixture.call('getAutomationRule', { id })).toMatchObject({ webhookUrl: 'https://h.example/' });
      const back = {
        id: target.id,
        type: 'webhook',
        name: 'New',
        enabled: true,
        url: fixture.endpoint.url,
        method: 'POST',
        webhookUrl: '',
        headers: { 'authorization': '', 'X-Name': 'named', 'X-New': '' },
      } as const;
      await fixture.call('updateAutomationRule', back);
      await fixture.documents.write('a', 'the router failed');
      const [received] = await fixture.endpoint.until(1);
      expect(received).toMatchObject({
        path: '/hook?token=t0ken',
        headers: { 'authorization': 'Bearer k3y', 'x-name': 'named', 'x-new': '' },
      });
      await expect(fixture.call('updateAutomationRule', { ...back, url: 'http://127.0.0.1:1/' })).rejects.toThrow(
        'missing fields: headers.authorization; url changes',
      );
      await expect(fixture.call('updateAutomationRule', { ...back, url: 'http://127.0.0.1:1/', headers: {} })).resolves
        .toMatchObject({ url: 'http://127.0.0.1:1/', headers: {} });
    },
  );

  it('replace a rule but for its age and its secret, and keep at most a thousand', async () => {
    const target = await fixture.create({ type: 'webhook', url: fixture.endpoint.url, secret: 'own' });
    fixture.documents.base.advance(10);
    const replaced = await fixture.call('updateAutomationRule', {
      id: target.id,
      type: 'webhook',
      name: 'New',
      enabled: true,
      url: fixture.endpoint.url,
      method: 'PUT',
    });
    expect(replaced).toMatchObject({
      id: target.id,
      name: 'New',
      method: 'PUT',
      secretSet: true,
      createdAt: target.createdAt,
      updatedAt: target.createdAt + 10,
    });
    await expect(fixture.call('updateAutomationRule', {
      id: target.id,
      type: 'webhook',
      name: 'New',
      enabled: true,
      url: 'http://127.0.0.1:1/',
      method: 'PUT',
    })).rejects.toThrow('missing fields: secret');
    expect(await fixture.call('getAutomationRule', { id: target.id })).toEqual(replaced);
    const more = await Promise.allSettled(
      Array.from({ length: 1000 }, () => fixture.create({ type: 'webhook', url: fixture.endpoint.url })),
    );
    expect(more.filter(({ status }) => status === 'rejected')).toMatchObject([{
      reason: { code: 'invalid_argument', message: 'at most 1000 rules are kept; delete one first' },
    }]);
    expect(await fixture.call('listAutomationRules', {})).toMatchObject({ total: 1000 });
    await expect(fixture.call('getAutomationRule', { id: 'auto_0' })).rejects.toThrow('not found');
  });

  it('do nothing while they are switched off', async () => {
    const { documents } = fixture;
    await fixture.create({ query: 'router', name: 'first' });
    await fixture.stop();
    await fixture.start({ triggers: false });
    await documents.write('a', 'router');
    await fixture.stop();
    await fixture.start();
    await documents.write('b', 'router');
    await fixture.endpoint.until(1);
    expect(fixture.told).toEqual(['b']);
  });
});
