export { endpointUrl } from './endpoint-url.ts';
export { runAiText } from './run-ai-text.ts';
