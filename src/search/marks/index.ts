export { MarkedForms } from './marked-forms.ts';
