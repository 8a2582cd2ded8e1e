import { ServiceError } from '../../errors/index.ts';
import { badHeader, type Outbound } from '../../net/index.ts';
import type { FindRule, RuleBody } from './rule.ts';
import { isSchedule } from './schedule.ts';
import { type RuleSearchDeps, wordsOf } from './search.ts';
import { withoutVariables } from './templates.ts';

export interface CheckDeps {
  readonly outbound: Pick<Outbound, 'refusal'>;
  readonly search: Pick<RuleSearchDeps, 'words'>;
  readonly find: FindRule;
}

/** Maximum number of bytes of all headers of a target together (decisions, section 8). */
const MAX_HEADERS = 16_384;

const invalid = (message: string): ServiceError => new ServiceError('invalid_argument', message);
const missing = (fields: string): ServiceError => new ServiceError('missing_fields', `missing fields: ${fields}`);

/** Throws `missing_fields` and `invalid_argument`, naming the field, for a rule that could never work. */
export function checkRule(deps: CheckDeps, body: RuleBody): void {
  if (body.type === 'webhook') return checkTarget(deps, body);
  if (!body.webhookId && body.webhookUrl === '') throw missing('webhookUrl or webhookId');
  if (body.webhookId) checkReference(deps, 'webhookId', body.webhookId, 'webhook');
  else checkUrl(deps, 'webhookUrl', body.webhookUrl);
  if (body.type === 'cron') checkCron(deps, body);
  else checkTrigger(body);
  // Other collections may parse a query differently, but its syntax is the same.
  if (body.query.trim() !== '' && body.searchType !== 'vector') wordsOf(deps.search.words, body, body.collection);
}

function checkTarget(deps: CheckDeps, { url, headers = {} }: RuleBody): void {
  if (!url) throw missing('url');
  checkUrl(deps, 'url', url);
  const bad = badHeader(Object.keys(headers));
  if (bad !== undefined) throw invalid(`headers: ${bad.message}`);
  const bytes = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);
  if (bytes > MAX_HEADERS) throw invalid(`headers must have at most ${MAX_HEADERS} bytes together, got ${bytes}`);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) throw invalid(`headers: ${repeated} is there twice`);
}

function checkCron(deps: CheckDeps, { schedule, query, triggerId }: RuleBody): void {
  if (!schedule) throw missing('schedule');
  if (!isSchedule(schedule))
    throw invalid(
      `schedule must have five fields, six with leading seconds, or be @hourly, @daily, @weekly or @monthly, got ${
        JSON.stringify(schedule)
      }`,
    );
  if (triggerId) checkReference(deps, 'triggerId', triggerId, 'trigger');
  else if (query.trim() === '') throw missing('query or triggerId');
}

function checkTrigger({ query, sentimentEnabled, sentimentMin, sentimentMax }: RuleBody): void {
  if (query.trim() === '' && !sentimentEnabled) throw missing('query or sentimentEnabled');
  if (sentimentMin > sentimentMax)
    throw invalid(`sentimentMin must not be above sentimentMax, got ${sentimentMin} and ${sentimentMax}`);
}

function checkReference({ find }: CheckDeps, field: string, id: string, type: RuleBody['type']): void {
  if (find(id)?.body.type !== type)
    throw invalid(`${field}: there is no rule of type ${type} with the id ${JSON.stringify(id)}`);
}

function checkUrl({ outbound }: CheckDeps, field: string, url: string): void {
  const refusal = outbound.refusal(withoutVariables(url));
  if (refusal !== undefined) throw invalid(`${field}: ${refusal}`);
}
