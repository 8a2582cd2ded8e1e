import type { Operations } from '../../generated/docs/operations.ts';
import type { AutomationHandlers } from '../docs/automation/handlers.ts';
import { type Automation, createAutomation } from '../docs/automation/index.ts';
import type { RuleSearchDeps } from '../docs/automation/search.ts';
import type { DocsEnvironment } from '../docs/environment.ts';
import { HybridFixture, type HybridOptions } from '../docs/hybrid/test-fixture.ts';
import type { Timer } from '../lib/clock.ts';
import { createOutbound, type Outbound } from '../net/index.ts';
import type { OutputOf } from '../operations/index.ts';
import { UNRESTRICTED } from './unrestricted.ts';
import { WebhookEndpoint } from './webhook-endpoint.ts';

type Settings = NonNullable<DocsEnvironment['settings']['automation']>;

const CONTEXT = { ...UNRESTRICTED, signal: new AbortController().signal, budget: { take: () => true } } as never;

/** For tests: automation over documents with lexical and vector search, and an endpoint that it calls. */
export class AutomationFixture {
  readonly documents: HybridFixture;
  readonly endpoint: WebhookEndpoint;
  automation!: Automation;
  #outbound!: Outbound;

  private constructor(documents: HybridFixture, endpoint: WebhookEndpoint) {
    this.documents = documents;
    this.endpoint = endpoint;
  }

  static async open(options: HybridOptions = {}, settings: Settings = {}): Promise<AutomationFixture> {
    const fixture = new AutomationFixture(await HybridFixture.open(options), await WebhookEndpoint.open());
    await fixture.start(settings);
    return fixture;
  }

  get searchDeps(): RuleSearchDeps {
    const { base, search, hybrid } = this.documents;
    return {
      environment: base.environment,
      words: search.deps,
      vectors: base.vectors,
      hybrid,
      readDocument: (name) => this.#read(name),
      lexicon: () => new Map(),
    };
  }

  async start(settings: Settings = {}, timer?: Timer): Promise<void> {
    this.#outbound = createOutbound({ allowPrivate: 'loopback', allowlist: [] });
    const { environment } = this.documents.base;
    const { words, vectors, hybrid, readDocument } = this.searchDeps;
    this.automation = createAutomation({ ...environment, settings: { ...environment.settings, automation: settings } },
      { outbound: this.#outbound, words, vectors, hybrid, documents: { readDocument }, ...(timer && { timer }) });
    await this.automation.load();
    await this.automation.work();
  }

  async stop(): Promise<void> {
    await this.automation.stop();
    await this.#outbound.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.endpoint.close();
    await this.documents.close();
  }

  /** A trigger of the collection `c` that calls the endpoint, unless `more` says otherwise. */
  create(more: object): Promise<OutputOf<Operations, 'createAutomationRule'>> {
    return this.call('createAutomationRule', {
      type: 'trigger',
      name: 'Rule',
      enabled: true,
      collection: 'c',
      searchType: 'fts',
      query: '',
      threshold: 0,
      webhookUrl: this.endpoint.url,
      events: ['doc.added', 'doc.updated'],
      sentimentEnabled: false,
      sentimentMin: -1,
      sentimentMax: 1,
      conditionLogic: 'and',
      method: 'POST',
      ...more,
    }) as Promise<OutputOf<Operations, 'createAutomationRule'>>;
  }

  async call<K extends keyof AutomationHandlers>(id: K, input: object): Promise<OutputOf<Operations, K>> {
    return await (this.automation.handlers[id] as (input: object, context: never) => unknown)(input,
      CONTEXT) as OutputOf<Operations, K>;
  }

  logs(more: object = {}): Promise<OutputOf<Operations, 'listAutomationLogs'>> {
    return this.call('listAutomationLogs', { limit: 50, ...more });
  }

  /** Keys of the documents that were sent to the endpoint, in order. */
  get told(): string[] {
    return this.endpoint.received.map(({ body }) => (body.document as { key?: string } | null)?.key ?? '');
  }

  /** Names of the rules that called the endpoint, with the keys, sorted. */
  get toldBy(): string[] {
    return this.endpoint.received.map(({ body }, i) =>
      `${(body as unknown as { trigger: { name: string } }).trigger.name} ${this.told[i]!}`
    ).toSorted();
  }

  async #read({ collection, key, lang }: { readonly collection: string; readonly key: string; readonly lang: string }) {
    return await this.documents.call('getDocument', { collection, key, lang }).catch(() => undefined) as never;
  }
}
