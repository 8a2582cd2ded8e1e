import { boxOf } from '../symbols.ts';
import { elements, type XmlElement } from '../xml.ts';

/** The controls of the forms of a document by their identifiers; drawings show them in the text. */
export function formControls(container: XmlElement, found = new Map<string, XmlElement>()): Map<string, XmlElement> {
  for (const element of elements(container)) {
    if (element.name !== 'office:forms' && !element.name.startsWith('form:')) continue;
    const id = element.attributes['xml:id'] ?? element.attributes['form:id'];
    if (id !== undefined) found.set(id, element);
    formControls(element, found);
  }
  return found;
}

/** What a control shows: its box and label, what was entered, or the chosen entry. */
export function controlText(control: XmlElement | undefined): string {
  if (control === undefined) return '';
  const { 'form:label': label = '', 'form:current-value': current, 'form:value': value } = control.attributes;
  switch (control.name) {
    case 'form:checkbox':
      return `${boxOf(isChecked(control, 'form:current-state', 'form:state'))} ${label}`.trim();
    case 'form:radio':
      return `${boxOf(isChecked(control, 'form:current-selected', 'form:selected'))} ${label}`.trim();
    case 'form:listbox':
      return elements(control, 'form:option').filter((option) =>
        isChecked(option, 'form:current-selected', 'form:selected')
      ).map(({ attributes }) => attributes['form:label'] ?? '').join(', ');
    case 'form:fixed-text':
      return label;
    case 'form:button':
    case 'form:password':
    case 'form:hidden':
      return '';
    default:
      return current ?? value ?? '';
  }
}

/** The state that was chosen, or the initial one. */
function isChecked({ attributes }: XmlElement, current: string, initial: string): boolean {
  return ['checked', 'true'].includes(attributes[current] ?? attributes[initial] ?? '');
}

/** The value of a field that Word's forms become: its box, or the chosen entry; undefined for other fields. */
export function fieldmarkText(field: XmlElement): string | undefined {
  const parameter = (name: string) =>
    elements(field, 'field:param').filter(({ attributes }) => attributes['field:name']?.endsWith(name)).map((
      { attributes },
    ) => attributes['field:value'] ?? '');
  const type = field.attributes['field:type'] ?? '';
  if (type.endsWith('FORMCHECKBOX')) return boxOf(parameter('_Checked')[0] === 'true');
  if (!type.endsWith('FORMDROPDOWN')) return undefined;
  return parameter('_ListEntry')[Number(parameter('_Selected')[0] ?? 0) || 0] ?? '';
}
