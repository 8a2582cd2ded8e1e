import type { PipelineInput } from '../../../generated/runs/sdk/types.gen.ts';
import { Choice, Field } from '../shared/parts.tsx';

export interface InputFieldsProps {
  readonly inputs: readonly PipelineInput[];
  /** The values as typed, by the names of inputs; the service knows their types. */
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (name: string, value: string) => void;
}

/** A field for each input that a pipeline declares. */
export function InputFields({ inputs, values, onChange }: InputFieldsProps) {
  return <>{inputs.map((input) => <Field key={input.name} label={input.required ? `${input.name} (required)` : input.name} hint={input.description}><Value input={input} value={values[input.name] ?? ''} onChange={(value) => onChange(input.name, value)} /></Field>)}</>;
}

function Value({ input: { type, choices, default: fallback, required, min, max }, value, onChange }: { readonly input: PipelineInput; readonly value: string; readonly onChange: (value: string) => void }) {
  const offered = type === 'boolean' ? ['true', 'false'] : type === 'choice' ? choices : undefined;
  const usual = fallback == null ? '' : String(fallback);
  if (offered !== undefined) return <Choice value={value} options={[['', usual === '' ? '–' : `${usual} (default)`], ...offered.map((each) => [each, each] as const)]} onChange={onChange} />;
  if (type === 'number') return <input type="number" step="any" value={value} placeholder={usual} required={required} {...(min != null && { min })} {...(max != null && { max })} onInput={(event) => onChange(event.currentTarget.value)} />;
  if (type === 'date') return <input type="date" value={value} required={required} onInput={(event) => onChange(event.currentTarget.value)} />;
  return <input type="text" value={value} placeholder={usual} required={required} onInput={(event) => onChange(event.currentTarget.value)} />;
}
