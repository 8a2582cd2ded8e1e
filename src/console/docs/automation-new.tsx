import { useState } from 'preact/hooks';
import { createAutomationRule } from '../../../generated/docs/sdk/sdk.gen.ts';
import type { CreateAutomationRuleRequest } from '../../../generated/docs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { Choice, Dialog, Field } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';

type Kind = 'trigger' | 'cron';

const KINDS: readonly (readonly [Kind, string])[] = [['trigger', 'when a document is written'], ['cron', 'at given times']];

/** The most common rules; the page of operations has all fields. */
export function NewRule({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [type, setType] = useState<Kind>('trigger');
  const [fields, setFields] = useState({ name: '', collection: '', query: '', searchType: 'fts', threshold: '0', webhookUrl: '', schedule: '0 8 * * *' });
  const put = (change: Partial<typeof fields>): void => setFields({ ...fields, ...change });
  const create = async (): Promise<void> => {
    const { schedule, threshold, searchType, ...texts } = fields;
    const body: CreateAutomationRuleRequest = { type, ...texts, threshold: Number(threshold), searchType: searchType as 'fts', ...(type === 'cron' && { schedule }) };
    if (!await attempt(() => ask(createAutomationRule({ body })), 'The rule was created')) return;
    onClose();
    onDone();
  };
  const text = (name: 'name' | 'collection' | 'query' | 'webhookUrl' | 'schedule', label: string, hint?: string, required = true) => (
    <Field label={label} {...(hint !== undefined && { hint })}><input required={required} value={fields[name]} onInput={(event) => put({ [name]: event.currentTarget.value })} /></Field>
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
