import { useState } from 'preact/hooks';
import { createAutomationRule, deleteAutomationRule, listAutomationLogs, listAutomationRules, testAutomationRule, updateAutomationRule } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { AutomationLog, AutomationRule, CreateAutomationRuleRequest } from '../../../generated/docs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { plural } from '../shared/format.ts';
import { Icon } from '../shared/icons.tsx';
import { Await, Badge, Choice, Confirm, Dialog, Empty, Field, Page, Table, Time, type Tone } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad } from '../shared/use-load.ts';
import { documentAt } from './places.ts';

export function AutomationPage() {
  const list = useLoad(async (signal) => ask(listAutomationRules({ signal })), []);
  const [isNew, setIsNew] = useState(false);
  return (
    <Page title="Automation" about="Rules that search new documents, or search at given times, and notify somebody." actions={<button class="primary" onClick={() => setIsNew(true)}><Icon name="plus" />New rule</button>}>
      <div class="stack">
        <Await of={list}>{({ rules }) => (rules.length === 0 ? <Empty>There are no rules yet.</Empty> : (
          <Table label="Rules" columns={['Name', 'Kind', 'Watches', 'State', '']}>{rules.map((rule) => <Rule key={rule.id} rule={rule} onChange={list.reload} />)}</Table>
        ))}</Await>
        <Log />
      </div>
      {isNew && <NewRule onClose={() => setIsNew(false)} onDone={list.reload} />}
    </Page>
  );
}

function Rule({ rule, onChange }: { readonly rule: AutomationRule; readonly onChange: () => void }) {
  const { id, name, type, enabled } = rule;
  const [tests, setTests] = useState(false);
  const change = (action: () => Promise<unknown>, done: string) => async (): Promise<void> => {
    if (await attempt(action, done)) onChange();
  };
  return (
    <tr>
      <td>{name}</td>
      <td><Badge>{type}</Badge></td>
      <td>{subjectOf(rule)}</td>
      <td>{enabled ? <Badge tone="good">on</Badge> : <Badge>off</Badge>}</td>
      <td><div class="row end">
        {type !== 'webhook' && <button onClick={() => setTests(true)}>Test</button>}
        <button onClick={change(() => ask(updateAutomationRule({ path: { id }, body: { ...requestOf(rule), enabled: !enabled } })), enabled ? 'The rule is off' : 'The rule is on')}>{enabled ? 'Turn off' : 'Turn on'}</button>
        <Confirm label="Delete" says={`Deletes the rule ${name}.`} onConfirm={change(() => ask(deleteAutomationRule({ path: { id } })), 'The rule was deleted')} />
      </div>{tests && <TestRun rule={rule} onClose={() => setTests(false)} />}</td>
    </tr>
  );
}

/** A rule as it is sent: without what the server sets. The secret of a target stays when it is not sent. */
function requestOf(rule: AutomationRule): CreateAutomationRuleRequest {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, secretSet: _secretSet, lastRun: _lastRun, nextRun: _nextRun, ...sent } = { secretSet: false, lastRun: 0, nextRun: 0, ...rule };
  return sent;
}

function subjectOf(rule: AutomationRule): string {
  if (rule.type === 'webhook') return `${rule.method} ${rule.url}`;
  const where = rule.collection === '' ? 'all collections' : rule.collection;
  const what = rule.query === '' ? 'sentiment' : `“${rule.query}”`;
  return rule.type === 'cron' ? `${what} in ${where}, ${rule.schedule}` : `${what} in ${where}`;
}

/** Shows what a rule currently finds, without sending notifications. */
function TestRun({ rule: { id, name }, onClose }: { readonly rule: AutomationRule; readonly onClose: () => void }) {
  const run = useLoad(async (signal) => ask(testAutomationRule({ signal, path: { id } })), [id]);
  return (
    <Dialog title={`Test of ${name}`} onClose={onClose}>
      <Await of={run}>{({ matches, total, threshold }) => (
        <div class="stack">
          <p>{plural(total, 'match', 'matches')} with a score of {threshold} or more. Nobody was notified.</p>
          {matches.length > 0 && (
            <Table label="Matches" columns={['Document', 'Score#']}>
              {matches.map(({ document, docId, collection, score }) => <tr key={docId}><td><a href={documentAt(collection, document)}>{docId}</a></td><td class="num">{score.toFixed(3)}</td></tr>)}
            </Table>
          )}
        </div>
      )}</Await>
    </Dialog>
  );
}

const TONES: Readonly<Record<AutomationLog['status'], Tone>> = { success: 'good', error: 'bad', skipped: 'warn' };
const LINES = 50;

function Log() {
  const log = useLoad(async (signal) => ask(listAutomationLogs({ signal, query: { limit: LINES } })), []);
  return (
    <section>
      <div class="row apart"><h2>Deliveries</h2><button class="plain" onClick={log.reload}>Refresh</button></div>
      <Await of={log}>{({ logs }) => (logs.length === 0 ? <p class="muted">No rule has fired lately.</p> : (
        <Table label="Deliveries" columns={['Rule', 'Result', 'Document', 'Status#', 'When']}>
          {logs.map(({ id, ruleName, status, error, docId, httpStatus, timestamp }) => (
            <tr key={id}><td>{ruleName}</td><td><Badge tone={TONES[status]}>{status}</Badge>{error !== '' && <div class="small muted">{error}</div>}</td><td>{docId}</td><td class="num">{httpStatus === 0 ? '–' : httpStatus}</td><td><Time at={timestamp} /></td></tr>
          ))}
        </Table>
      ))}</Await>
    </section>
  );
}

type Kind = 'trigger' | 'cron';

const KINDS: readonly (readonly [Kind, string])[] = [['trigger', 'when a document is written'], ['cron', 'at given times']];

/** The most common rules; the page of operations has all fields. */
function NewRule({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [type, setType] = useState<Kind>('trigger');
  const [fields, setFields] = useState({ name: '', collection: '', query: '', searchType: 'fts', threshold: '0', webhookUrl: '', schedule: '0 8 * * *' });
  const put = (change: Partial<typeof fields>): void => setFields({ ...fields, ...change });
  const create = async (): Promise<void> => {
    const { schedule, threshold, searchType, ...texts } = fields;
    const body: CreateAutomationRuleRequest = { type, ...texts, threshold: Number(threshold), searchType: searchType as 'fts', schedule: type === 'cron' ? schedule : undefined };
    if (!await attempt(() => ask(createAutomationRule({ body })), 'The rule was created')) return;
    onClose();
    onDone();
  };
  const text = (name: 'name' | 'collection' | 'query' | 'webhookUrl' | 'schedule', label: string, hint?: string, required = true) => (
    <Field label={label} hint={hint}><input required={required} value={fields[name]} onInput={(event) => put({ [name]: event.currentTarget.value })} /></Field>
  );
  return (
    <Dialog title="New rule" onClose={onClose}>
      <form class="stack" onSubmit={(event) => { event.preventDefault(); void create(); }}>
        {text('name', 'Name')}
        <Field label="It searches"><Choice value={type} options={KINDS} onChange={setType} /></Field>
        {type === 'cron' && text('schedule', 'Schedule', 'Minute, hour, day of the month, month, day of the week')}
        {text('query', 'For')}
        {text('collection', 'In the collection', 'Empty for all', false)}
        <div class="form">
          <Field label="By"><Choice value={fields.searchType} options={[['fts', 'words'], ['vector', 'meaning'], ['hybrid', 'both']]} onChange={(searchType) => put({ searchType })} /></Field>
          <Field label="With a score of at least"><input type="number" step="any" min="0" value={fields.threshold} onInput={(event) => put({ threshold: event.currentTarget.value })} /></Field>
        </div>
        {text('webhookUrl', 'And tells', 'The address that matches are sent to')}
        <div class="row end"><button type="button" onClick={onClose}>Cancel</button><button class="primary" type="submit">Create</button></div>
      </form>
    </Dialog>
  );
}
