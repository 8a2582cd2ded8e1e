import { useState } from 'preact/hooks';
import { enqueueRun, listPipelines, listProjects, listRoles } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Pipeline, PipelineInput, Project, Role, RunKind } from '../../../generated/runs/sdk/types.gen.ts';
import { ask, idempotencyKey } from '../shared/ask.ts';
import { spoken } from '../shared/format.ts';
import { Await, Choice, Empty, Field, Page } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad } from '../shared/use-load.ts';
import { runAt } from './places.ts';
import { may } from './rights.ts';

interface Offers {
  readonly projects: readonly Project[];
  readonly pipelines: readonly Pipeline[];
  readonly roles: readonly Role[];
}

export function SubmitPage() {
  const offers = useLoad(async (signal): Promise<Offers> => {
    const [projects, pipelines, roles] = await Promise.all([ask(listProjects({ signal })), ask(listPipelines({ signal })), ask(listRoles({ signal }))]);
    return { projects: projects.data.filter(({ id, enabled }) => enabled && may('enqueueRun', id)), pipelines: pipelines.data, roles: roles.data.filter(({ available }) => available) };
  }, []);
  return (
    <Page title="Submit a run">
      <Await of={offers}>{(data) => (data.projects.length === 0 ? <Empty>{may('enqueueRun') ? 'No project is on. Projects are in the configuration of the service.' : 'You may not queue runs: that takes the scope submit.'}</Empty> : <Form offers={data} />)}</Await>
    </Page>
  );
}

const KINDS: Readonly<Record<RunKind, string>> = { pipeline: 'a pipeline', ai_text: 'a text by a language model', diagnostic: 'a check of the repository' };

function Form({ offers: { projects, pipelines, roles } }: { readonly offers: Offers }) {
  const [project, setProject] = useState(projects[0]!.id);
  const [kind, setKind] = useState<RunKind>(pipelines.length > 0 ? 'pipeline' : 'diagnostic');
  const [task, setTask] = useState('');
  const [input, setInput] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [ref, setRef] = useState('');
  const [priority, setPriority] = useState('');
  const mine = pipelines.filter(({ projects: only }) => only == null || only.includes(project));
  const tasks = kind === 'pipeline' ? mine.map(({ name }) => name) : kind === 'ai_text' ? roles.map(({ name }) => name) : [];
  const chosen = tasks.includes(task) ? task : tasks[0] ?? '';
  const about = mine.find(({ name }) => name === chosen);
  const declared = kind === 'pipeline' ? about?.inputs ?? [] : [];
  // Empty inputs have the default of the pipeline.
  const given = Object.fromEntries(declared.flatMap(({ name }) => ((values[name] ?? '') === '' ? [] : [[name, values[name]!]])));
  const submit = (): Promise<unknown> => attempt(async () => {
    const body = { project_id: project, kind, task: chosen || undefined, ...(declared.length > 0 ? { input: given } : input.trim() !== '' && { input: readInput(input) }), ref: kind === 'pipeline' ? ref.trim() || undefined : undefined, priority: priority === '' ? undefined : Number(priority) };
    const { data } = await ask(enqueueRun({ headers: { 'Idempotency-Key': idempotencyKey() }, body }));
    location.hash = runAt(data.id);
  });
  return (
    <form class="card stack" onSubmit={(event) => { event.preventDefault(); void submit(); }}>
      <div class="form">
        <Field label="Project"><Choice value={project} options={projects.map(({ id }) => id)} onChange={setProject} /></Field>
        <Field label="What to run"><Choice value={kind} options={(Object.keys(KINDS) as RunKind[]).filter((name) => name !== 'ai_text' || roles.length > 0).map((name) => [name, KINDS[name]] as const)} onChange={setKind} /></Field>
        {tasks.length > 0 && <Field label={kind === 'pipeline' ? 'Pipeline' : 'Role'}><Choice value={chosen} options={tasks} onChange={setTask} /></Field>}
        <Field label="Priority" hint="Higher goes first; empty for the project's own"><input type="number" value={priority} onInput={(event) => setPriority(event.currentTarget.value)} /></Field>
        {kind === 'pipeline' && <Field label="Ref" hint="Branch, tag or commit; empty for the default branch"><input value={ref} onInput={(event) => setRef(event.currentTarget.value)} /></Field>}
        {declared.length > 0 && <InputFields inputs={declared} values={values} onChange={(name, value) => setValues({ ...values, [name]: value })} />}
        {kind !== 'diagnostic' && declared.length === 0 && <Field full label="Input" hint="Text, or a JSON object"><textarea rows={6} value={input} onInput={(event) => setInput(event.currentTarget.value)} /></Field>}
      </div>
      {kind === 'pipeline' && about !== undefined && <p class="muted">{about.description === '' ? '' : `${about.description} `}{(about.jobs.length > 0 ? about.jobs : about.steps).map(({ name }) => name).join(' → ')}; runs {spoken(about.timeout)} at most{about.matrix == null ? '' : `, for each of ${about.matrix.length} cells`}.</p>}
      <div class="row end"><button class="primary" type="submit">Queue the run</button></div>
    </form>
  );
}

/** A JSON object is sent as an object, everything else as text. */
function readInput(text: string): string | Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : text;
  } catch {
    return text;
  }
}

export interface InputFieldsProps {
  readonly inputs: readonly PipelineInput[];
  /** The values as typed, by the names of inputs; the service knows their types. */
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (name: string, value: string) => void;
}

/** A field for each input that a pipeline declares. */
function InputFields({ inputs, values, onChange }: InputFieldsProps) {
  return <>{inputs.map((input) => <Field key={input.name} label={input.required ? `${input.name} (required)` : input.name} hint={input.description}><Value input={input} value={values[input.name] ?? ''} onChange={(value) => onChange(input.name, value)} /></Field>)}</>;
}

function Value({ input: { type, choices, default: fallback, required, min, max }, value, onChange }: { readonly input: PipelineInput; readonly value: string; readonly onChange: (value: string) => void }) {
  const offered = type === 'boolean' ? ['true', 'false'] : type === 'choice' ? choices : undefined;
  const usual = fallback == null ? '' : String(fallback);
  if (offered !== undefined) return <Choice value={value} options={[['', usual === '' ? '–' : `${usual} (default)`], ...offered.map((each) => [each, each] as const)]} onChange={onChange} />;
  if (type === 'number') return <input type="number" step="any" value={value} placeholder={usual} required={required} min={min ?? undefined} max={max ?? undefined} onInput={(event) => onChange(event.currentTarget.value)} />;
  if (type === 'date') return <input type="date" value={value} required={required} onInput={(event) => onChange(event.currentTarget.value)} />;
  return <input type="text" value={value} placeholder={usual} required={required} onInput={(event) => onChange(event.currentTarget.value)} />;
}
